"""Fitted estimators in skops files, which run no code when they are read. Never pickle."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import FunctionType
from typing import Any
from urllib.parse import quote

from sklearn.base import BaseEstimator

from fedps.assembly import asking
from fedps.assembly.skops_io import skops_io
from fedps.errors import UsageError
from fedps.files.parts_files import (
    PARTS_SUFFIX,
    checked_parts_path,
    load_parts,
    save_parts,
)
from fedps.files.whole_files import check_folder, whole_file
from fedps.plans.registry import ASKING
from fedps.protocol.owners.kept_parts import KeptParts

_SUFFIX = ".skops"
# What fitted objects of scikit-learn and FedPS hold and skops does not trust by itself. Every name was
# looked at: making one of these runs nothing of the file's choosing.
_TRUSTED = re.compile(
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

    A file is written completely or not at all.

    Parameters
    ----------
    fitted : estimator or dict of str to estimator
        What ``Federation.fit`` returned. With ``split="columns"`` that is a mapping, of which each
        client's part becomes a file: ``prep-oslo.skops`` and so on for ``prep.skops``. Over an engine the
        parts stay with their owners, and the file has what the server needs to predict.
    path : path
        Where to write it; it must end with ``.skops``, or with ``.parts`` if the parts stay elsewhere.

    Returns
    -------
    list of path
        The files that were written.

    Examples
    --------
    >>> import fedps, tempfile
    >>> from sklearn.preprocessing import StandardScaler
    >>> fitted = fedps.fit(StandardScaler(), [[[1.0]], [[3.0]]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     (path,) = fedps.save(fitted, f"{folder}/prep.skops")
    ...     fedps.load(path).mean_
    array([2.])
    """
    if isinstance(fitted, KeptParts):
        return [save_parts(fitted, path)]
    target = checked_path(path)
    if isinstance(fitted, Mapping):
        return [_save(part, part_path(target, str(client))) for client, part in fitted.items()]
    return [_save(fitted, target)]


def part_path(path: Path, client: str) -> Path:
    """Return the file for the part of a client.

    >>> part_path(Path("prep.skops"), "oslo/1").name
    'prep-oslo%2F1.skops'
    """
    return path.with_name(f"{path.stem}-{quote(client, safe=' ')}{path.suffix}")


def checked_path(path: str | Path) -> Path:
    """Return a path that a fitted estimator can be written to; UsageError if it cannot."""
    target = Path(path).expanduser()
    if target.suffix.lower() != _SUFFIX:
        raise UsageError(
            f"{str(path)!r}: fitted estimators are written as skops files, which are safe to open. "
            f"Use {target.with_suffix(_SUFFIX).name!r}."
        )
    check_folder(target)
    return target


def check_result_path(path: str | Path, split: str) -> None:
    """Raise UsageError for a path that what a fit over an engine gives cannot be written to."""
    if split == "columns":
        checked_parts_path(path)
    else:
        checked_path(path)


def check_can_be_saved(estimator: Any, *, split: str = "rows") -> None:
    """Raise UsageError if an estimator could not be saved once fitted, before it is fitted.

    Parameters
    ----------
    estimator : estimator
        Not fitted yet.
    split : {"rows", "columns"}, default="rows"
        How it will be fitted.
    """
    for part in _parts(estimator):
        name = type(part).__name__
        if split == "rows" and type(part) in ASKING:
            raise UsageError(
                f"a fitted {name} consists of the rows that it was fitted on, and these stay with the "
                "clients: it asks them whenever it is used, so it cannot be saved. Fit it in Python, with "
                "fedps.Federation, or use another estimator."
            )
        if isinstance(part, FunctionType) and "<" in part.__qualname__:
            raise UsageError(
                f"a saved estimator names its functions, and {part.__qualname__} has no name that could "
                "be found again, so it cannot be saved. Define it with def at the top of a module."
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
    dump = skops_io().dump
    with whole_file(path) as beside:
        dump(fitted, beside)
    return path


def load_fitted(path: str | Path, *, trust: Iterable[str] = ()) -> Any:
    """Return the fitted estimator in a skops file. It needs no fedps to be used.

    Parameters
    ----------
    path : path
        A file that ``fedps fit`` or ``fedps.save`` wrote.
    trust : iterable of str, optional
        Classes and functions in it that are neither scikit-learn's nor NumPy's, such as
        ``"prep.clip"``. They are imported, so name only what you know. A file that holds others is
        refused.

    Returns
    -------
    estimator
        A fitted scikit-learn object; of a file that ends with ``.parts``, what ``federation.predict`` takes.

    Examples
    --------
    >>> fitted = load_fitted("prep.skops")  # doctest: +SKIP
    """
    source = Path(path).expanduser()
    if not source.is_file():
        raise UsageError(f"there is no file {str(path)!r}.")
    if source.suffix.lower() == PARTS_SUFFIX:
        return load_parts(source)
    skops = skops_io()
    known = {trust} if isinstance(trust, str) else set(trust)
    if known and str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))  # where a file such as prep.py is looked for
    unknown = _read(source, lambda: skops.get_untrusted_types(file=source))
    strange = [name for name in unknown if name not in known and not _TRUSTED.fullmatch(name)]
    if strange:
        raise UsageError(
            f"{source.name} holds what is not part of scikit-learn: {', '.join(strange)}. If you know "
            f"where it comes from, name it as trusted: fedps.load(path, trust=[{strange[0]!r}]), or --trust "
            f"{strange[0]}."
        )
    return _read(source, lambda: skops.load(source, trusted=unknown))


def _read(path: Path, read: Callable[[], Any]) -> Any:
    try:
        return read()
    except (ImportError, AttributeError) as error:
        raise UsageError(
            f"{path.name} needs something that is not installed here: {error}. A function of a file "
            "such as prep.py is found next to that file: run the command in its folder."
        ) from error
    except Exception as error:
        raise UsageError(
            f"{path.name} is not a skops file, or was written by another version of skops."
        ) from error
