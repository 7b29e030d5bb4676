"""How the clients' tables fit together with ``split="columns"``: each holds different columns."""

from __future__ import annotations

from collections.abc import Mapping

from fedps.errors import Disagreement
from fedps.learned import BY_COLUMNS, Stand, branches_of
from fedps.protocol.plan import View
from fedps.protocol.pooled import Path, Pooled
from fedps.protocol.schemas import Columns, Key, Schemas, check_schema
from fedps.statistics import Schema, Summary
from fedps.statistics.cells.schema import Container


class OwnedColumns(Columns):
    """Which columns each place has at each client; no column is at two clients."""

    def pool(self, schemas: Schemas, pooled: Pooled) -> None:
        """Describe the columns of all clients side by side; Disagreement if they do not fit together."""
        tables = {client: both[0] for client, both in schemas.items()}
        for client, schema in tables.items():
            check_schema(client, schema)
        _check_rows(tables)
        _check_distinct(tables)
        pooled.widths = tuple(schema.width for schema in tables.values())
        pooled.table = schemas_side_by_side(list(tables.values()))
        self.learn_tables(schemas)

    def _extras_of(self, tables: Mapping[str, Schema]) -> dict[str, tuple[str, ...]]:
        """Return nothing: clients are expected to hold different columns."""
        return {}

    @property
    def notes(self) -> list[str]:
        """Nothing: there is nothing to reconcile."""
        return []

    def selectors_differ(self) -> bool:
        """Return False: the server chooses, of all clients' columns."""
        return False

    def stands(self) -> dict[str, Stand]:
        """Return where each client stands: all hold all rows."""
        return {client: Stand(number, slice(None)) for number, client in enumerate(self._tables)}

    def _found(self, path: Path) -> dict[str, tuple[int, ...]]:
        every = self._everywhere(path)
        return {c: tuple(i for own, i in every if own == c) for c in self._tables}

    def _everywhere(self, path: Path) -> list[tuple[str, int]]:
        """Return the columns at a place: of which client each is, and its position there."""
        if not path:
            return [(client, i) for client, own in self._tables.items() for i in range(own.width)]
        parents, around = self._everywhere(path[:-1]), self._by_path[path[:-1]]
        if around.estimator != BY_COLUMNS:
            return parents
        *given, _ = branches = list(branches_of(around))
        estimators = [columns for _, kept, columns in branches if kept is None]
        columns = estimators[path[-1]]
        if columns is None:
            taken = {i for _, _, own in given for i in own}
            columns = [i for i in range(len(parents)) if i not in taken]
        return [parents[i] for i in columns]

    def differ(self, path: Path) -> bool:
        """Return False: no column is at two clients, so no order can differ."""
        return False

    def unequal(self, path: Path) -> None:
        """Return None: clients are expected to hold different columns."""

    def names(self, view: View) -> Key | None:
        """Return the columns of all clients, one client after the other."""
        columns = self.of(view)
        return tuple(name for own in columns.values() for name in own) if columns else None  # type: ignore[return-value]

    def in_order(self, view: View, client: str, answer: Summary) -> Summary:
        """Return the answer as it is."""
        return answer


class KeyColumns(OwnedColumns):
    """The key column of each client, while rows are matched: clients have different rows, and names."""

    def pool(self, schemas: Schemas, pooled: Pooled) -> None:
        """Note that each client has one column: its key."""
        for client, both in schemas.items():
            check_schema(client, both[0])
        pooled.widths = (1,) * len(schemas)
        pooled.table = next(iter(schemas.values()))[0]
        self.learn_tables(schemas)


def schemas_side_by_side(tables: list[Schema]) -> Schema:
    """Return the schema of all tables' columns, one table after the other."""
    names = [schema.names or () for schema in tables]
    named = all(schema.names is not None or schema.width == 0 for schema in tables)
    dtypes = [schema.dtype(j) for schema in tables for j in range(schema.width)]
    empty, start = [], 0
    for schema in tables:
        empty += [start + j for j in schema.empty]
        start += schema.width
    return Schema(
        _container([schema.container for schema in tables if schema.width]),
        tuple(name for own in names for name in own) if named else None,
        start,
        tuple(dtypes),
        tables[0].rows,
        tuple(empty),
    )


def _check_rows(tables: Mapping[str, Schema]) -> None:
    (leader, first), *others = tables.items()
    if first.rows == 0:
        raise Disagreement(f"client {leader!r} has no rows. Check what was loaded there.")
    for client, schema in others:
        if schema.rows != first.rows:
            raise Disagreement(
                f"client {leader!r} has {first.rows} rows and client {client!r} has {schema.rows}. "
                "With split='columns', all clients must hold the same rows in the same order: keep the "
                "rows that all of them hold, sorted by a key."
            )


def _check_distinct(tables: Mapping[str, Schema]) -> None:
    owner: dict[str, str] = {}
    for client, schema in tables.items():
        for name in schema.names or ():
            if name in owner:
                raise Disagreement(
                    f"clients {owner[name]!r} and {client!r} both have a column {name!r}. Drop or rename "
                    "it at one of them, or name it as key= if it identifies rows."
                )
            owner[name] = client


def _container(kinds: list[Container]) -> Container:
    """Return the container of all columns side by side: if they differ, pandas if one is pandas."""
    if len(set(kinds)) == 1:
        return kinds[0]
    return "pandas" if "pandas" in kinds else "numpy"
