"""How much work a server may make of a few bytes: large parameters, slow patterns, repeated columns.

In process the server is the user, and nothing is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import comb
from typing import Any

import numpy as np

from fedps.learned import Learned
from fedps.protocol.limits import MAX_JOURNAL, MAX_WIDTH
from fedps.protocol.messages import Except, Selection, Where
from fedps.statistics import BadCells

MOST_COUNTED = 100_000  # of anything that a parameter counts: bins, knots, quantiles, neighbours
STEEPEST = 20  # degree of a polynomial or spline
MOST_MADE_CELLS = 2**30  # of a table that is made from one in memory: 8 GB
MOST_TIMES = 10  # that a column may be chosen, on average
MOST_SAMPLES = 1000  # of the rows, in one fit

MOST_REPEATS = 3  # in a pattern: a name of a hundred letters then takes a million steps at most
LONGEST_PATTERN = 500
_parser: Any = re._parser  # type: ignore[attr-defined]  # noqa: SLF001 - patterns have no other


def check_parameter_sizes(learned: Learned) -> None:
    """Refuse parameters that no table is worth, also those of estimators inside."""
    for name, value in learned.params.items():
        if any(n > MOST_COUNTED for n in _numbers(value)):
            raise BadCells("too much", what=f"{learned.estimator}({name}=...)")
    if _largest(learned, "degree") > STEEPEST:
        raise BadCells("too much", what=f"{learned.estimator}(degree=...)")
    for step in learned.steps:
        check_parameter_sizes(step)


def check_width(learned: Learned, width: int) -> None:
    """Refuse an estimator that would make far too many columns of so many."""
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
    """Refuse to make a table of so many rows and columns in memory."""
    if width * rows > MOST_MADE_CELLS:
        raise BadCells("too much", what=f"a table of {width} columns")


def _largest(learned: Learned, name: str) -> int:
    return max(_numbers(learned.params.get(name, 0)), default=0)


def _numbers(value: Any) -> Iterator[int]:
    """Yield the whole numbers of a parameter that is one, or a few of them."""
    if isinstance(value, np.ndarray):
        value = value.ravel().tolist()
    for each in value if isinstance(value, tuple | list) else (value,):
        if isinstance(each, int | np.integer) and not isinstance(each, bool):
            yield int(each)


def check_repeats(chosen: list[int], width: int) -> None:
    """Refuse a choice of columns that takes the same ones over and over."""
    if len(chosen) > MOST_TIMES * max(width, MOST_TIMES):
        raise BadCells("too much", what="a choice of columns")


def check_samples(number: int) -> None:
    """Refuse one more sample, or folds, after so many in one fit: each is compared with all others."""
    if number >= MOST_SAMPLES:
        raise BadCells("too much", what=f"more than {MOST_SAMPLES} samples of the rows")


def check_journal(size: int) -> None:
    """Refuse to be told, and to keep, more than so many bytes in one fit."""
    if size > MAX_JOURNAL:
        raise BadCells("too much", what=f"more than {MAX_JOURNAL // 2**20} MB in one fit")


def check_patterns(selection: Selection) -> None:
    """Refuse a choice of columns by a pattern that can take very long on a column's name."""
    for part in selection.chosen if isinstance(selection, Except) else (selection,):
        if isinstance(part, Where) and part.pattern is not None:
            _check_pattern(part.pattern)


def _check_pattern(pattern: str) -> None:
    """Refuse a pattern that repeats too much.

    A repeat within a repeat, or a choice within one, can take time that doubles with every letter.
    """
    try:
        repeats = _repeats(_parser.parse(pattern), inside=False)
    except (re.error, RecursionError, OverflowError):
        raise BadCells("pattern") from None
    if len(pattern) > LONGEST_PATTERN or repeats > MOST_REPEATS:
        raise BadCells("pattern")


def _repeats(parsed: Any, *, inside: bool) -> int:
    """Return how often a pattern repeats something; too often where repeats are nested."""
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
