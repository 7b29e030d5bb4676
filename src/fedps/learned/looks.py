"""What ``federation.describe``, ``crosstab`` and ``corr`` ask for, as parameters that clients consent to.

They stand in a pipeline where estimators stand, so that consent, questions, rules and the ledger are the same
for a look as for a fit; nothing is fitted.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from fedps.learned.described import BY_COLUMNS, Described


@dataclass(frozen=True)
class LookPart:
    """Base of all looks: their parameters are read as an estimator's are."""

    def get_params(self, deep: bool = False) -> dict[str, Any]:
        """Return the parameters."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


@dataclass(frozen=True)
class DescribeNumbers(LookPart):
    """Describes columns of numbers: count, mean, spread, quantiles.

    ``where`` is a column and a category: only the rows that have it are described. Default: all rows.
    """

    percentiles: tuple[float, ...] = (0.25, 0.5, 0.75)
    where: tuple[Any, Any] | None = None


@dataclass(frozen=True)
class DescribeDates(DescribeNumbers):
    """Describes columns of dates, as numbers of microseconds since 1970."""


@dataclass(frozen=True)
class DescribeCategories(LookPart):
    """Describes columns of categories: how many there are, and the ``top`` most frequent ones.

    ``where`` is as for numbers.
    """

    top: int = 10
    where: tuple[Any, Any] | None = None


@dataclass(frozen=True)
class CrossCategories(LookPart):
    """Counts the rows of each pair of categories of two columns."""


@dataclass(frozen=True)
class CorrelateNumbers(LookPart):
    """Correlates each two columns of numbers."""


def is_look(pipeline: Described | None) -> bool:
    """Whether a pipeline only looks at data: a ColumnTransformer of looks."""
    if pipeline is None or pipeline.estimator != BY_COLUMNS or not pipeline.steps:
        return False
    return all(step.estimator in LOOKS for step in pipeline.steps)


LOOKS: dict[str, type[LookPart]] = {
    "CorrelateNumbers": CorrelateNumbers,
    "CrossCategories": CrossCategories,
    "DescribeCategories": DescribeCategories,
    "DescribeDates": DescribeDates,
    "DescribeNumbers": DescribeNumbers,
}
