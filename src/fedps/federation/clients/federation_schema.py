"""FederationSchema: the columns, dtypes and rows of all clients, as they tell them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fedps.report.rendering import Rendered, Section, as_text, count
from fedps.statistics import Schema

_MOST_SHOWN = 8  # clients beside one another: more do not fit on a screen
_UNLIMITED = 10**6  # a width: names of clients are not broken


@dataclass(frozen=True, repr=False)
class FederationSchema(Rendered):
    """What the clients' tables look like, without their cells.

    Attributes
    ----------
    rows : dict
        The number of rows of each client.
    dtypes : dict
        For each column, its dtype at each client that has it. Columns without names are called by their
        positions.
    target : dict
        The dtype of the target at each client that has one.
    """

    rows: dict[Any, int]
    dtypes: dict[Any, dict[Any, str]]
    target: dict[Any, str]

    @property
    def clients(self) -> tuple[Any, ...]:
        """The names of the clients."""
        return tuple(self.rows)

    @property
    def columns(self) -> tuple[Any, ...]:
        """The columns, in the order of the first client, then others."""
        return tuple(self.dtypes)

    def sections(self) -> list[Section]:
        """Return the table to show, with all clients beside one another."""
        clients, columns = count(len(self.rows), "client"), count(len(self.dtypes), "column")
        return [self._section(f"Schema: {clients}, {columns}", self.clients)]

    def _section(self, title: str, clients: Sequence[Any]) -> Section:
        header = ("column", *map(str, clients))
        rows = [(str(name), *(at.get(c, "-") for c in clients)) for name, at in self.dtypes.items()]
        targets = ("(target)", *(self.target.get(c, "-") for c in clients))
        numbers = ("(rows)", *(f"{self.rows[c]:,}" for c in clients))
        return Section(title, header, rows, totals=[targets, numbers] if self.target else [numbers])

    def _text(self, *, full: bool, colour: bool) -> str:
        """Return some clients beside one another, and the others below if all are wanted."""
        (whole,), clients = self.sections(), self.clients
        starts = range(0, len(clients), _MOST_SHOWN)
        texts = []
        for start in starts if full else starts[:1]:
            group = clients[start : start + _MOST_SHOWN]
            title = whole.title if start == 0 else f"Clients {start + 1} to {start + len(group)}"
            texts.append(as_text(self._section(title, group), _UNLIMITED))
        if not full and len(clients) > _MOST_SHOWN:
            more = len(clients) - _MOST_SHOWN
            texts.append(f"And {count(more, 'more client')}: {self.whole_by} shows them, too.")
        return "\n\n".join(texts)


def federation_schema(schemas: Mapping[Any, tuple[Schema, ...]]) -> FederationSchema:
    """Return the schemas of the clients' tables, and targets, by column.

    >>> table = Schema("pandas", ("age",), 1, ("float64",), 3)
    >>> federation_schema({"oslo": (table,), "bergen": (table,)})
    Schema: 2 clients, 1 column
      column  oslo     bergen
      ------  -------  -------
      age     float64  float64
      (rows)  3        3
    """
    dtypes: dict[Any, dict[Any, str]] = {}
    target = {}
    for client, (table, *rest) in schemas.items():
        for name, dtype in dtypes_by_column(table).items():
            dtypes.setdefault(name, {})[client] = dtype
        if rest:
            target[client] = target_dtype(rest[0])
    rows = {client: both[0].rows for client, both in schemas.items()}
    return FederationSchema(rows, dtypes, target)


def dtypes_by_column(schema: Schema) -> dict[Any, str]:
    """Return the dtype of each column of a table, as pandas or polars print it, or NumPy.

    >>> dtypes_by_column(Schema("numpy", None, 2, ("<f8",), 3))
    {0: 'float64', 1: 'float64'}
    """
    of_numpy = schema.container in ("numpy", "sparse")
    texts = [np.dtype(text).name if of_numpy else text for text in schema.dtypes]
    each = texts * schema.width if len(texts) == 1 else texts
    return dict(zip(columns_of(schema), each, strict=True))


def target_dtype(schema: Schema) -> str:
    """Return the dtype of a target."""
    return next(iter(dtypes_by_column(schema).values()))


def columns_of(schema: Schema) -> tuple[Any, ...]:
    """Return the names of a table's columns, or their positions if they have none."""
    return tuple(range(schema.width)) if schema.names is None else schema.names
