"""Description: what ``federation.describe`` gives."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fedps.looks.column_facts import ColumnFacts
from fedps.looks.correlation import Correlation, correlation_body
from fedps.looks.frames import row_per_column, row_per_group
from fedps.looks.groups import Group
from fedps.looks.page.description_page import column_tabs, page_notes
from fedps.looks.page.disclosures import disclosures
from fedps.looks.page.document import Tab, document, tabs
from fedps.looks.page.overview import overview
from fedps.looks.page.table_one import table_one
from fedps.looks.percentile_labels import percentile_labels
from fedps.looks.plain_values import json_text
from fedps.looks.shown import Shown
from fedps.looks.text_tables import group_section, kind_sections, note_section
from fedps.report.rendering import Section, count

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Description", "Group"]


@dataclass(frozen=True, repr=False)
class Description(Shown):
    """What the columns of all clients hold, as if their rows were in one place.

    A notebook shows it as a page; ``save`` writes this page to a file, and ``print`` shows tables.

    Attributes
    ----------
    clients : dict of str to int
        How many rows each client has.
    columns : tuple of ColumnFacts
        What is known of each column.
    percentiles : tuple of float
        Which quantiles the columns have, as shares from 0 to 1.
    by : object
        The column whose categories are the groups; None without groups.
    groups : tuple of Group
        The same for the rows of each category of ``by``.
    correlation : Correlation or None
        The correlation of all columns of numbers.
    left : list of dict
        What left the clients: statistic, columns, level, and what it shows.
    notes : tuple of str
        Sentences about clients that kept something back.
    split : {"rows", "columns"}
        Whether each client has some of the rows, or some of the columns.

    Examples
    --------
    >>> from fedps.looks.column_facts import ColumnFacts
    >>> age = ColumnFacts("age", "numbers", "float64", count=9, missing=1, mean=41.5, std=7.0,
    ...                   minimum=30.0, quantiles=(41.0,), maximum=60.0, unique=8)
    >>> city = ColumnFacts("city", "categories", "str", count=10, missing=0, unique=3, top="Oslo",
    ...                    marks={"freq": "< 5"})
    >>> found = Description({"north": 6, "south": 4}, (age, city), percentiles=(0.5,))
    >>> found
    2 columns of 10 rows at 2 sites
      site   rows
      -----  ----
      north     6
      south     4
    <BLANKLINE>
    Numbers
      column  count  missing  unique   mean  std  min  50%  max
      ------  -----  -------  ------  -----  ---  ---  ---  ---
      age         9        1       8  41.50    7   30   41   60
    <BLANKLINE>
    Categories
      column  count  missing  unique  top   freq
      ------  -----  -------  ------  ----  ----
      city       10        0       3  Oslo   < 5
    """

    clients: dict[str, int]
    columns: tuple[ColumnFacts, ...]
    percentiles: tuple[float, ...]
    by: Any = None
    groups: tuple[Group, ...] = ()
    correlation: Correlation | None = None
    left: list[dict[str, Any]] = field(default_factory=list)
    notes: tuple[str, ...] = ()
    split: str = "rows"

    @property
    def rows(self) -> int:
        """How many rows all clients have together; with ``split="columns"``, all have the same."""
        if self.split == "columns":
            return max(self.clients.values(), default=0)
        return sum(self.clients.values())

    def _title(self) -> str:
        columns, rows = count(len(self.columns), "column"), count(self.rows, "row")
        return f"{columns} of {rows} at {count(len(self.clients), 'site')}"

    def sections(self) -> list[Section]:
        """Return the tables to show."""
        sites = [(client, f"{rows:,}") for client, rows in self.clients.items()]
        first = Section(self._title(), ("site", "rows"), sites, frozenset({"rows"}))
        groups = [group_section(self.by, self.groups)] if self.groups else []
        kinds = kind_sections(self.columns, percentile_labels(self.percentiles))
        return [first, *kinds, *groups, *note_section(self.notes)]

    def to_pandas(self, *, groups: bool = True) -> pd.DataFrame:
        """Return the numbers as a data frame.

        It has a row per column of the clients, and what ``DataFrame.describe(include="all").T`` has,
        under the same names: ``count``, ``unique``, ``top``, ``freq``, ``mean``, ``std``, ``min``, the
        quantiles (``25%``) and ``max``; and ``missing``, the number of cells without a value. What a
        kind of column does not have is NaN or NA, and so is what clients kept back.

        With ``by=`` it has a row per group and two levels of columns, ``("age", "mean")``, as
        ``DataFrame.groupby(by).describe()`` has them.

        Parameters
        ----------
        groups : bool, default=True
            Whether to give the groups, if there are any. ``groups=False`` gives all rows together.

        Returns
        -------
        frame : pandas.DataFrame

        Examples
        --------
        >>> from fedps.looks.column_facts import ColumnFacts
        >>> age = ColumnFacts("age", "numbers", "float64", count=9, missing=1, mean=41.5, std=7.0,
        ...                   minimum=30.0, quantiles=(41.0,), maximum=60.0)
        >>> Description({"north": 10}, (age,), percentiles=(0.5,)).to_pandas().loc["age", "50%"].item()
        41.0
        """
        labels = percentile_labels(self.percentiles)
        if groups and self.by is not None:
            return row_per_group(self.groups, self.by, labels)
        return row_per_column(self.columns, labels)

    def to_json(self) -> str:
        """Return all that is known as JSON.

        What is not defined or kept back is null; ``marks``, ``notes`` and ``kept_back`` say why.
        """
        return json_text(self)

    def to_html(self) -> str:
        """Return the whole page as HTML: it contacts no address, and needs no other file."""
        labels = percentile_labels(self.percentiles)
        parts = column_tabs(self.clients, self.columns, labels)
        if self.correlation is not None and len(self.correlation.names) > 1:
            parts.append(Tab("correlation", "Correlation", correlation_body(self.correlation)))
        if self.groups:
            groups = table_one(self.by, self.groups, self.columns, self.rows, labels)
            parts.append(Tab("groups", f"Groups of {self.by}", groups))
        body = page_notes(self.notes) + overview(self.clients, self.columns, self.rows)
        return document(self._title(), body + tabs(parts, "Parts"), disclosures(self.left))
