"""What is wrong with a message, and in which field. Values are never quoted: they may be cells."""

from __future__ import annotations

import re
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import msgspec

from fedps.protocol.unfolded_size import item_at

AT, TAG = " - at ", "type"


def explain_error(error: Exception, data: Any, kind: Any) -> str:
    """Return a decoder's error as a sentence that names the field, and types and lengths only.

    >>> from msgspec import Struct
    >>> class Point(Struct, array_like=True):
    ...     x: int
    >>> explain_error(Exception("Expected `int`, got `str` - at `$[0]`"), b"", Point)
    'x must be `int`, not `str`'
    """
    indices = re.findall(r"\[(\d+|\.\.\.)\]", str(error).partition(AT)[2])
    return f"{_walk(kind, indices, memoryview(data)) or 'it'} {explain_rule(error)}"


def explain_rule(error: Exception) -> str:
    """Return only what is wrong. Texts that quote no value pass; all others are replaced."""
    text = str(error).partition(AT)[0]
    if text.startswith(OUR_VERBS):
        return text
    if text.startswith("Expected "):
        return "must be " + text.removeprefix("Expected ").replace(", got ", ", not ")
    if isinstance(error, RecursionError):
        return "is nested too deeply"
    if text.startswith(("Invalid value", "Invalid enum")):
        return "is not one of the known words"
    if "truncated" in text:
        return "is cut short"
    return "has bytes left over" if "trailing" in text else "is malformed"


OUR_VERBS = ("has ", "is ", "must ", "repeats ", "unfolds ")


def _walk(kind: Any, indices: list[str], data: memoryview) -> str:
    """Return the names of the fields along a path of positions."""
    names, place = "", 0
    for index in indices:
        position = int(index) if index.isdigit() else -1
        struct = _struct(kind, data, place)
        if struct is not None and position >= 0:
            tagged = struct.__struct_config__.tag is not None
            name, kind = _field(struct, position - tagged)
            names += f".{name}"
        else:
            tag = position == 0 and any(map(_is_struct, _alternatives(kind)))
            names += f".{TAG}" if tag else f"[{index}]"
            kind = _item(kind)
        place = item_at(data, place, position)
    return names.removeprefix(".")


def _field(struct: Any, position: int) -> tuple[str, Any]:
    """Return the name and the type of a struct's field; the tag stands before the first."""
    fields = struct.__struct_fields__
    if not 0 <= position < len(fields):
        return TAG, None
    return fields[position], get_type_hints(struct, include_extras=True).get(fields[position])


def _alternatives(kind: Any) -> list[Any]:
    """Return the types that a type may be, without what annotates them."""
    origin = get_origin(kind)
    if origin is Annotated:
        return _alternatives(get_args(kind)[0])
    if origin in (UnionType, Union):
        return [one for part in get_args(kind) for one in _alternatives(part)]
    return [kind]


def _is_struct(kind: Any) -> bool:
    return hasattr(kind, "__struct_fields__")


def _struct(kind: Any, data: memoryview, place: int) -> Any:
    """Return the struct that a type stands for; among several the one whose tag is in the data."""
    found = list(filter(_is_struct, _alternatives(kind)))
    if len(found) > 1:
        start = item_at(data, place, 0)
        tags = [msgspec.msgpack.encode(one.__struct_config__.tag) for one in found]
        here = [start >= 0 and data[start : start + len(tag)] == tag for tag in tags]
        found = [one for one, is_here in zip(found, here, strict=True) if is_here]
    return found[0] if found else None


def _item(kind: Any) -> Any:
    """Return the type of the items of a tuple or list."""
    for one in _alternatives(kind):
        if get_origin(one) in (tuple, list):
            return get_args(one)[0]
    return None
