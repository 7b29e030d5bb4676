"""How much work a server may cause by a few bytes: large parameters, slow patterns, repeated columns.

In process the server is the user, and there are no limits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import comb
from typing import Any

import numpy as np

from fedps.learned import Learned
from fedps.protocol.limits import MAX_JOURNAL, MAX_WIDTH
from fedps.statistics import BadCells

# Each is far above what a fit that makes sense needs, and low enough that a client survives it.
MOST_COUNTED = 100_000  # of what these parameters count, which an estimator makes, keeps or repeats
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
STEEPEST = 20  # the degree of a polynomial or spline
MOST_MADE_CELLS = 2**30  # cells of a table that is derived from one in memory: 8 GB
MOST_POOLED_ROWS = 2**26  # rows of all clients from which a sample is drawn: half a GB
MOST_SAMPLES = 1000  # samples of the rows in one fit: each is compared with all others

MOST_REPEATS = 3  # in a pattern: matching a name of 100 letters then takes at most 100**3 steps
LONGEST_PATTERN = 500
_parser: Any = re._parser  # type: ignore[attr-defined]  # noqa: SLF001 - patterns have no other


def check_parameter_sizes(learned: Learned) -> None:
    """Refuse parameters that are larger than any table needs, also those of inner estimators."""
    for name in COUNTING & learned.params.keys():
        if _largest(learned, name) > MOST_COUNTED:
            raise BadCells("too much", what=f"{learned.estimator}({name}=...)")
    if _largest(learned, "degree") > STEEPEST:
        raise BadCells("too much", what=f"{learned.estimator}(degree=...)")
    for step in learned.steps:
        check_parameter_sizes(step)


def check_width(learned: Learned, width: int) -> None:
    """Refuse an estimator that would make too many columns from ``width`` columns."""
    # the number of output columns, as scikit-learn would compute it
    degree = _largest(learned, "degree")
    made = width
    if learned.estimator == "PolynomialFeatures":
        alone = learned.params.get("interaction_only") is True
        made = (
            sum(comb(width, k) for k in range(degree + 1))
            if alone
            else comb(width + degree, degree)
        )
    elif learned.estimator == "SplineTransformer":
        made = width * (_largest(learned, "n_knots") + degree)
    elif learned.estimator == "KBinsDiscretizer" and learned.params.get("encode") != "ordinal":
        made = width * _largest(learned, "n_bins")
    if made > MAX_WIDTH:
        raise BadCells("too much", what=f"{learned.estimator} of {width} columns")


def check_cells(width: int, rows: int) -> None:
    """Refuse to make a table with too many cells in memory."""
    if width * rows > MOST_MADE_CELLS:
        raise BadCells("too much", what=f"a table of {width} columns")


def _largest(learned: Learned, name: str) -> int:
    return max(_numbers(learned.params.get(name, 0)), default=0)


def _numbers(value: Any) -> Iterator[int]:
    """Yield the integers in a parameter: itself, or those of a tuple, list or array."""
    if isinstance(value, np.ndarray):
        value = value.ravel().tolist()
    for each in value if isinstance(value, tuple | list) else (value,):
        if isinstance(each, int | np.integer) and not isinstance(each, bool):
            yield int(each)


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
