"""What kind of cells a dtype holds, by its name in NumPy, pandas, Arrow or polars."""

from __future__ import annotations

import re
from functools import lru_cache

_TEXT = ("str", "string", "large_string", "utf8")
_NUMBERS = ("int", "uint", "float", "double", "decimal")
_SIZES = {"i": "int", "u": "uint", "f": "float"}


@lru_cache(maxsize=1024)
def plain_name(dtype: str) -> str:
    """Return a dtype's name as pandas users know it, the same for all containers.

    >>> plain_name("<f8"), plain_name("Int64"), plain_name("<U5"), plain_name("large_string")
    ('float64', 'int64', 'str', 'str')
    >>> plain_name("category:|O"), plain_name("Boolean"), plain_name("|O")
    ('category', 'bool', 'object')
    >>> plain_name("Datetime(time_unit='us', time_zone=None)"), plain_name("timestamp[us, tz=UTC][pyarrow]")
    ('datetime64[us]', 'datetime64[us, UTC]')
    """
    name = dtype.removesuffix("[pyarrow]")
    if name[:1] in "<>|=" and len(name) > 1:
        kind, size = name[1], name[2:]
        if kind in _SIZES and size.isdigit():
            return f"{_SIZES[kind]}{8 * int(size)}"
        return {"U": "str", "O": "object", "b": "bool", "S": "bytes"}.get(kind, name[1:])
    lower = name.lower()
    if lower.startswith(_TEXT) and not lower.startswith("struct"):
        return "str"
    if lower.startswith(("category", "categorical", "enum", "dictionary")):
        return "category"
    if found := re.match(r"(?:datetime|timestamp|duration)[(\[](?:time_unit=')?(\w+)", lower):
        zone = re.search(r"(?:time_zone='|tz=)([\w/+-]+)", name)
        kind = "timedelta64" if lower.startswith("duration") else "datetime64"
        return f"{kind}[{found[1]}{f', {zone[1]}' if zone else ''}]"
    if lower.startswith("datetime64"):
        return name
    return {"boolean": "bool", "double": "float64"}.get(lower, lower)


def family(dtype: str) -> str:
    """Return 'numbers', 'text' or 'other' for a dtype's name.

    >>> family("float64"), family("<U5"), family("Int64"), family("|O")
    ('numbers', 'text', 'numbers', 'other')
    """
    name = plain_name(dtype)
    if name == "str":
        return "text"
    return "numbers" if name.startswith(_NUMBERS) else "other"
