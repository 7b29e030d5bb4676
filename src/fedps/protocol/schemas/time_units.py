"""Times of different units: the same as categories, and other numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from fedps.errors import Disagreement
from fedps.protocol.plan import View
from fedps.protocol.schemas.columns import Columns
from fedps.protocol.schemas.date_kinds import LENGTHS, date_kind
from fedps.questions import MICROSECONDS
from fedps.statistics import Finite, Schema

_MAY_BE = re.compile("m8|date|time|duration", re.IGNORECASE)
_UNIT = re.compile(r"(?:\[|time_unit=')(\w+)")


@lru_cache(maxsize=1024)
def time_unit(dtype: str) -> str | None:
    """Return the unit that a dtype counts times in; None if it is not for times.

    >>> time_unit("datetime64[us, UTC]"), time_unit("Duration(time_unit='ms')"), time_unit("<f8")
    ('us', 'ms', None)
    >>> time_unit("Date"), time_unit("category:<M8[ns]")
    ('D', 'ns')
    """
    if _MAY_BE.search(dtype) is None or date_kind(dtype) is None:
        return None
    found = _UNIT.search(dtype)
    return "D" if found is None or found[1] == "day" else found[1]


def check_time_units(
    statistic: Any, view: View, columns: Columns, schemas: Mapping[str, tuple[Schema, ...]]
) -> None:
    """Raise Disagreement where clients count times in different units and a statistic reads numbers."""
    own = columns.of(view)
    reads = statistic.reads_numbers or isinstance(statistic, Finite)
    if own is None or view.of == MICROSECONDS or not reads:
        return
    seen: dict[int, tuple[str, str, str]] = {}  # of each column: client, unit, dtype
    for client, keys in own.items():
        schema = schemas[client][0]
        if not schema.rows or not any(map(time_unit, schema.dtypes)):
            continue
        for position, key in enumerate(keys):
            at = schema.names.index(str(key)) if schema.names else int(str(key))
            dtype = schema.dtype(at)
            unit = time_unit(dtype)
            if unit is None or at in schema.empty:
                continue
            first = seen.setdefault(position, (client, unit, dtype))
            if first[1] != unit:
                raise _other_unit(key, first, (client, unit, dtype))


def _other_unit(key: Any, first: tuple[str, str, str], other: tuple[str, str, str]) -> Disagreement:
    """Return the error, with each side and the line of code that settles it."""
    (here, unit, own), (there, _, theirs) = first, other
    if isinstance(key, str):
        name, cells = repr(key), f"table[{key!r}]"
        line = f"{cells} = {cells}.dt.as_unit({unit!r})"
    else:
        name, line = f"number {key}", f"table.astype({own!r})"
    way = f"At client {there!r}: {line}."
    if date_kind(own) != LENGTHS and isinstance(key, str):
        way = f"Read it in one unit everywhere, dtypes={{{key!r}: 'datetime'}}. Or at client {there!r}: {line}."
    return Disagreement(
        f"column {name} counts times in other units at client {here!r} ({own}) than at client {there!r} "
        f"({theirs}), and this estimator reads them as numbers. {way}"
    )
