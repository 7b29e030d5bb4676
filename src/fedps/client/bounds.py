"""How much work a server may make of a few bytes: large parameters, slow patterns, repeated columns.

In process the server is the user, and nothing is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import comb
from typing import Any

from fedps.learned import Learned
from fedps.protocol.limits import MAX_WIDTH
from fedps.protocol.messages import Except, Selection, Where
from fedps.statistics import BadCells

MOST = 100_000  # of anything that a parameter counts: bins, knots, quantiles, neighbours
STEEPEST = 20  # degree of a polynomial or spline
MOST_TIMES = 10  # that a column may be chosen, on average

MOST_REPEATS = 3  # in a pattern: a name of a hundred letters then takes a million steps at most
LONGEST_PATTERN = 500
_parser: Any = re._parser  # type: ignore[attr-defined]  # noqa: SLF001 - patterns have no other


def check_parameters(learned: Learned, width: int) -> None:
    """Refuse parameters that would make an estimator of unreasonable size from so many columns."""
    for name, value in learned.params.items():
        if any(isinstance(n, int) and n > MOST for n in _numbers(value)):
            raise BadCells("too much", what=f"{learned.estimator}({name}=...)")
    degree = max(_numbers(learned.params.get("degree", 0)), default=0)
    if degree > STEEPEST or (
        learned.estimator == "PolynomialFeatures" and comb(width + degree, degree) > MAX_WIDTH
    ):
        raise BadCells("too much", what=f"{learned.estimator}(degree=...)")
    for step in learned.steps:
        check_parameters(step, width)


def _numbers(value: Any) -> Iterator[Any]:
    """Yield the whole numbers of a parameter that is one, or a few of them."""
    for each in value if isinstance(value, tuple | list) else (value,):
        if isinstance(each, int) and not isinstance(each, bool):
            yield each


def check_repeats(chosen: list[int], width: int) -> None:
    """Refuse a choice of columns that takes the same ones over and over."""
    if len(chosen) > MOST_TIMES * max(width, MOST_TIMES):
        raise BadCells("too much", what="a choice of columns")


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
