"""Look: what is looked at, as a pipeline that clients consent to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from sklearn.compose import ColumnTransformer

from fedps.errors import UsageError
from fedps.learned.looks import (
    CorrelateNumbers,
    CrossCategories,
    DescribeCategories,
    DescribeDates,
    DescribeNumbers,
)
from fedps.looks.column_facts import ColumnFacts
from fedps.protocol.schemas.columns_of_kind import ColumnsOfKind

QUARTILES = (0.25, 0.5, 0.75)
MOST_ROW_GROUPS = 50


@dataclass(frozen=True)
class Look:
    """What a federation is to look at: for ``explain``, and for jobs on engines.

    Make one with :meth:`describe`, :meth:`crosstab` or :meth:`corr`; they take what the federation's methods of
    the same names take.

    Examples
    --------
    >>> import numpy as np
    >>> import fedps
    >>> federation = fedps.Federation([np.array([[1.0], [2.0]]), np.array([[4.0]])])
    >>> federation.explain(fedps.Look.describe()).rounds
    1
    """

    name: Literal["describe", "crosstab", "corr"]
    columns: tuple[Any, ...] | None = None
    percentiles: tuple[float, ...] = QUARTILES
    correlation: bool = True
    by: str | int | None = None
    groups: tuple[Any, ...] = ()

    @classmethod
    def describe(
        cls,
        columns: Sequence[Any] | None = None,
        *,
        by: str | int | None = None,
        percentiles: Sequence[float] = QUARTILES,
        correlation: bool = True,
    ) -> Look:
        """Return a look at each column.

        Examples
        --------
        >>> Look.describe(["age"]).columns
        ('age',)
        """
        if type(correlation) is not bool:
            raise UsageError(f"correlation is True or False; got {correlation!r}.")
        if by is not None:
            _columns([by])
        return cls("describe", _columns(columns), _shares(percentiles), correlation, by)

    @classmethod
    def crosstab(cls, row: Any, column: Any) -> Look:
        """Return a look at the pairs of categories of two columns.

        Examples
        --------
        >>> Look.crosstab("sex", "smokes").columns
        ('sex', 'smokes')
        """
        if row == column:
            raise UsageError(f"crosstab needs two columns; got {row!r} twice.")
        return cls("crosstab", _columns([row, column]))

    @classmethod
    def corr(cls, columns: Sequence[Any] | None = None) -> Look:
        """Return a look at the correlations of columns of numbers.

        Examples
        --------
        >>> Look.corr().name
        'corr'
        """
        return cls("corr", _columns(columns))

    @property
    def pipeline(self) -> Any:
        """The look as a ColumnTransformer, whose parts are looks at some columns."""
        if self.name == "crosstab":
            return ColumnTransformer([("crosstab", CrossCategories(), list(self.columns or ()))])
        parts: list[tuple[str, Any, Any]] = []
        if self.name == "describe":
            parts += self._described("", None)
            for number, value in enumerate(self.groups):
                parts += self._described(f" {number}", (self.by, value))
        if self.name == "corr" or self.correlation:
            parts.append(
                ("correlation", CorrelateNumbers(), ColumnsOfKind("numbers", self.columns))
            )
        return ColumnTransformer(parts)

    def _described(self, group: str, where: tuple[Any, Any] | None) -> list[tuple[str, Any, Any]]:
        """Return the parts that describe columns of each kind, of all rows or of a group."""
        looks: dict[str, Any] = {
            "numbers": DescribeNumbers(self.percentiles, where),
            "dates": DescribeDates(self.percentiles, where),
            "categories": DescribeCategories(where=where),
        }
        return [
            (kind + group, look, ColumnsOfKind(kind, self.columns)) for kind, look in looks.items()
        ]

    @property
    def first(self) -> Any:
        """The look at the groups: which categories the column of ``by`` has."""
        return ColumnTransformer([("groups", DescribeCategories(top=MOST_ROW_GROUPS), [self.by])])

    @property
    def parts(self) -> list[str]:
        """The names of the pipeline's parts."""
        return [name for name, _, _ in self.pipeline.transformers]

    def with_groups(self, found: ColumnFacts) -> Look:
        """Return the look with the categories that were found as its groups; UsageError if they are too many."""
        if found.unique is not None and found.unique > MOST_ROW_GROUPS:
            raise UsageError(
                f"by={self.by!r} has {found.unique:,} categories, and a description has at most {MOST_ROW_GROUPS} "
                "groups. Group them there, or choose another column."
            )
        values = [one.value for one in found.categories]
        return replace(self, groups=tuple(sorted(values)))

    def among(self, names: Sequence[Any]) -> Look:
        """Return the look at those of its columns that are among some."""
        if self.columns is None:
            return self
        return replace(self, columns=tuple(name for name in self.columns if name in names))


def _columns(columns: Iterable[Any] | None) -> tuple[Any, ...] | None:
    if columns is None:
        return None
    if isinstance(columns, str):
        raise UsageError(f"columns is a list of names, not one name: [{columns!r}].")
    found = tuple(c.item() if isinstance(c, np.generic) else c for c in columns)
    for name in found:
        if not isinstance(name, str | int) or isinstance(name, bool):
            raise UsageError(f"columns are names, or positions in arrays; got {name!r}.")
        if found.count(name) > 1:
            raise UsageError(f"column {name!r} is given twice.")
    return found


def _shares(percentiles: Any) -> tuple[float, ...]:
    try:
        found = tuple(float(share) for share in percentiles)
    except (TypeError, ValueError):
        raise UsageError(f"percentiles are shares from 0 to 1; got {percentiles!r}.") from None
    if not all(0 <= share <= 1 for share in found):
        raise UsageError(f"percentiles are shares from 0 to 1; got {percentiles!r}.")
    if len(set(found)) < len(found):
        raise UsageError(f"percentiles are given twice: {percentiles!r}.")
    return tuple(sorted(found))
