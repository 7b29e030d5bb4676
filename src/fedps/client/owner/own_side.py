"""OwnSide: what only the owner of some columns has, while it is asked about its rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from fedps.statistics import BadCells


def _none() -> Any:
    raise BadCells("split")


class OwnSide(NamedTuple):
    """What a statistic may use of an owner's own; BadCells where there is no such thing.

    ``secret`` returns 32 random bytes that are the same throughout a fit, ``masking`` the owner's keys in it and a
    cipher, ``matching`` the owner's side of a match of keys.
    """

    secret: Callable[[], bytes] = _none
    masking: Callable[[], Any] = _none
    matching: Callable[[], Any] = _none
