"""Crosstab: what ``federation.crosstab`` gives."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from fedps.looks.formats import value_text
from fedps.looks.page.document import document
from fedps.looks.page.heat_table import HeatCell, HeatRow, heat_table
from fedps.looks.page.markup import note_list, scrolled, text
from fedps.looks.plain_values import json_text, plain_value
from fedps.looks.shown import Shown
from fedps.looks.text_tables import note_section
from fedps.report.rendering import Section

if TYPE_CHECKING:
    import pandas as pd

Array = np.ndarray[Any, Any]

HIDDEN = "hidden"  # where no mark says more


@dataclass(frozen=True, repr=False, eq=False)
class Crosstab(Shown):
    """How many rows have each pair of categories of two columns.

    Attributes
    ----------
    row, column : object
        The two columns.
    rows, columns : tuple
        Their categories, sorted.
    counts : array
        The number of rows of each pair; of a cell that is hidden, those that clients show.
    hidden : array of bool
        Whether some client hides rows of a cell: it has more than ``counts`` says.
    marks : dict of (int, int) to str
        What to show in a cell that is hidden: "< 5", or why it is.
    notes : tuple of str
        Sentences about clients that kept something back.

    Examples
    --------
    >>> found = Crosstab("sex", "smokes", ("f", "m"), ("no", "yes"), np.array([[30, 12], [25, 0]]),
    ...                  np.array([[False, False], [False, True]]), {(1, 1): "< 5"})
    >>> found
    sex by smokes
      sex  no     yes     All
      ---  --  ------  ------
      f    30      12      42
      m    25     < 5  hidden
      All  55  hidden  hidden
    """

    row: Any
    column: Any
    rows: tuple[Any, ...]
    columns: tuple[Any, ...]
    counts: Array
    hidden: Array
    marks: dict[tuple[int, int], str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def _title(self) -> str:
        return f"{self.row} by {self.column}"

    def sections(self) -> list[Section]:
        """Return the tables to show."""
        names = [value_text(value) for value in self.columns]
        header = (str(self.row), *names, "All")
        rows = [
            (value_text(value), *(self.cell_text(i, j) for j in range(len(names))), total)
            for i, (value, total) in enumerate(zip(self.rows, self._totals(1), strict=True))
        ]
        rows.append(("All", *self._totals(0), self._total()))
        table = Section(self._title(), header, rows, frozenset(header[1:]))
        return [table, *note_section(self.notes)]

    def cell_text(self, i: int, j: int) -> str:
        """Return a cell as text: its mark if it is hidden."""
        if self.hidden[i, j]:
            return self.marks.get((i, j), HIDDEN)
        return f"{int(self.counts[i, j]):,}"

    def _totals(self, axis: int) -> list[str]:
        pairs = zip(self.counts.sum(axis), np.asarray(self.hidden.any(axis)), strict=True)
        return [_total_text(int(total), bool(hidden)) for total, hidden in pairs]

    def _total(self) -> str:
        return _total_text(int(self.counts.sum()), bool(self.hidden.any()))

    def to_pandas(self, *, margins: bool = False) -> pd.DataFrame:
        """Return the table as ``pandas.crosstab`` lays it out.

        Parameters
        ----------
        margins : bool, default=False
            Whether to add totals, called ``All``.

        Returns
        -------
        frame : pandas.DataFrame
            Whole numbers. Cells that are hidden, and totals with a hidden cell in them, are NA.

        Examples
        --------
        >>> found = Crosstab("sex", "smokes", ("f", "m"), ("no", "yes"), np.array([[30, 12], [25, 0]]),
        ...                  np.array([[False, False], [False, True]]), {(1, 1): "< 5"})
        >>> found.to_pandas(margins=True)
        smokes  no   yes   All
        sex
        f       30    12    42
        m       25  <NA>  <NA>
        All     55  <NA>  <NA>
        """
        import pandas as pd

        counts, hidden = self.counts.astype(np.int64), self.hidden.astype(bool)
        rows, columns = list(self.rows), list(self.columns)
        if margins:
            counts, hidden = _with_totals(counts, np.sum), _with_totals(hidden, np.any)
            rows, columns = [*rows, "All"], [*columns, "All"]
        frame = pd.DataFrame(
            counts,
            index=pd.Index(rows, name=self.row, tupleize_cols=False),
            columns=pd.Index(columns, name=self.column, tupleize_cols=False),
        )
        return frame.astype("Int64").mask(hidden) if hidden.any() else frame

    def to_json(self) -> str:
        """Return the table as JSON. Hidden cells are null, and ``marks`` lists them with their reason."""
        counts = plain_value(self.counts)
        marks = []
        for i, j in np.argwhere(self.hidden).tolist():
            counts[i][j] = None
            marks.append({"row": i, "column": j, "mark": self.marks.get((i, j), HIDDEN)})
        found = {"row": self.row, "column": self.column, "rows": self.rows, "columns": self.columns}
        return json_text({**found, "counts": counts, "marks": marks, "notes": self.notes})

    def to_html(self) -> str:
        """Return the whole page as HTML: it contacts no address, and needs no other file."""
        most = max(1, self.counts.max(initial=0))
        why = " ".join(self.notes) or "Kept back by the policy of a site."
        rows = [HeatRow(text(value), self._heat(i, most, why)) for i, value in enumerate(self.rows)]
        totals = [_total_cell(total) for total in (*self._totals(0), self._total())]
        head = (str(self.row), *map(value_text, self.columns), "All")
        table = heat_table(
            head, [*rows, HeatRow("All", totals, total=True)], caption=self._title(), kind="pairs"
        )
        about = f"How many rows have each pair of {self.row} and {self.column}."
        body = f'<p class="aside">{text(about)}</p>{scrolled(table, self._title())}{self._legend()}'
        return document(self._title(), body)

    def _frame_height(self) -> int:
        return min(720, 260 + 32 * (len(self.rows) + len(self.notes)))

    def _heat(self, i: int, most: int, why: str) -> list[HeatCell]:
        cells = [
            HeatCell(self.cell_text(i, j), hidden=why)
            if self.hidden[i, j]
            else HeatCell(self.cell_text(i, j), sqrt(float(self.counts[i, j]) / most))
            for j in range(len(self.columns))
        ]
        return [*cells, _total_cell(self._totals(1)[i])]

    def _legend(self) -> str:
        hidden = int(self.hidden.sum())
        shades = '<span><i class="shade"></i> more rows are darker</span>'
        if hidden:
            cells = f"{hidden} of {self.hidden.size} cells are hidden, and the totals that would tell them"
            shades += f'<span><i class="hatched"></i> {cells}</span>'
        return f'<p class="legend">{shades}</p>{note_list(self.notes)}'


def _total_cell(shown: str) -> HeatCell:
    why = "A cell that it adds up is hidden." if shown == HIDDEN else ""
    return HeatCell(shown, hidden=why)


def _total_text(total: int, hidden: bool) -> str:
    return HIDDEN if hidden else f"{total:,}"


def _with_totals(table: Array, add: Any) -> Array:
    """Return a table with what its rows, its columns and all of it add up to."""
    wider = np.column_stack([table, add(table, axis=1)])
    return np.vstack([wider, add(wider, axis=0)])
