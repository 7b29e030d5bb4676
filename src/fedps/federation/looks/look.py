"""Look: what is looked at, as a pipeline that clients consent to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from fedps.errors import UsageError

QUARTILES = (0.25, 0.5, 0.75)


@dataclass(frozen=True)
class Look:
    """What a federation is to look at: for ``explain``, and for jobs on engines.

    Make one with :meth:`describe`, :meth:`crosstab` or :meth:`corr`; they take what the federation's methods of
    the same names take.

    Parameters
    ----------
    name : {"describe", "crosstab", "corr"}
        What kind of look it is.
    columns : tuple, optional
        The columns that are looked at. Default: all columns.
    percentiles : tuple of float
        Which quantiles, as shares from 0 to 1.
    correlation : bool
        Whether a description has the correlations, too.
    by : str or int, optional
        The column whose categories are groups of rows.
    groups : tuple
        The categories of ``by``, once they are known.

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

        Parameters
        ----------
        columns, by, percentiles, correlation
            As for ``federation.describe``.

        Returns
        -------
        Look
            For ``federation.explain``.

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

        Parameters
        ----------
        row, column : str, or int in arrays
            The two columns.

        Returns
        -------
        Look
            For ``federation.explain``.

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

        Parameters
        ----------
        columns : list of names, or of positions in arrays, optional
            The columns to correlate. Default: all that hold numbers.

        Returns
        -------
        Look
            For ``federation.explain``.

        Examples
        --------
        >>> Look.corr().name
        'corr'
        """
        return cls("corr", _columns(columns))


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
