"""Question: something that an estimator may ask at its place in a pipeline.

What follows from the pipeline is in the question itself, and both sides know it. Only what a search
chooses as it goes is free, and travels; the question bounds it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from msgspec import structs

from fedps.statistics import Statistic

AnyStat = Statistic[Any, Any]


class Of(NamedTuple):
    """What a question is about: a kind of table at its place; ``branch`` counts a ColumnTransformer's."""

    kind: str
    branch: int = 0


INPUT = Of("input")  # what comes into the estimator
OUTPUT = Of("output")  # what the estimator makes of its input
TARGET = Of("target")  # the target that belongs to the rows
SAMPLE = Of("sample")  # the rows of the input that the estimator draws
FOLDS = Of("folds")  # the input, each row in a fold
TRIAL = Of("trial")  # what the estimator makes of the input with numbers that are tried
MICROSECONDS = Of("microseconds")  # the input, whose dates are numbers of microseconds since 1970
QUERIES = Of("queries")  # rows to predict, as the fitted model gets them
WHOLE_TABLE = Of("table")  # the client's own table, whatever the place


def branch(number: int) -> Of:
    """Return what comes out of a branch of a ColumnTransformer."""
    return Of("branch", number)


class FitSetting(NamedTuple):
    """What a fit's questions depend on besides the estimator: what the user chose for the fit.

    ``quantiles`` and ``frequent`` are sketches; ``weight`` is the column of row weights; ``clients`` is how
    many take part; ``outputs`` says that transformed rows are wanted, by the user or a later step; ``across`` is for clients that
    hold different columns, and ``matches`` for those that look for the rows that all of them have.
    """

    quantiles: AnyStat | None = None
    frequent: AnyStat | None = None
    weight: str | None = None
    clients: int = 1
    outputs: bool = False
    across: bool = False
    matches: bool = False

    @property
    def weights(self) -> tuple[str | None, ...]:
        """The columns of row weights that may be used: a step need not use them, if there are some."""
        return (None,) if self.weight is None else (self.weight, None)


Bound = Callable[[Any], bool]
NextStep = Callable[[Any, Any], bool]


@dataclass(frozen=True)
class Question:
    """Something that may be asked at a place.

    Parameters
    ----------
    statistic : Statistic
        What is asked. Its free fields are only examples.
    free : tuple of str, default=()
        The fields that a search chooses.
    of : Of, default=INPUT
        What it is asked of.
    some : bool, default=False
        Whether it may be asked of some of the place's columns.
    times : int, default=1
        How often it may be asked in one fit, with different free numbers; of each column if ``some``.
    each : bool, default=False
        Whether it may be asked so often for each column that there is.
    within : callable, default=None
        Whether a statistic's free numbers are within their bounds.
    follows : callable, default=None
        Whether a statistic is the next step of a search, after the one that was asked before it; that is
        None for the first step.
    after : type, default=None
        The statistic that must have been asked before, of the same table.
    given : bool, default=False
        Whether it uses an array that each client is given for itself.
    sparse : bool, default=False
        Whether it is asked of sparse tables only.
    look : bool, default=False
        Whether it only looks at the data: the caller can do without columns that a policy keeps back, and is
        shown each client's own answer, too, unless its policy keeps that back.
    """

    statistic: AnyStat
    free: tuple[str, ...] = ()
    of: Of = INPUT
    some: bool = False
    times: int = 1
    each: bool = False
    within: Bound | None = None
    follows: NextStep | None = None
    after: type[AnyStat] | None = None
    given: bool = False
    sparse: bool = False
    look: bool = False

    def is_asked_by(self, statistic: AnyStat, of: Of, *, some: bool) -> bool:
        """Return whether a plan asks this question when it asks for a statistic."""
        if type(statistic) is not type(self.statistic) or of != self.of or (some and not self.some):
            return False
        mine, theirs = structs.asdict(self.statistic), structs.asdict(statistic)
        return all(_same(mine[name], theirs[name]) for name in mine if name not in self.free)

    def free_in(self, statistic: AnyStat) -> tuple[Any, ...]:
        """Return the free numbers of a statistic."""
        return tuple(getattr(statistic, name) for name in self.free)

    def filled(self, free: Sequence[Any]) -> AnyStat:
        """Return the statistic with free numbers."""
        return structs.replace(self.statistic, **dict(zip(self.free, free, strict=True)))

    def of_each(self, *kinds: Of) -> tuple[Question, ...]:
        """Return the same question of each of some kinds of tables."""
        return tuple(replace(self, of=of) for of in kinds)


Questions = Sequence[Question]
# the questions of an estimator, given its parameters as attributes
Declare = Callable[[Any, FitSetting], Questions]


def _same(one: Any, other: Any) -> bool:
    """Return whether two values are the same; NaN is the same as NaN, and 1 is not the same as True."""
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return np.array_equal(one, other, equal_nan=True)
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return one == other or (one != one and other != other)  # noqa: PLR0124 - only NaN differs
    return type(one) is type(other) and bool(one == other)
