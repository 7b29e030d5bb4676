"""How the clients' tables fit together: one pooled schema, columns matched by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from fedps.errors import Disagreement, PeerError
from fedps.learned import Place
from fedps.protocol.messages import Change, Named, Select
from fedps.protocol.plan import Pooled, View
from fedps.statistics import Schema, Summary, in_order

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
    """Return the container of the pooled table: if they differ, pandas if one is pandas, else NumPy."""
    kinds = {schema.container for schema in tables.values()}
    if len(kinds) == 1:
        return kinds.pop()
    return "pandas" if "pandas" in kinds else "numpy"


class Columns:
    """Which columns each view has at each client, for views that only select columns.

    Keyed by the view, or by None for the clients' own tables.
    """

    def __init__(self) -> None:
        self._at: dict[View | None, dict[str, Key]] = {}

    def pool(self, schemas: Schemas, pooled: Pooled) -> None:
        """Describe the rows of all clients together; Disagreement where they do not fit."""
        pool_schemas(schemas, pooled)
        self.learn_tables(schemas)

    def places(self, schemas: Schemas) -> dict[str, Place]:
        """Return each client's position among the clients, and its slice of the pooled rows."""
        found, start = {}, 0
        for number, (client, both) in enumerate(schemas.items()):
            stop = start + both[0].rows
            found[client] = Place(number, slice(start, stop))
            start = stop
        return found

    def learn_tables(self, schemas: Schemas) -> None:
        """Note each client's own columns."""
        self._at[None] = {
            client: both[0].names or tuple(range(both[0].width)) for client, both in schemas.items()
        }

    def learn_selection(self, view: View, chosen: Mapping[str, Any], in_one_order: bool) -> None:
        """Note which columns a selection chose at each client: ``chosen`` holds positions.

        They are positions in each client's own order, unless the parent has one order for all.
        """
        assert isinstance(view.change, Select)
        assert view.parent is not None
        parents = self._at[None if view.parent.parent is None else view.parent]
        if in_one_order:
            parents = dict.fromkeys(parents, next(iter(parents.values())))
        self._at[view] = {}
        for client, parent in parents.items():
            if isinstance(view.change.columns, Named):
                self._at[view][client] = view.change.columns.names
                continue
            positions = chosen[client]
            if not all(0 <= i < len(parent) for i in positions):
                problem = f"client {client!r} chose columns that it does not have."
                raise PeerError(problem).about(client)
            self._at[view][client] = tuple(parent[i] for i in positions)

    def of(self, view: View) -> dict[str, Key] | None:
        """Return the columns of a view at each client, or None if a transformer made them."""
        if view.is_target or view.is_transformed:
            return None
        return self._at.get(None if view.parent is None else view)

    def differ(self, view: View) -> bool:
        """Whether the clients have a view's columns in different orders."""
        return len(set((self.of(view) or {}).values())) > 1

    def unequal(self, view: View) -> tuple[str, str] | None:
        """Return two clients that chose different columns, if there are any."""
        columns = list((self.of(view) or {}).items())
        for client, names in columns[1:]:
            if set(names) != set(columns[0][1]):
                return columns[0][0], client
        return None

    def names(self, view: View) -> Key | None:
        """Return the columns in the first client's order."""
        columns = self.of(view)
        return next(iter(columns.values())) if columns else None

    def names_to_send(self, view: View) -> tuple[str, ...] | None:
        """Return the names that give a view one order at all clients, if their orders differ."""
        return self.names(view) if self.differ(view) else None  # type: ignore[return-value]

    def in_order(self, view: View, client: str, answer: Summary) -> Summary:
        """Return an answer with its columns in the first client's order."""
        columns = self.of(view)
        names = self.names(view)
        if columns is None or names is None or columns[client] == names:
            return answer
        place = {name: i for i, name in enumerate(columns[client])}
        return in_order(answer, [place[name] for name in names])


def is_by_name(change: Change) -> bool:
    """Return whether clients need not report what was selected: all but selections by position or rule."""
    return not isinstance(change, Select) or isinstance(change.columns, Named)
