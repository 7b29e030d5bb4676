"""How much work a server may cause by a few bytes: large parameters, slow patterns, repeated columns.

In process the server is the user, and there are no limits.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from fedps.protocol.limits import MAX_JOURNAL
from fedps.statistics import BadCells

# Each is far above what a fit that makes sense needs, and low enough that a client survives it: the most
# of what a parameter counts, which an estimator makes, keeps or repeats.
MOST_ELSE = 100_000
MOST_COUNTED = {
    "degree": 20,  # of a polynomial or spline
    "n_clusters": 4096,  # each is compared with each when a KMeans is rebuilt
    "n_knots": 4096,  # a spline's coefficients are a square of them
}
COUNTING = frozenset(
    {
        "cv",
        "degree",
        "max_iter",
        "n_bins",
        "n_clusters",
        "n_init",
        "n_knots",
        "n_nearest_features",
        "n_neighbors",
        "n_quantiles",
    }
)
MOST_CLASSES = 2**17  # of a target
MOST_SAMPLES = 1000  # samples of the rows in one fit: each is compared with all others

MOST_REPEATS = 3  # in a pattern: matching a name of 100 letters then takes at most 100**3 steps
LONGEST_PATTERN = 500
_parser: Any = re._parser  # type: ignore[attr-defined]  # noqa: SLF001 - patterns have no other


def check_parameters(estimator: str, params: Mapping[str, Any]) -> None:
    """Refuse parameters that are larger than any table needs."""
    for name in COUNTING & params.keys():
        if largest(params, name) > MOST_COUNTED.get(name, MOST_ELSE):
            raise BadCells("too much", what=f"{estimator}({name}=...)")
    splitter = params.get("cv")
    if isinstance(splitter, Mapping) and largest(splitter, "n_splits") > MOST_ELSE:
        raise BadCells("too much", what=f"{estimator}(cv=...)")


def largest(params: Mapping[str, Any], name: str) -> int:
    """Return the largest whole number in a parameter: itself, or one of a tuple, list or array."""
    value = params.get(name, 0)
    if isinstance(value, np.ndarray):
        value = value.ravel().tolist()
    every = value if isinstance(value, tuple | list) else (value,)
    whole = (int(n) for n in every if isinstance(n, int | np.integer) and not isinstance(n, bool))
    return max(whole, default=0)


def check_samples(number: int) -> None:
    """Refuse one more sample or folds after too many in one fit."""
    if number >= MOST_SAMPLES:
        raise BadCells("too much", what=f"more than {MOST_SAMPLES} samples of the rows")


def check_journal(size: int) -> None:
    """Refuse to keep more than ``MAX_JOURNAL`` bytes of what the server said in one fit."""
    if size > MAX_JOURNAL:
        raise BadCells("too much", what=f"more than {MAX_JOURNAL // 2**20} MB in one fit")


def check_pattern(pattern: str) -> None:
    """Refuse a pattern with too many repeats.

    A repeat inside a repeat, or alternatives inside one, can take time that doubles with every letter.
    """
    try:
        repeats = _repeats(_parser.parse(pattern), inside=False)
    except (re.error, RecursionError, OverflowError):
        raise BadCells("pattern") from None
    if len(pattern) > LONGEST_PATTERN or repeats > MOST_REPEATS:
        raise BadCells("pattern")


def _repeats(parsed: Any, *, inside: bool) -> int:
    """Return the number of repeats in a pattern; one too many if repeats are nested."""
    found = 0
    for kind, about in parsed:
        name = str(kind)
        if name in {"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"}:
            _, most, item = about
            if inside or most == 1:
                found += MOST_REPEATS + 1 if inside else _repeats(item, inside=False)
            else:
                found += 1 + _repeats(item, inside=True)
        elif name in {"BRANCH", "GROUPREF", "GROUPREF_EXISTS"} and inside:
            found += MOST_REPEATS + 1
        elif name == "BRANCH":
            found += sum(_repeats(part, inside=False) for part in about[1])
        elif name == "SUBPATTERN":
            found += _repeats(about[-1], inside=inside)
        elif name in {"ASSERT", "ASSERT_NOT"}:
            found += _repeats(about[1], inside=inside)
        elif name == "ATOMIC_GROUP":
            found += _repeats(about, inside=inside)
    return found
