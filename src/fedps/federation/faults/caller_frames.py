"""without_our_frames: errors and warnings of a public call are at the caller's own line."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from fedps.errors import FedPSError
from fedps.report.said_once import said_once

_P = ParamSpec("_P")
_R = TypeVar("_R")

log = logging.getLogger("fedps")


def without_our_frames(method: Callable[_P, _R]) -> Callable[_P, _R]:
    """Return a method whose errors and warnings end at the caller's own line, without frames of FedPS.

    The logger ``fedps`` has the whole traceback at level DEBUG. Each warning comes once.
    """

    @wraps(method)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        try:
            with said_once():
                return method(*args, **kwargs)
        except FedPSError as error:
            log.debug("%s failed", method.__qualname__, exc_info=True)
            raise error.with_traceback(None) from None

    return call
