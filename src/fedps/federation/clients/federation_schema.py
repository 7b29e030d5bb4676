"""FederationSchema: the columns, dtypes and rows of all clients, as they tell them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from fedps.statistics import Schema

_MOST_SHOWN = 8  # clients beside one another: more do not fit on a screen


@dataclass(frozen=True, repr=False)
class FederationSchema:
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

    def __repr__(self) -> str:
        shown = self.clients[:_MOST_SHOWN]
        lines = [["column", *map(str, shown)]]
        lines += [[str(name), *(at.get(c, "-") for c in shown)] for name, at in self.dtypes.items()]
        if self.target:
            lines.append(["(target)", *(self.target.get(c, "-") for c in shown)])
        lines.append(["(rows)", *(str(self.rows[c]) for c in shown)])
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        texts = ["  ".join(map(str.ljust, line, widths)).rstrip() for line in lines]
        if more := len(self.clients) - len(shown):
            texts.append(f"... and {more} more clients")
        return "\n".join(texts)


def federation_schema(schemas: Mapping[Any, tuple[Schema, ...]]) -> FederationSchema:
    """Return the schemas of the clients' tables, and targets, by column.

    >>> table = Schema("pandas", ("age",), 1, ("float64",), 3)
    >>> federation_schema({"oslo": (table,), "bergen": (table,)})
    column  oslo     bergen
    age     float64  float64
    (rows)  3        3
    """
    dtypes: dict[Any, dict[Any, str]] = {}
    target = {}
    for client, (table, *rest) in schemas.items():
        for name, dtype in dtypes_by_column(table).items():
            dtypes.setdefault(name, {})[client] = dtype
        if rest:
            target[client] = next(iter(dtypes_by_column(rest[0]).values()))
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


def counted(number: int, what: str) -> str:
    """Return a number of things.

    >>> counted(1, "row"), counted(2, "row")
    ('1 row', '2 rows')
    """
    return f"{number} {what}" + "s" * (number != 1)


def first_few(names: Iterable[Any], what: str = "") -> str:
    """Return names in a line, the first of many, maybe after their number.

    >>> first_few(["age", "pain"], "column"), first_few(range(20))
    ('2 columns: age, pain', '0, 1, 2, 3, 4, 5, 6, 7, ...')
    """
    every = [str(name) for name in names]
    more = ", ..." if len(every) > _MOST_SHOWN else ""
    text = ", ".join(every[:_MOST_SHOWN]) + more
    return f"{counted(len(every), what)}: {text}" if what else text


def columns_of(schema: Schema) -> tuple[Any, ...]:
    """Return the names of a table's columns, or their positions if they have none."""
    return tuple(range(schema.width)) if schema.names is None else schema.names
