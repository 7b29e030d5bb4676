"""What kind of times a dtype's name means, and columns in which clients differ in it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from fedps.errors import Disagreement

NAIVE, ZONED, LENGTHS = "times without a time zone", "times with a time zone", "lengths of time"


@lru_cache(maxsize=1024)
def date_kind(dtype: str) -> str | None:
    """Return which kind of times a dtype is for; None if it is not for times.

    >>> date_kind("datetime64[ns]") == date_kind("Datetime(time_unit='us', time_zone=None)") == NAIVE
    True
    >>> date_kind("datetime64[us, Europe/Oslo]") == ZONED, date_kind("<m8[s]") == LENGTHS, date_kind("<f8")
    (True, True, None)
    """
    text = dtype.removeprefix("category:")
    if text.startswith(("<m8", ">m8")) or text.lower().startswith(("timedelta", "duration")):
        return LENGTHS
    if not text.lower().startswith(("datetime", "timestamp", "date", "<m8", ">m8")):
        return None
    zone = "time_zone=" in text and "time_zone=None" not in text
    zone = zone or ("time_zone" not in text and "tz=" in text)
    return ZONED if zone or ("[" in text and ", " in text.partition("[")[2]) else NAIVE


def check_date_kinds(column: str, dtypes: Mapping[str, str]) -> None:
    """Raise Disagreement where some clients have times of one kind in a column and others of another.

    ``dtypes`` has the dtype of the column at each client that has cells in it.
    """
    seen: dict[str, str] = {}
    for client, dtype in dtypes.items():
        if (kind := date_kind(dtype)) is not None:
            seen.setdefault(kind, client)
    if len(seen) < 2:
        return
    (one, here), (other, there) = list(seen.items())[:2]
    raise Disagreement(
        f"column {column!r} holds {one} at client {here!r} ({dtypes[here]}) and {other} at client "
        f"{there!r} ({dtypes[there]}). {_way(column, seen)}"
    )


def _way(column: str, seen: Mapping[str, str]) -> str:
    """Return the line of code that settles it."""
    if LENGTHS in seen:
        return "Convert it at one of them, or drop it at both."
    return (
        f"Write the same there as here: at client {seen[ZONED]!r}, with pandas, table[{column!r}] = "
        f'table[{column!r}].dt.tz_convert("UTC").dt.tz_localize(None), if the others are in UTC.'
    )
