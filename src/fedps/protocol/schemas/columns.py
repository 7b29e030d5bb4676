"""Columns: which of their own columns the clients have at each place of a pipeline."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from msgspec import structs

from fedps.errors import Disagreement
from fedps.learned import BY_COLUMNS, PIPELINE, Described, Stand, branches_of, places_of
from fedps.protocol.answers import Problem, raise_problems
from fedps.protocol.messages import Failure
from fedps.protocol.odd_clients import odd_clients
from fedps.protocol.plan import View
from fedps.protocol.pooled import Path, Pooled
from fedps.protocol.schemas.column_kinds import check_same_kinds
from fedps.protocol.schemas.extra_columns import check_extras, extra_columns
from fedps.protocol.schemas.pool_schemas import Schemas, pool_schemas, shared_names
from fedps.protocol.schemas.reconciled import notes_on_columns
from fedps.protocol.schemas.taken_columns import Choose, taken_columns
from fedps.statistics import BadCells, Schema

Key = tuple[str, ...] | tuple[int, ...]


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
    check : callable, optional
        What else tables of different dtypes must agree in: it gets their schemas once these fit together.
    """

    def __init__(
        self,
        pipeline: Described | None = None,
        choose: Choose | None = None,
        weight: str | None = None,
        check: Callable[[Schemas], None] | None = None,
    ) -> None:
        self._check = check
        self._choose = choose
        self._weight = weight
        self._pipeline = pipeline
        self._by_path: dict[Path, Described] = {}
        if pipeline is not None:
            self._by_path = {place.path: place.described for place in places_of(pipeline)}
        self._tables: dict[str, Schema] = {}
        self._at: dict[Path, dict[str, tuple[int, ...]]] = {}
        self._keys_at: dict[Path, dict[str, Key]] = {}
        self._taken: set[str | int] = set()  # columns that the pipeline takes, where clients differ
        self.extras: dict[str, tuple[str, ...]] = {}  # columns that not all clients have
        self.order: tuple[str, ...] | None = None

    def pool(self, schemas: Schemas, pooled: Pooled) -> None:
        """Describe the rows of all clients together; Disagreement where they do not fit.

        It is about the clients that differ from more than half of all, if there are such.
        """
        try:
            pool_schemas(schemas, pooled)
            self.learn_tables(schemas)
        except Disagreement as error:
            raise error.about(*odd_clients(list(schemas), self._fits(schemas))) from None
        pooled.names_at = self.names_at
        pooled.heights = tuple(both[0].rows for both in schemas.values())
        pooled.names = tuple(schemas)
        looks = {(both[0].names, both[0].dtypes) for both in schemas.values()}
        if self._check is not None and len(looks) > 1:
            self._check(schemas)

    def _fits(self, schemas: Schemas) -> Callable[[str, str], bool]:
        """Return whether the tables of two clients fit together: most look alike, so that few are compared."""
        looks = {client: structs.replace(both[0], rows=1) for client, both in schemas.items()}

        @cache
        def alike(one: Schema, other: Schema) -> bool:
            pair = {"one": (one,), "other": (other,)}
            own = Columns(self._pipeline, self._choose, self._weight)
            try:
                pool_schemas(pair, Pooled())
                own.learn_tables(pair)
            except Disagreement:
                return False
            return True

        return lambda one, other: alike(looks[one], looks[other])

    def stands(self) -> dict[str, Stand]:
        """Return where each client stands: its number, and its slice of the pooled rows."""
        found, start = {}, 0
        for number, (client, own) in enumerate(self._tables.items()):
            stop = start + own.rows
            found[client] = Stand(number, slice(start, stop))
            start = stop
        return found

    def learn_tables(self, schemas: Schemas) -> None:
        """Note each client's own columns; Disagreement where an estimator takes some that others lack."""
        tables = {client: both[0] for client, both in schemas.items()}
        if self.order is not None and set(shared_names(tables) or ()) != set(self.order):
            raise Disagreement("the clients' columns changed while they were asked. Start again.")
        self.extras = self._extras_of(tables)
        self._tables, self._at, self._keys_at = tables, {}, {}

    def _extras_of(self, tables: Mapping[str, Schema]) -> dict[str, tuple[str, ...]]:
        extras = extra_columns(tables)
        looks = {(own.container, own.names, own.dtypes) for own in tables.values()}
        if len(looks) > 1 and self._pipeline is not None and self._choose is not None:
            if extras:
                check_extras(self._pipeline, tables, self._choose, self._weight)
            self._taken = self._taken_of(tables)
            check_same_kinds(tables, self._taken)
        return extras

    def _taken_of(self, tables: Mapping[str, Schema]) -> set[str | int]:
        """Return the columns that the pipeline takes at some client: names, or positions in arrays."""
        assert self._pipeline is not None
        assert self._choose is not None
        found: set[str | int] = set()
        for own in tables.values():
            taken = taken_columns(self._pipeline, own, range(own.width), self._choose)
            found.update(taken if own.names is None else (own.names[i] for i in taken))
        return found

    @property
    def notes(self) -> list[str]:
        """What differs between the clients' tables and was reconciled."""
        return notes_on_columns(self._tables, self._taken) if self._tables else []

    @property
    def known(self) -> bool:
        """Whether the clients' columns are known."""
        return bool(self._tables)

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
            whole = cache(self._whole)  # most clients have tables that look alike
            tables = self._tables.items()
            return {c: whole(own.names, own.width, self.order_of(c)) for c, own in tables}
        parents, around = self._positions(path[:-1]), self._by_path.get(path[:-1])
        if around is None or around.estimator != BY_COLUMNS:
            return parents
        assert self._choose is not None
        branch = [i for i, (_, kept, _) in enumerate(branches_of(around)) if kept is None][path[-1]]
        found, problems = {}, []
        same: dict[Any, tuple[int, ...]] = {}  # most clients have tables that look alike
        for client, parent in parents.items():
            schema = self._tables[client]
            looks = (schema.container, schema.names, schema.width, schema.dtypes, parent)
            try:
                if looks not in same:
                    same[looks] = tuple(self._choose(schema, parent, around, branch))
                found[client] = same[looks]
            except BadCells as error:
                problems.append(Problem(client, None, Failure(error.rule, error.what)))
        known = [name for schema in self._tables.values() for name in schema.names or ()]
        raise_problems(problems, dict.fromkeys(known))
        return found

    def _whole(
        self, names: tuple[str, ...] | None, width: int, order: tuple[str, ...] | None
    ) -> tuple[int, ...]:
        """Return the positions of the columns of a table, in the order that holds there."""
        if names is None:
            return tuple(range(width))
        place = {name: i for i, name in enumerate(names)}
        return tuple(place[name] for name in order or names if name != self._weight)

    def order_of(self, client: str) -> tuple[str, ...] | None:
        """Return the order of a client's columns from now on: those that only some have are the last."""
        return None if self.order is None else (*self.order, *self.extras.get(client, ()))

    def at(self, path: Path) -> dict[str, Key] | None:
        """Return the columns at a place that is not behind a transformer, at each client.

        Without those that not all clients have: no estimator takes them.
        """
        if not self._tables:
            return None
        if path not in self._keys_at:
            keys = cache(_keys)
            self._keys_at[path] = {
                client: keys(own, self._tables[client].names, self.extras.get(client, ()))
                for client, own in self._positions(path).items()
            }
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
            if names != columns[0][1] and set(names) != set(columns[0][1]):
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

    def selectors_differ(self) -> bool:
        """Whether a rule, such as a dtype, chooses different columns at some clients."""
        looks = {(own.container, own.names, own.dtypes) for own in self._tables.values()}
        if len(looks) < 2 or self._choose is None:
            return False
        for path, around in self._by_path.items():
            if around.estimator == BY_COLUMNS and self._is_own(path):
                for branch, (_, _, columns) in enumerate(branches_of(around)):
                    by_rule = isinstance(columns, dict) and "slice" not in columns
                    if by_rule and len(self._choices(path, around, branch)) > 1:
                        return True
        return False

    def _is_own(self, path: Path) -> bool:
        """Whether the estimator at a place gets columns of the clients' own tables."""
        around = (self._by_path[path[:i]].estimator for i in range(len(path)))
        return all(i == 0 for i, one in zip(path, around, strict=True) if one == PIPELINE)

    def _choices(self, path: Path, around: Described, branch: int) -> set[Any]:
        """Return the different sets of columns that a branch takes; None is for one that cannot choose."""
        assert self._choose is not None
        found: set[Any] = set()
        for client, parent in self._positions(path).items():
            schema = self._tables[client]
            try:
                own = self._choose(schema, parent, around, branch)
                found.add(frozenset((schema.names or range(schema.width))[i] for i in own))
            except BadCells:
                found.add(None)
        return found


def _keys(positions: tuple[int, ...], names: tuple[str, ...] | None, extras: Sequence[str]) -> Key:
    """Return what a client's columns at some positions are called, without those that not all clients have."""
    if names is None:
        return positions
    return tuple(names[i] for i in positions if names[i] not in extras)


def order_among(columns: Mapping[str, Key] | None, client: str) -> list[int] | None:
    """Return a client's position of each column, in the first client's order; None if they agree."""
    if not columns or columns[client] == (names := next(iter(columns.values()))):
        return None
    place = {name: i for i, name in enumerate(columns[client])}
    return [place[name] for name in names]
