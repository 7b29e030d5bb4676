"""What kind of times a dtype's name means, and columns in which clients differ in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache

from fedps.errors import Disagreement

NAIVE, LENGTHS = "times without a time zone", "lengths of time"
ZONED = "times in the zone "


@lru_cache(maxsize=1024)
def date_kind(dtype: str) -> str | None:
    """Return which kind of times a dtype is for; None if it is not for times.

    >>> date_kind("datetime64[us]") == date_kind("Datetime(time_unit='us', time_zone=None)") == NAIVE
    True
    >>> date_kind("datetime64[us, Europe/Oslo]"), date_kind("<m8[s]"), date_kind("<f8")
    ('times in the zone Europe/Oslo', 'lengths of time', None)
    """
    text = dtype.removeprefix("category:")
    lower = text.lower()
    if text.startswith(("<m8", ">m8")) or lower.startswith(("timedelta", "duration")):
        return LENGTHS
    if not lower.startswith(("<m8", ">m8", "datetime", "timestamp", "date")):
        return None
    zone = re.search(r"(?:\[\w+, |tz=|time_zone=)'?([\w/+:-]+)", text)
    return NAIVE if zone is None or zone[1] == "None" else ZONED + zone[1]


def check_date_kinds(column: str, dtypes: Mapping[str, str], family: Callable[[str], str]) -> None:
    """Raise Disagreement where clients have times of different kinds in a column, or text or numbers.

    ``dtypes`` has the dtype of the column at each client that has cells in it, and ``family`` gives
    'numbers', 'text' or 'other' for a dtype.
    """
    seen: dict[str, str] = {}
    for client, dtype in dtypes.items():
        kind = date_kind(dtype) or family(dtype)
        if kind != "other":
            seen.setdefault(kind, client)
    if len(seen) < 2 or seen.keys() <= {"numbers", "text"}:
        return
    times = next(kind for kind in seen if kind not in ("numbers", "text"))
    other = next(kind for kind in seen if kind != times)
    here, there = seen[times], seen[other]
    raise Disagreement(
        f"column {column!r} holds {times} at client {here!r} ({dtypes[here]}) and {other} at client "
        f"{there!r} ({dtypes[there]}). {_way(column, seen)}"
    )


def _way(column: str, seen: Mapping[str, str]) -> str:
    """Return the line of code that settles it, with pandas."""
    cells = f"table[{column!r}]"
    zoned = next((client for kind, client in seen.items() if kind.startswith(ZONED)), None)
    if "text" in seen:
        return f"At client {seen['text']!r}: {cells} = pandas.to_datetime({cells})."
    if zoned is None or "numbers" in seen or LENGTHS in seen:
        return "Convert it at one of them, or drop it at both."
    return (
        f"Write all of them in UTC without a zone. At client {zoned!r}: {cells} = "
        f'{cells}.dt.tz_convert("UTC").dt.tz_localize(None).'
    )
