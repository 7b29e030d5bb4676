"""load_pipeline: the estimator that ``prep.py:pipeline`` stands for."""

from __future__ import annotations

import sys
import traceback
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from sklearn.base import BaseEstimator

from fedps.errors import UsageError, did_you_mean

_FORM = "prep.py:pipeline (a file and a name in it) or package.module:name"


def load_pipeline(where: str) -> Any:
    """Return the estimator that a name in a Python file or module stands for.

    Parameters
    ----------
    where : str
        ``"prep.py:pipeline"`` or ``"package.module:pipeline"``. The name may also be that of a
        function without arguments that returns the estimator. The file is run like a script.
    """
    place, colon, name = where.rpartition(":")
    if not colon or not name or _is_drive(place):
        place, name = where, ""
    if not place:
        raise UsageError(f"{where!r} does not name a file. Write {_FORM}.")
    module = _from_file(Path(place)) if _is_file(place) else _from_module(place)
    if not name:
        raise UsageError(f"{where!r} does not say which estimator. {_offer(place, module)}")
    return _estimator(where, name, place, module)


def _is_drive(place: str) -> bool:
    """Whether this is a letter of a drive, as in front of a path on Windows, and not a file."""
    return len(place) == 1 and place.isalpha() and not Path(place).exists()


def _is_file(place: str) -> bool:
    return place.endswith(".py") or "/" in place or "\\" in place


def _from_file(path: Path) -> ModuleType:
    """Return the module that a file makes when it is run."""
    if not path.is_file():
        beside = [file.name for file in path.parent.glob("*.py")] if path.parent.is_dir() else []
        raise UsageError(f"there is no file {str(path)!r}.{did_you_mean(path.name, beside)}")
    if path.suffix != ".py":
        raise UsageError(f"{str(path)!r} is not a Python file. Write {_FORM}.")
    full = path.resolve()
    spec = spec_from_file_location(_module_name(full), full)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    if str(full.parent) not in sys.path:  # its neighbours can be imported, as by a script
        sys.path.insert(0, str(full.parent))
    before = sys.modules.get(spec.name)
    sys.modules[spec.name] = module  # so that functions in it can be found by their names
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        if before is None:
            del sys.modules[spec.name]
        else:
            sys.modules[spec.name] = before
        raise UsageError(f"{_place_of(error, full)}: {_what(error)}") from error
    return module


def _module_name(path: Path) -> str:
    """Return the name that ``import`` would give a file, unless something else has it already."""
    known = sys.modules.get(path.stem)
    taken = known is not None and getattr(known, "__file__", None) != str(path)
    return f"fedps_file_{path.stem}" if taken or path.stem in sys.stdlib_module_names else path.stem


def _from_module(place: str) -> ModuleType:
    if "" not in sys.path and str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        return import_module(place)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{place}.".startswith(f"{error.name}."):
            hint = f" Or is it a file? Write {place}.py." if Path(f"{place}.py").is_file() else ""
            raise UsageError(f"there is no module {place!r}.{hint} Write {_FORM}.") from None
        raise UsageError(f"module {place!r}: {_what(error)}") from error
    except Exception as error:
        raise UsageError(f"module {place!r}: {_what(error)}") from error


def _place_of(error: BaseException, path: Path) -> str:
    """Return the file, and the line of it that an error comes from."""
    if isinstance(error, SyntaxError) and error.filename == str(path):
        return f"{path.name}, line {error.lineno}"
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame.lineno for frame in frames if frame.filename == str(path)]
    return f"{path.name}, line {own[-1]}" if own else path.name


def _what(error: BaseException) -> str:
    text = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _estimator(where: str, name: str, place: str, module: ModuleType) -> Any:
    """Return the estimator of that name in a module."""
    if not hasattr(module, name):
        hint = did_you_mean(name, [n for n in vars(module) if not n.startswith("_")])
        raise UsageError(f"{place} has no {name!r}.{hint or ' ' + _offer(place, module)}")
    found = getattr(module, name)
    if isinstance(found, type):
        raise UsageError(f"{where} is a class: it must be an instance, such as {name}().")
    if callable(found) and not hasattr(found, "fit"):
        try:
            found = found()
        except Exception as error:
            raise UsageError(
                f"{where} is a function, which is called without arguments: {_what(error)}"
            ) from error
    if not hasattr(found, "fit"):
        kind = type(found).__name__
        raise UsageError(f"{where} is a {kind}, not an estimator. {_offer(place, module)}")
    return found


def _offer(place: str, module: ModuleType) -> str:
    """Return a sentence with the estimators that a module has."""
    names = [n for n, value in vars(module).items() if isinstance(value, BaseEstimator)]
    shown = ", ".join(f"{place}:{name}" for name in names)
    return f"There is {shown}." if names else f"{place} has no estimator. Write {_FORM}."
