"""read_policy: a policy from a TOML file. A mistake in it is an error with its line."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from msgspec import structs

from fedps.client.policy import Policy
from fedps.errors import UsageError, did_you_mean
from fedps.statistics import Disclosure

# What each key takes, and an example of it.
KEYS = {
    "preset": ("a text", 'preset = "strict"'),
    "level": ("a text", 'level = "SUMMARY"'),
    "unit": ("a text", 'unit = "patient_id"'),
    "min_rows": ("a whole number", "min_rows = 10"),
    "min_count": ("a whole number", "min_count = 5"),
    "max_share": ("a number from 0 to 1", "max_share = 0.33"),
    "budget": ("a number", "budget = 0.33"),
    "min_clients": ("a whole number", "min_clients = 3"),
    "max_dominance": ("a number from 0 to 1", "max_dominance = 0.9"),
    "allow": ("a list of column names", 'allow = ["age", "chol"]'),
    "deny": ("a list of column names", 'deny = ["name"]'),
    "max_fits": ("a whole number", "max_fits = 20"),
    "functions": ("a list of dotted names", 'functions = ["hospital.prep.clip"]'),
    "consent": ("a text", 'consent = "owner"'),
    "fillings": ("true or false", "fillings = true"),
    "own_numbers": ("true or false", "own_numbers = false"),
    "requesters": ("a list of names of users", 'requesters = ["lead@hospitals.org"]'),
}
_TYPE_NAMES = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}
DOTTED = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)+")


def read_policy(path: str | Path) -> Policy:
    """Return the policy in a TOML file: its keys are the parameters of ``Policy``.

    Keys that are not in the file have their defaults; an empty file is ``Policy()``. Any mistake is a
    UsageError with file and line: there is never a weaker policy than the one that was written.

    Parameters
    ----------
    path : str or Path
        The file.
    """
    file = Path(path).expanduser()
    text = _text(file)
    try:
        settings = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _syntax(file, text, error) from None
    preset = Policy()
    for key, value in settings.items():
        try:  # each key on its own, so that an error gets its line
            _check(key, value)
            if key == "preset":
                preset = Policy.preset(value)
            else:
                Policy(**{key: value})
        except UsageError as error:
            raise UsageError(f"{file.name}, line {_line_of(text, key)}: {error}") from None
    named = settings.pop("preset", None)
    for key, value in settings.items() if named is not None else ():
        if is_looser(key, value, getattr(preset, key)):
            raise UsageError(
                f"{file.name}, line {_line_of(text, key)}: {key} = {_toml(value)} allows more than the preset "
                f"{named!r}, where it is {_toml(getattr(preset, key))}. Keys beside a preset can only "
                "tighten it: choose another preset, or none."
            )
    return structs.replace(preset, **settings)


def is_looser(key: str, value: Any, than: Any) -> bool:
    """Return whether a value of a key allows more than another does.

    Examples
    --------
    >>> is_looser("min_rows", 5, 10), is_looser("budget", 0.1, None), is_looser("level", "ROWS", "SUMMARY")
    (True, False, True)
    """
    if key == "level":
        return Disclosure[value] > Disclosure[than]
    if key in _HIGHER_IS_TIGHTER:
        return bool(value < than)
    if key in _LOWER_IS_TIGHTER:  # None: no limit
        return than is not None and (value is None or value > than)
    if key == "consent":
        return bool(value == "policy" and than == "owner")
    return key in ("fillings", "own_numbers") and bool(value) and not than


_HIGHER_IS_TIGHTER = ("min_rows", "min_count", "min_clients")
_LOWER_IS_TIGHTER = ("max_share", "budget", "max_dominance", "max_fits")


def _toml(value: Any) -> str:
    if value is None:
        return "no limit"
    return json.dumps(value)


def misspelt(policy: Policy, columns: Iterable[str]) -> Iterator[str]:
    """Yield a sentence for each column that a policy names and that a table does not have."""
    known = list(columns)
    listed = {
        "allow": policy.allow,
        "deny": policy.deny,
        "unit": (policy.unit,) if policy.unit else (),
    }
    for key, names in listed.items():
        for name in names or ():
            if name not in known:
                yield f"{key} names a column {name!r}, which is not there.{did_you_mean(name, known)}"


def _text(file: Path) -> str:
    try:
        data = file.read_bytes()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise UsageError(f"the policy {str(file)!r} cannot be read: {reason}.") from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UsageError(f"{file.name}, line {line}: this is not UTF-8 text.") from None


def _syntax(file: Path, text: str, error: tomllib.TOMLDecodeError) -> UsageError:
    """Return the error for a file that is not TOML; the place is at the end of Python's message."""
    what, _, place = str(error).partition(" (at ")
    found = re.match(r"line (\d+)", place)
    line = int(found[1]) if found else text.rstrip().count("\n") + 1
    if what == "Cannot overwrite a value":
        what = "this key is there twice"
    if what == "Invalid value":
        what = "this is not a value: texts are in quotes, and lists of them in brackets"
    return UsageError(f"{file.name}, line {line}: {what[0].lower() + what[1:]}.")


def _check(key: str, value: Any) -> None:
    """Raise UsageError unless this is a key of a policy, with a value that it takes."""
    if key not in KEYS:
        if isinstance(value, dict):
            raise UsageError(f"a policy has no section {key!r}: its keys are not in sections.")
        hint = did_you_mean(key.lower(), KEYS)
        raise UsageError(f"a policy has no {key!r}.{hint} It has {', '.join(KEYS)}.")
    wanted, example = KEYS[key]
    if not _fits(wanted, value):
        kind = _TYPE_NAMES.get(type(value), "something else")
        kind = "a list of other things" if isinstance(value, list) else kind
        raise UsageError(f"{key} is {kind}: it must be {wanted}, such as {example}.")
    if key == "functions":
        for name in value:
            if not DOTTED.fullmatch(name):
                raise UsageError(f"{name!r} is not a dotted name of a function, such as {example}.")


def _fits(wanted: str, value: Any) -> bool:
    if wanted.startswith("a list"):
        return isinstance(value, list) and all(isinstance(item, str) for item in value)
    if wanted == "a text":
        return isinstance(value, str)
    if wanted == "true or false":
        return isinstance(value, bool)
    return type(value) is int or (wanted != "a whole number" and type(value) is float)


def _line_of(text: str, key: str) -> int:
    """Return the line where the setting of a key begins: the file is valid TOML.

    tomllib does not keep positions, so lines are parsed again, as few at a time as are valid.
    """
    held: list[str] = []
    start = 1
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), start=1):
        if not held and (not line.strip() or line.lstrip().startswith("#")):
            continue
        start = start if held else number
        held.append(line)
        if line.rstrip().endswith((",", "[")) and "#" not in line:
            continue  # a list that continues
        try:
            found = tomllib.loads("\n".join(held))
        except tomllib.TOMLDecodeError:
            continue  # a list or a text of several lines
        if key in found:
            return start
        held = []
    return start
