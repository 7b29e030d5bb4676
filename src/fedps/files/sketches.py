"""Sketches as text, in commands and config files: ``exact``, ``kll:200``, ``items:1000``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fedps.errors import UsageError
from fedps.statistics import KLL, REQ, FrequentItems

_KINDS: dict[str, Mapping[str, type[Any]]] = {
    "quantiles": {"kll": KLL, "req": REQ},
    "frequent": {"items": FrequentItems},
}


def read_sketch(option: str, text: str | None) -> Any:
    """Return what ``quantiles=`` or ``frequent=`` takes, from a text such as ``kll:200``.

    Parameters
    ----------
    option : {"quantiles", "frequent"}
        Whose value the text is.
    text : str or None
        ``exact``, or a sketch and maybe its size. None is ``exact``.

    Examples
    --------
    >>> read_sketch("quantiles", "exact"), read_sketch("quantiles", "kll:400").k
    ('exact', 400)
    """
    if text is None or text.lower() == "exact":
        return "exact"
    kinds = _KINDS[option]
    kind, colon, size = text.lower().partition(":")
    if kind not in kinds or (colon and not (size.isascii() and size.isdigit())):
        ways = ", ".join(f"{name} or {name}:{kinds[name]().k}" for name in kinds)
        raise UsageError(f"--{option} {text!r}: must be exact, {ways}.")
    try:
        return kinds[kind](k=int(size)) if size else kinds[kind]()
    except ValueError as error:
        raise UsageError(f"--{option} {text!r}: {error}.") from None
