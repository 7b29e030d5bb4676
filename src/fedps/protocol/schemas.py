"""How the clients' tables fit together: one pooled schema, columns matched by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from fedps.errors import Disagreement, PeerError
from fedps.learned import BY_COLUMNS, Described, Stand, branches_of, places_of
from fedps.protocol.agreement.date_kinds import check_date_kinds
from fedps.protocol.answers import Problem, raise_problems
from fedps.protocol.messages import Failure
from fedps.protocol.plan import Path, Pooled, View
from fedps.statistics import BadCells, Schema

Key = tuple[str, ...] | tuple[int, ...]
Schemas = Mapping[str, tuple[Schema, ...]]


def pool_schemas(schemas: Schemas, pooled: Pooled) -> None:
    """Describe the rows of all clients together; Disagreement where they do not fit."""
    tables = {client: both[0] for client, both in schemas.items()}
    _check_names(tables)
    first = next(iter(tables.values()))
    rows = sum(schema.rows for schema in tables.values())
    if rows == 0:
        raise Disagreement(
            f"no client has any rows: {_listed(tables)}. Check what was loaded there."
        )
    _check_kinds(tables)
    check_times(tables)
    empty = _empty_everywhere(tables, first)
    container = common_container(tables)
    pooled.table = Schema(container, first.names, first.width, first.dtypes, rows, empty)
    targets = [both[1] for both in schemas.values() if len(both) > 1]
    if targets:
        first = next((t for t in targets if t.rows), targets[0])
        pooled.target = Schema(first.container, first.names, first.width, first.dtypes, rows)


def positions_in(schema: Schema, names: Sequence[str] | None) -> list[int]:
    """Return the positions of another table's columns in this one."""
    if names is None or schema.names is None:
        return list(range(schema.width))
    place = {name: i for i, name in enumerate(schema.names)}
    return [place[name] for name in names]


def _listed(clients: Mapping[str, Any] | Sequence[str]) -> str:
    return ", ".join(repr(client) for client in clients)


def _check_names(tables: Mapping[str, Schema]) -> None:
    """Raise Disagreement unless all tables have the same columns, in any order."""
    (leader, first), *others = tables.items()
    for client, schema in tables.items():
        check_schema(client, schema)
    for client, schema in others:
        if (schema.names is None) != (first.names is None):
            named, nameless = (client, leader) if first.names is None else (leader, client)
            raise Disagreement(
                f"client {named!r} has column names and client {nameless!r} has none. Give all "
                "clients data frames, or all of them arrays."
            )
        if schema.names is None or first.names is None:
            if schema.width != first.width:
                raise Disagreement(
                    f"client {leader!r} has {first.width} columns and client {client!r} has "
                    f"{schema.width}. Arrays are matched by position: give all the same columns."
                )
        else:
            _check_same_names(leader, first.names, client, schema.names)


def check_schema(client: str, schema: Schema) -> None:
    """Raise PeerError for a schema whose parts contradict each other."""
    names = schema.names if schema.names is not None else range(schema.width)
    fits = len(names) == len(set(names)) == schema.width
    if not fits or len(schema.dtypes) not in (1, schema.width):
        raise PeerError(f"client {client!r} sent a schema that does not add up.").about(client)


def _check_same_names(
    leader: str, wanted: Sequence[str], client: str, names: Sequence[str]
) -> None:
    for here, there, lacking in (
        (leader, client, set(wanted) - set(names)),
        (client, leader, set(names) - set(wanted)),
    ):
        if lacking:
            order = wanted if here == leader else names
            listed = _listed([name for name in order if name in lacking][:5])
            more = f" and {len(lacking) - 5} more" if len(lacking) > 5 else ""
            raise Disagreement(
                f"client {here!r} offers column {listed}{more} and client {there!r} does not (it "
                "lacks it, or its policy keeps it back). Add it there, all missing if need be, or drop "
                "it everywhere."
            )


def _check_kinds(tables: Mapping[str, Schema]) -> None:
    """Raise Disagreement if a column holds numbers at one client and text at another."""
    first = next(iter(tables.values()))
    if len({(schema.names, schema.dtypes) for schema in tables.values()}) == 1:
        return  # the same columns of the same dtypes everywhere: nothing can disagree
    kinds: list[dict[str, str]] = [{} for _ in range(first.width)]
    for client, schema in tables.items():
        empty = set(schema.empty)
        for seen, i in zip(kinds, positions_in(schema, first.names), strict=True):
            if schema.rows and i not in empty:
                seen.setdefault(family(schema.dtype(i)), client)
    for j, seen in enumerate(kinds):
        if "numbers" in seen and "text" in seen:
            name = first.names[j] if first.names else f"number {j}"
            raise Disagreement(
                f"column {name!r} holds numbers at client {seen['numbers']!r} and text at client "
                f"{seen['text']!r}. Convert it at one of them, or drop it at both."
            )


def check_times(tables: Mapping[str, Schema]) -> None:
    """Raise Disagreement if a column holds times at one client and something else at another."""
    first = next(iter(tables.values()))
    if len({(schema.names, schema.dtypes) for schema in tables.values()}) == 1:
        return
    dtypes: list[dict[str, str]] = [{} for _ in range(first.width)]
    for client, schema in tables.items():
        empty = set(schema.empty)
        for seen, i in zip(dtypes, positions_in(schema, first.names), strict=True):
            if schema.rows and i not in empty:
                seen[client] = schema.dtype(i)
    for j, seen in enumerate(dtypes):
        check_date_kinds(first.names[j] if first.names else f"number {j}", seen, family)


@lru_cache(maxsize=1024)
def family(dtype: str) -> str:
    """Return 'numbers', 'text' or 'other' for a dtype's name.

    >>> family("float64"), family("<U5"), family("Int64"), family("|O")
    ('numbers', 'text', 'numbers', 'other')
    """
    name = dtype.lower()
    if name.startswith(("str", "large_string", "<u", ">u")) and not name.startswith("struct"):
        return (
            "numbers" if name[2:].isdigit() and int(name[2:]) <= 8 and dtype[1] == "u" else "text"
        )
    if name.startswith(("int", "uint", "float", "double", "<f", "<i", "|i", "|u", "decimal")):
        return "numbers"
    return "other"


def _empty_everywhere(tables: Mapping[str, Schema], first: Schema) -> tuple[int, ...]:
    """Return the columns that are wholly missing at all clients."""
    found = set(range(first.width))
    for schema in tables.values():
        empty = set(schema.empty)
        places = positions_in(schema, first.names)
        found &= {j for j, i in enumerate(places) if i in empty}
    return tuple(sorted(found))


def common_container(tables: Mapping[str, Schema]) -> Any:
    """Return the container of the pooled table: if they differ, the first one's that has rows.

    Arrays and sparse matrices are put together as arrays.
    """
    kinds = {schema.container for schema in tables.values()}
    if len(kinds) == 1:
        return kinds.pop()
    filled = [schema.container for schema in tables.values() if schema.rows]
    frames = [kind for kind in filled[:1] if kind in ("pandas", "polars")]
    return frames[0] if frames else "numpy"


# which of a client's columns a branch of a ColumnTransformer takes, by their positions: of a schema,
# the positions that the ColumnTransformer gets, and how the branch chooses; BadCells if it cannot
Choose = Callable[[Schema, Sequence[int], Described, int], Sequence[int]]


class Columns:
    """Which of their own columns the clients have at each place of a pipeline.

    Parameters
    ----------
    pipeline : Described, optional
        What is fitted.
    choose : callable, optional
        Which columns a branch of a ColumnTransformer takes.
    weight : str, optional
        The column of row weights, which is not part of the table.
    """

    def __init__(
        self,
        pipeline: Described | None = None,
        choose: Choose | None = None,
        weight: str | None = None,
    ) -> None:
        self._choose = choose
        self._weight = weight
        self._by_path: dict[Path, Described] = {}
        if pipeline is not None:
            self._by_path = {place.path: place.described for place in places_of(pipeline)}
        self._schemas: dict[str, Schema] = {}
        self._at: dict[Path, dict[str, tuple[int, ...]]] = {}
        self._keys_at: dict[Path, dict[str, Key]] = {}
        self.order: tuple[str, ...] | None = None

    def pool(self, schemas: Schemas, pooled: Pooled) -> None:
        """Describe the rows of all clients together; Disagreement where they do not fit."""
        pool_schemas(schemas, pooled)
        self.learn_tables(schemas)
        pooled.names_at = self.names_at
        pooled.heights = tuple(both[0].rows for both in schemas.values())

    def stands(self, schemas: Schemas) -> dict[str, Stand]:
        """Return where each client stands: its number, and its slice of the pooled rows."""
        found, start = {}, 0
        for number, (client, both) in enumerate(schemas.items()):
            stop = start + both[0].rows
            found[client] = Stand(number, slice(start, stop))
            start = stop
        return found

    def learn_tables(self, schemas: Schemas) -> None:
        """Note each client's own columns."""
        self._schemas = {client: both[0] for client, both in schemas.items()}
        self._at, self._keys_at = {}, {}

    @property
    def known(self) -> bool:
        """Whether the clients' columns are known."""
        return bool(self._schemas)

    def set_order(self, names: tuple[str, ...] | None) -> None:
        """Note the order in which all clients have their columns from now on."""
        self.order = names
        self._at, self._keys_at = {}, {}

    def _positions(self, path: Path) -> dict[str, tuple[int, ...]]:
        """Return the positions of a place's columns in each client's own table."""
        if path not in self._at:
            self._at[path] = self._found(path)
        return self._at[path]

    def _found(self, path: Path) -> dict[str, tuple[int, ...]]:
        if not path:
            return {client: self._whole(schema) for client, schema in self._schemas.items()}
        parents, around = self._positions(path[:-1]), self._by_path.get(path[:-1])
        if around is None or around.estimator != BY_COLUMNS:
            return parents
        assert self._choose is not None
        found, problems = {}, []
        same: dict[Any, tuple[int, ...]] = {}  # most clients have tables that look alike
        for client, parent in parents.items():
            schema = self._schemas[client]
            looks = (schema.container, schema.names, schema.width, schema.dtypes, parent)
            try:
                if looks not in same:
                    same[looks] = tuple(self._choose(schema, parent, around, path[-1]))
                found[client] = same[looks]
            except BadCells as error:
                problems.append(Problem(client, None, Failure(error.rule, error.what)))
        known = [name for schema in self._schemas.values() for name in schema.names or ()]
        raise_problems(problems, dict.fromkeys(known))
        return found

    def _whole(self, schema: Schema) -> tuple[int, ...]:
        """Return the positions of the columns of a client's table, in the order that holds there."""
        order = schema.names if self.order is None else self.order
        found = positions_in(schema, order)
        if self._weight is None or schema.names is None:
            return tuple(found)
        return tuple(i for i in found if schema.names[i] != self._weight)

    def at(self, path: Path) -> dict[str, Key] | None:
        """Return the columns at a place that is not behind a transformer, at each client."""
        if not self._schemas:
            return None
        if path not in self._keys_at:
            found = self._keys_at[path] = {}
            for client, own in self._positions(path).items():
                names = self._schemas[client].names
                found[client] = own if names is None else tuple(names[i] for i in own)
        return self._keys_at[path]

    def of(self, view: View) -> dict[str, Key] | None:
        """Return the columns of a view at each client, or None if a transformer made them."""
        if view.is_target or view.is_transformed:
            return None
        found = self.at(view.path)
        if found is None or view.columns is None:
            return found
        return {client: tuple(own[i] for i in view.columns) for client, own in found.items()}  # type: ignore[misc]

    def differ(self, path: Path) -> bool:
        """Whether the clients have a place's columns in different orders."""
        return len(set((self.at(path) or {}).values())) > 1

    def unequal(self, path: Path) -> tuple[str, str] | None:
        """Return two clients that have different columns at a place, if there are any."""
        columns = list((self.at(path) or {}).items())
        for client, names in columns[1:]:
            if set(names) != set(columns[0][1]):
                return columns[0][0], client
        return None

    def names_at(self, path: Path) -> tuple[str, ...] | None:
        """Return the names of a place's columns in the first client's order, if they have any."""
        columns = self.at(path)
        first = next(iter(columns.values())) if columns else ()
        named = all(isinstance(name, str) for name in first)
        return first if first and named else None  # type: ignore[return-value]

    def names(self, view: View) -> Key | None:
        """Return the columns of a view in the first client's order."""
        columns = self.of(view)
        return next(iter(columns.values())) if columns else None

    def order_at(self, view: View, client: str) -> list[int] | None:
        """Return a client's position of each column, in the first client's order; None if they agree."""
        columns = self.of(view)
        names = self.names(view)
        if columns is None or names is None or columns[client] == names:
            return None
        place = {name: i for i, name in enumerate(columns[client])}
        return [place[name] for name in names]

    def chosen_by_rule(self, path: Path) -> bool:
        """Whether a place's columns are chosen by a rule, such as their dtype, somewhere on its way."""
        for i in range(len(path)):
            around = self._by_path.get(path[:i])
            if around is not None and around.estimator == BY_COLUMNS:
                listed = [columns for _, kept, columns in branches_of(around) if kept is None]
                if isinstance(listed[path[i]], dict) and "make_column_selector" in listed[path[i]]:
                    return True
        return False
