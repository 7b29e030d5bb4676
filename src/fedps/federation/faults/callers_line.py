"""Errors and warnings of a public call: at the caller's own line, warnings each once and without cells.

scikit-learn runs at every client, on chunks and on the server. What a pooled fit warns of once would
come up once for each of them, from within FedPS or scikit-learn.
"""

from __future__ import annotations

import logging
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from threading import Lock, local
from types import FrameType
from typing import Any, ParamSpec, TypeVar

from fedps.errors import FedPSError

_P = ParamSpec("_P")
_R = TypeVar("_R")

log = logging.getLogger("fedps")

_HOME = str(Path(__file__).parents[2])
_IN_BETWEEN = (_HOME, str(Path(warnings.__file__).with_name("contextlib.py")))
# clients may find it in other columns: a pooled call names them all
_COLUMNS = re.compile(r"(?<=Found unknown categories in columns \[)([\d, ]+)(?=\])")
# What scikit-learn says of its own calls where another thread is between two filters of warnings.
_OF_THREADS = "`sklearn.utils.parallel.delayed` should be used with"
_CELLS = re.compile(r"(?<=unknown class\(es\)) \[.*\](?= will be ignored)", re.DOTALL)

Said = dict[tuple[type[Warning], str], set[int]]

_lock = Lock()
_inside = 0
_before: Any = None
_said: Said = {}
_silent = local()


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


@contextmanager
def said_once() -> Iterator[None]:
    """Keep warnings back, and give each once when the last of the calls that run now is done.

    How warnings are shown belongs to the process, so the first caller takes it over and the last one
    gives it back, also if federations run in several threads. After an error nothing is said.
    """
    _begin()
    try:
        yield
    except BaseException:
        _end()
        raise
    found, frame = _end(), _caller()
    for (category, text), columns in found.items():
        warnings.warn_explicit(
            _COLUMNS.sub(", ".join(map(str, sorted(columns))), text),
            category,
            frame.f_code.co_filename,
            frame.f_lineno,
            frame.f_globals.get("__name__", "__main__"),
            frame.f_globals.setdefault("__warningregistry__", {}),
        )


@contextmanager
def nothing_said() -> Iterator[None]:
    """Drop the warnings of this thread, within ``said_once``; clients that run in others keep theirs."""
    _silent.now = True
    try:
        yield
    finally:
        _silent.now = False


def _begin() -> None:
    global _inside, _before, _said  # noqa: PLW0603 - as the setting itself
    with _lock:
        if _inside == 0:
            _before, _said = warnings.catch_warnings(), {}
            _before.__enter__()
            warnings.simplefilter("always")
            warnings.showwarning = _keep
        _inside += 1


def _end() -> Said:
    global _inside, _said  # noqa: PLW0603
    with _lock:
        _inside -= 1
        if _inside:
            return {}
        _before.__exit__(None, None, None)
        found, _said = _said, {}
        return found


def _keep(message: Any, category: type[Warning], *_: Any, **__: Any) -> None:
    """Note a warning; texts that differ in their columns only are one."""
    if getattr(_silent, "now", False):
        return
    text = _CELLS.sub("", str(message))
    if text.startswith(_OF_THREADS):
        return
    columns = {int(j) for found in _COLUMNS.findall(text) for j in found.split(",")}
    _said.setdefault((category, _COLUMNS.sub("0", text)), set()).update(columns)


def _caller() -> FrameType:
    """Return the innermost frame that is not of FedPS."""
    frame = sys._getframe()  # noqa: SLF001
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_IN_BETWEEN):
        frame = frame.f_back
    return frame
