"""Times of different units: the same as categories, and other numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from fedps.errors import Disagreement
from fedps.protocol.plan import View
from fedps.protocol.schemas.columns import Columns
from fedps.protocol.schemas.date_kinds import LENGTHS, date_kind
from fedps.protocol.schemas.pool_schemas import Schemas
from fedps.questions import MICROSECONDS
from fedps.statistics import Finite

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


Counting = tuple[str, str, str]  # a client, its unit, and its dtype


class OtherUnits(NamedTuple):
    """A column of times, by its name or position, and two clients that count in other units."""

    key: str | int
    first: Counting
    other: Counting

    def error(self, why: str) -> Disagreement:
        """Return the error, with why it matters, each side and the line of code that settles it."""
        (here, _, own), (there, _, theirs) = self.first, self.other
        name = repr(self.key) if isinstance(self.key, str) else f"number {self.key}"
        return Disagreement(
            f"column {name} counts times in other units at client {here!r} ({own}) than at client {there!r} "
            f"({theirs}), and {why}. {' Or '.join(self._ways())}"
        )

    def _ways(self) -> Iterator[str]:
        """Yield what settles it: everywhere, and at the client whose table can have the other's unit."""
        at = "At"
        if date_kind(self.first[2]) != LENGTHS and isinstance(self.key, str):
            yield f"Read it in one unit everywhere, dtypes={{{self.key!r}: 'datetime'}}."
            at = "at"
        for side, wanted in ((self.other, self.first), (self.first, self.other)):
            line = _line(self.key, side[2], wanted)
            if line is not None:
                yield f"{at} client {side[0]!r}: {line}."
                return


def _line(key: str | int, dtype: str, wanted: Counting) -> str | None:
    """Return the line of code that has a column in another's unit; None where the library lacks it."""
    _, unit, like = wanted
    if isinstance(key, int):
        return f"table.astype({like!r})"
    if dtype.startswith(("Date", "Duration")):  # of polars
        kind = "Duration" if date_kind(like) == LENGTHS else "Datetime"
        return (
            None
            if unit in ("s", "D")
            else f"table = table.cast({{{key!r}: polars.{kind}({unit!r})}})"
        )
    cells = f"table[{key!r}]"
    return None if unit == "D" else f"{cells} = {cells}.dt.as_unit({unit!r})"


def other_units(own: Mapping[str, Sequence[str | int]], schemas: Schemas) -> Iterator[OtherUnits]:
    """Yield the columns in which clients count times in different units.

    ``own`` are the columns at each client, in one order. Those that are all missing have no unit.
    """
    seen: dict[int, Counting] = {}
    found: set[int] = set()
    for client, keys in own.items():
        schema = schemas[client][0]
        if not schema.rows or not any(map(time_unit, schema.dtypes)):
            continue
        for position, key in enumerate(keys):
            at = schema.names.index(str(key)) if schema.names else int(str(key))
            dtype = schema.dtype(at)
            unit = time_unit(dtype)
            if unit is None or at in schema.empty or position in found:
                continue
            first = seen.setdefault(position, (client, unit, dtype))
            if first[1] != unit:
                found.add(position)
                yield OtherUnits(key, first, (client, unit, dtype))


def check_time_units(statistic: Any, view: View, columns: Columns, schemas: Schemas) -> None:
    """Raise Disagreement where clients count times in different units and a statistic reads numbers."""
    own = columns.of(view)
    reads = statistic.reads_numbers or isinstance(statistic, Finite)
    if own is None or view.of == MICROSECONDS or not reads:
        return
    for found in other_units(own, schemas):
        raise found.error("this estimator reads them as numbers")
