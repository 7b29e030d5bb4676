"""Correlation: what ``federation.corr`` gives."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from fedps.looks.formats import correlation_text, number_text
from fedps.looks.page.correlation_view import correlation_view, vif_notes
from fedps.looks.page.document import document
from fedps.looks.plain_values import json_text
from fedps.looks.shown import Shown
from fedps.looks.strongest_pairs import strongest_pairs
from fedps.looks.text_tables import note_section
from fedps.report.rendering import Section, count

if TYPE_CHECKING:
    import pandas as pd

Array = np.ndarray[Any, Any]

MOST_ACROSS = 8  # columns of a matrix in a terminal; of a wider one the strongest pairs are shown
MOST_PAIRS = 20


@dataclass(frozen=True, repr=False, eq=False)
class Correlation(Shown):
    """The correlation of each two columns, over the rows that have both cells.

    Attributes
    ----------
    names : tuple
        The columns.
    matrix : array
        Pearson's correlation, NaN where it is not defined.
    rows : array
        From how many rows each number is.
    vif : array
        The variance inflation factor of each column, over the rows without gaps: how many times larger
        the variance of its coefficient is than if no other column explained it.
    complete : int
        How many rows have no gaps.
    notes : tuple of str
        Sentences about clients that kept something back.
    marks : dict of (int, int) to str
        What to show where a number is kept back rather than not defined.

    Examples
    --------
    >>> found = Correlation(("age", "bmi"), np.array([[1, 0.5], [0.5, 1]]), np.full((2, 2), 40),
    ...                     np.array([1.3333, 1.3333]), complete=40)
    >>> found
    Correlation of 2 columns, VIF over 40 rows without gaps
            age   bmi    VIF
      ---  ----  ----  -----
      age  1.00  0.50  1.333
      bmi  0.50  1.00  1.333
    """

    names: tuple[Any, ...]
    matrix: Array
    rows: Array
    vif: Array
    complete: int
    notes: tuple[str, ...] = ()
    marks: dict[tuple[int, int], str] = field(default_factory=dict)

    def _title(self) -> str:
        return f"Correlation of {count(len(self.names), 'column')}"

    def sections(self) -> list[Section]:
        """Return the tables to show."""
        title = f"{self._title()}, VIF over {count(self.complete, 'row')} without gaps"
        names = [str(name) for name in self.names]
        table = (
            self._matrix(title, names) if len(names) <= MOST_ACROSS else self._pairs(title, names)
        )
        return [table, *note_section(self.notes)]

    def _matrix(self, title: str, names: list[str]) -> Section:
        header = ("", *names, "VIF")
        rows = [
            (name, *(self.cell_text(i, j) for j in range(len(names))), number_text(self.vif[i]))
            for i, name in enumerate(names)
        ]
        return Section(title, header, rows, frozenset(header[1:]))

    def _pairs(self, title: str, names: list[str]) -> Section:
        rows = [
            (names[i], names[j], self.cell_text(i, j), f"{int(self.rows[i, j]):,}")
            for i, j in strongest_pairs(self.matrix, MOST_PAIRS)
        ]
        header = ("column", "other column", "correlation", "rows")
        shown = f"{title}: the {len(rows)} strongest"
        return Section(shown, header, rows, frozenset(header[2:]))

    def cell_text(self, i: int, j: int) -> str:
        """Return a correlation as text: its mark if it is kept back."""
        mark = self.marks.get((i, j)) or self.marks.get((j, i))
        return mark or correlation_text(float(self.matrix[i, j]))

    def to_pandas(self) -> pd.DataFrame:
        """Return the correlations as ``DataFrame.corr`` lays them out.

        Returns
        -------
        frame : pandas.DataFrame
            NaN where a correlation is not defined or kept back.
        """
        import pandas as pd

        names = pd.Index(self.names, tupleize_cols=False)
        values = np.array(self.matrix, dtype=np.float64)
        for i, j in self.marks:
            values[i, j] = values[j, i] = np.nan
        return pd.DataFrame(values, index=names, columns=names)

    def vif_to_pandas(self) -> pd.Series[float]:
        """Return the variance inflation factors.

        Returns
        -------
        series : pandas.Series
            A number for each column.

        Examples
        --------
        >>> found = Correlation(("age", "bmi"), np.eye(2), np.full((2, 2), 40), np.ones(2), complete=40)
        >>> found.vif_to_pandas()
        age    1.0
        bmi    1.0
        Name: VIF, dtype: float64
        """
        import pandas as pd

        names = pd.Index(self.names, tupleize_cols=False)
        return pd.Series(np.asarray(self.vif, dtype=np.float64), index=names, name="VIF")

    def to_json(self) -> str:
        """Return the numbers as JSON: null where one is not defined, and ``marks`` where it is kept back."""
        pairs = [{"row": i, "column": j, "mark": mark} for (i, j), mark in self.marks.items()]
        found = {
            name: getattr(self, name) for name in ("names", "rows", "vif", "complete", "notes")
        }
        matrix = np.array(self.matrix, dtype=np.float64)
        for i, j in self.marks:
            matrix[i, j] = matrix[j, i] = np.nan
        return json_text({**found, "matrix": matrix, "marks": pairs})

    def to_html(self) -> str:
        """Return the whole page as HTML: it contacts no address, and needs no other file."""
        return document(self._title(), correlation_body(self))


def correlation_body(found: Correlation) -> str:
    """Return correlations as the body of a page, or as a part of another one."""
    drawn = correlation_view(found.names, found.matrix, found.rows, found.vif, found.marks)
    return drawn + vif_notes(found.complete, found.notes)
