"""request_digest: what identifies the pipeline and the options that an owner consents to."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

import numpy as np
from msgspec import Struct, structs

from fedps.learned import Function, Numbers, Parameters
from fedps.protocol.codec import encode_part
from fedps.protocol.messages import Request
from fedps.protocol.packing.arrays import pack
from fedps.statistics.ragged import Ragged

NAME_LENGTH = 8  # hexadecimal digits of a digest that people read and type
_PLAIN_SCALARS = (np.bool_, np.int64, np.float64, np.str_)  # the same as those of Python


def request_digest(request: Request) -> str:
    """Return the digest of a request, as 32 hexadecimal digits.

    It covers the pipeline and the options of the fit. It covers how many clients take part only in
    a match, in which fewer clients learn more of one another; and not the names of the fit and of a match. It is equal for equal pipelines, in whatever order parameters were written, and
    differs as soon as an estimator, a parameter or an option does.
    """
    matches, matched = request.matches, request.match is not None
    names = {"fit": "match" if matches else None, "match": "matched" if matched else None}
    clients = request.clients if matches else 1
    about = structs.replace(request, clients=clients, **names)
    return blake2b(encode_part(_tagged(about)), digest_size=16).hexdigest()


def short_name(digest: str) -> str:
    """Return what a request is called: the first digits of its digest."""
    return digest[:NAME_LENGTH]


def _tagged(value: Any) -> Any:
    """Return a value in lists that begin with what they stand for: two that differ never look the same."""
    if isinstance(value, _PLAIN_SCALARS):
        value = value.item()
    if value is None or type(value) in (bool, int, str):
        return value
    if type(value) is float:
        return value if value == value else float("nan")  # noqa: PLR0124 - there are many NaNs
    if isinstance(value, Function):
        return ["function", value.name]
    if isinstance(value, Struct):
        return [type(value).__name__, *map(_tagged, structs.astuple(value))]
    if isinstance(value, Mapping | Numbers):
        kind = "named" if isinstance(value, Parameters | Numbers) else "dict"
        return [kind, *_sorted_items(value)]
    if isinstance(value, list | tuple | Ragged):
        return [type(value).__name__, *map(_tagged, value)]
    if isinstance(value, np.ndarray):
        return ["array", pack(value.astype(object) if value.dtype.kind == "U" else value)]
    return ["value", encode_part(value)]  # a dtype, a generator


def _sorted_items(items: Any) -> list[list[Any]]:
    """Return the items of a map in an order that does not depend on how they were written."""
    tagged = [[_tagged(key), _tagged(value)] for key, value in items.items()]
    return sorted(tagged, key=lambda item: encode_part(item[0]))
