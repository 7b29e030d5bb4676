"""Fitted estimators in files: skops, which runs no code when it is read. Never pickle."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FunctionType
from typing import Any
from urllib.parse import quote

from sklearn.base import BaseEstimator

from fedps.assembly import asking
from fedps.errors import UsageError
from fedps.plans.registry import ASKING

SUFFIX = ".skops"
# What scikit-learn's own fitted objects hold, and skops does not trust by itself. Every name was
# looked at: making one of these runs nothing of the file's choosing.
OURS = re.compile(
    r"""
    fedps\.assembly\.owners\.\w+\.Part\w+
    | fedps\.learned\.owners\.\w+PartNumbers
    | numpy\.dtype
    | scipy\.interpolate\._bsplines\.BSpline
    | scipy\._lib\.array_api_compat\.numpy(\._aliases)?\.asarray
    | sklearn\.compose\._column_transformer\.(make_column_selector|_RemainderColsList)
    | sklearn\.impute\._iterative\.(IterativeImputer|_ImputerTriplet)
    """,
    re.VERBOSE,
)


def save_fitted(fitted: Any, path: str | Path) -> list[Path]:
    """Write a fitted estimator to a skops file; return the files written.

    What a fit split by columns gives becomes a file for each client: ``prep.skops`` becomes
    ``prep-oslo.skops`` and so on. A file is there as a whole or not at all.
    """
    target = checked_path(path)
    if isinstance(fitted, Mapping):
        return [_save(part, part_path(target, client)) for client, part in fitted.items()]
    return [_save(fitted, target)]


def part_path(path: Path, client: str) -> Path:
    """Return where the part of a client goes.

    >>> part_path(Path("prep.skops"), "oslo/1").name
    'prep-oslo%2F1.skops'
    """
    return path.with_name(f"{path.stem}-{quote(client, safe=' ')}{path.suffix}")


def checked_path(path: str | Path) -> Path:
    """Return a path that a fitted estimator can be written to; UsageError where it cannot."""
    target = Path(path).expanduser()
    if target.suffix.lower() != SUFFIX:
        raise UsageError(
            f"{str(path)!r}: fitted estimators are written as skops files, which are safe to open. "
            f"Call it {target.with_suffix(SUFFIX).name!r}."
        )
    return in_folder(target)


def in_folder(path: Path) -> Path:
    """Return a path in a folder that can be written to; UsageError where it cannot."""
    if not path.parent.is_dir():
        raise UsageError(f"{str(path)!r}: there is no folder {str(path.parent)!r}.")
    if not os.access(path.parent, os.W_OK):
        raise UsageError(f"{str(path)!r}: the folder {str(path.parent)!r} cannot be written to.")
    return path


def check_can_be_saved(estimator: Any, *, split: str = "rows") -> None:
    """Raise UsageError where the fitted form of an estimator could not be saved: before it is fitted."""
    for part in _parts(estimator):
        name = type(part).__name__
        if split == "rows" and type(part) in ASKING:
            raise UsageError(
                f"{name} is the rows that it was fitted on, and these stay with the clients: fitted, it "
                "asks them whenever it is used, so it cannot be saved. Fit it in Python, by "
                "fedps.Federation, or use another estimator."
            )
        if isinstance(part, FunctionType) and "<" in part.__qualname__:
            raise UsageError(
                f"a fitted estimator names its functions, and {part.__qualname__} has no name that "
                "could be found again: it cannot be saved. Define it with def, outside of functions."
            )


def _parts(value: Any) -> Iterator[Any]:
    """Yield all that an estimator is made of: estimators, functions, and what holds them."""
    yield value
    inner: Iterable[Any] = ()
    if isinstance(value, BaseEstimator):
        inner = value.get_params(deep=False).values()
    elif isinstance(value, Mapping):
        inner = value.values()
    elif isinstance(value, list | tuple):
        inner = value
    for item in inner:
        yield from _parts(item)


def _save(fitted: Any, path: Path) -> Path:
    if asking(fitted):
        check_can_be_saved(asking(fitted)[0].unfitted())
    from skops.io import dump

    with whole_file(path) as beside:
        dump(fitted, beside)
    return path


def load_fitted(path: str | Path, *, trust: Iterable[str] = ()) -> Any:
    """Return the fitted estimator in a skops file.

    ``trust`` names classes and functions in it that are neither scikit-learn's nor NumPy's, such as
    ``"prep.clip"``: these are imported, so name only what you know. A file that holds others is
    refused.
    """
    source = Path(path).expanduser()
    if not source.is_file():
        raise UsageError(f"there is no file {str(path)!r}.")
    from skops.io import get_untrusted_types, load

    known = set(trust)
    if known and str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))  # where a file such as prep.py is looked for
    unknown = _read(source, lambda: get_untrusted_types(file=source))
    strange = [name for name in unknown if name not in known and not OURS.fullmatch(name)]
    if strange:
        raise UsageError(
            f"{source.name} holds what is not scikit-learn's: {', '.join(strange)}. If you know where "
            f"it comes from, name it as trusted (--trust {strange[0]})."
        )
    return _read(source, lambda: load(source, trusted=unknown))


def _read(path: Path, read: Callable[[], Any]) -> Any:
    try:
        return read()
    except (ImportError, AttributeError) as error:
        raise UsageError(
            f"{path.name} needs something that is not installed here: {error}. A function of a file "
            "such as prep.py is found where that file lies: run the command there."
        ) from error
    except Exception as error:
        raise UsageError(
            f"{path.name} is no skops file, or one of another version of skops."
        ) from error


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Give a path beside another to write to; it takes that one's place once all went well."""
    try:
        handle, name = tempfile.mkstemp(
            prefix=f".{path.stem}-", suffix=path.suffix, dir=path.parent
        )
    except OSError as error:
        raise UsageError(f"{str(path)!r} cannot be written: {error.strerror}.") from None
    os.close(handle)
    beside = Path(name)
    try:
        yield beside
        beside.chmod(0o666 & ~_umask())  # mkstemp makes files that only their owner may read
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
