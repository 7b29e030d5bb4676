"""PolicyGate: refuses what a policy does not allow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from fedps.client.policy import Policy
from fedps.client.rules.units import Units
from fedps.client.tables import Table
from fedps.protocol.messages import Refusal
from fedps.statistics import Disclosure, Limits, Schema, Statistic, Summary
from fedps.statistics.base import Array

GIVES_NO_CELLS = "passes no cells of single rows on to others, unless fillings = true there"


class Drawn(NamedTuple):
    """How many rows a sample has, how many are outside, and how many distinguish it from another.

    ``for_each`` is how many rows the table has for each different sample so far: sums over as many samples
    as there are rows would determine the rows.
    """

    rows: int
    rest: int
    apart: int = 0  # 0 if there is no other sample
    for_each: int = 0  # 0 if there is no other sample


class PolicyGate:
    """Refuses what a policy does not allow.

    Each ``check_*`` method returns a refusal, which names the rule and says what the policy allows, or
    None. A refusal never carries a number that depends on the data: not even how many rows there are.
    """

    def __init__(self, policy: Policy, units: Units | None = None) -> None:
        self.policy = policy
        self.units = units

    @property
    def limits(self) -> Limits:
        """What an answer may show, for statistics that can show less."""
        rules = self.policy
        limits = Limits(Disclosure[rules.level], rules.max_share, rules.min_rows, rules.min_count)
        if self.units is not None:
            limits.sure_rows = self.units.sure(rules.min_rows)
            limits.sure_count = self.units.sure(rules.min_count)
        return limits

    @property
    def counts_cells(self) -> bool:
        """Whether it matters how many cells of a column are not missing."""
        return self.policy.min_rows > 0

    @property
    def counts_answers(self) -> bool:
        """Whether it matters what was told before."""
        rules = self.policy
        return rules.max_fits is not None or rules.max_share < 1 or rules.budget is not None

    @property
    def looks_at_cells(self) -> bool:
        """Whether cells that stand out matter, or whose cells they are."""
        rules = self.policy
        return rules.min_count > 0 or rules.unit is not None or rules.max_dominance is not None

    def check_fits(self, fits: int) -> Refusal | None:
        """Check that one more fit is allowed after ``fits`` fits."""
        most = self.policy.max_fits
        if most is not None and fits >= most:
            return Refusal("max_fits", f"allows {most} fits; all are used")
        return None

    def check_clients(self, clients: int) -> Refusal | None:
        """Check that enough clients take part."""
        least = self.policy.min_clients
        if clients < least:
            return Refusal("min_clients", f"needs {least} clients in a fit, and there are fewer")
        return None

    def check_rows(self, rows: int) -> Refusal | None:
        """Check that the table has enough rows. An empty table is exempt: there is nothing to show."""
        least = self.policy.min_rows
        found = rows if self.units is None or not rows else len(self.units.rows)
        if 0 < found < least:
            return Refusal("min_rows", f"needs {self._people(least)} and there are fewer")
        return None

    def check_matched(self, rows: int) -> Refusal | None:
        """Check that owners have enough rows in common."""
        least = self.policy.min_rows
        if rows < max(least, 1):
            limit = f"needs {max(least, 1)} rows that all clients have, and there are fewer"
            return Refusal("min_rows of matches", limit)
        return None

    def check_between_matches(self, *, close: bool) -> Refusal | None:
        """Check that rows differ from those of an earlier match by enough, or not at all."""
        if not close:
            return None
        limit = f"needs {self.policy.min_rows} rows between two matches, and there are fewer"
        return Refusal("min_rows between matches", limit)

    def _people(self, number: int) -> str:
        """Return a number of rows, or of those whose rows they are, in words."""
        if self.policy.unit is None:
            return f"{number} rows"
        return f"rows of {number} different {self.policy.unit!r}"

    def check_request(
        self, statistic: Statistic[Any, Any], rows: int, columns: Sequence[str]
    ) -> Refusal | None:
        """Check a statistic before it is computed."""
        level = self.policy.level
        if statistic.least > Disclosure[level]:
            limit = f"allows {level}, this needs {statistic.least.name}"
            return Refusal("level", limit, columns[0] if len(columns) == 1 else None)
        for column in columns:
            if not self.policy.offers(column):
                return Refusal("columns", "keeps it back", column)
        if statistic.gives_cells and not self.policy.fillings:
            return Refusal("fillings", GIVES_NO_CELLS)
        return self.check_rows(rows)

    def check_sample(self, drawn: Drawn | None) -> Refusal | None:
        """Check a sample of the rows, or folds.

        Neither the sample nor the rest may be too small, since the rest is what all rows minus the
        sample tell; nor may two samples of one fit differ by too few rows, for the same reason. And there
        must not be so many different samples that their sums determine the rows.
        """
        least = self.limits.sure_rows
        for some in drawn or ():
            if 0 < some < least:
                limit = (
                    f"needs {self.policy.min_rows} rows in each sample or fold, outside of it, between "
                    "two samples, and for each of them, and there are fewer"
                )
                return Refusal("min_rows of samples", limit)
        return None

    def check_summary(self, summary: Summary, columns: Sequence[str], rows: int) -> Refusal | None:
        """Check a summary before it leaves."""
        return (
            self._check_groups(summary, columns)
            or self._check_share(summary, columns, rows)
            or self._check_products(summary)
        )

    def check_cells(self, cells: Array, columns: Sequence[str]) -> Refusal | None:
        """Check that no number is computed from too few cells. All-missing columns are exempt."""
        thin = np.flatnonzero((np.atleast_1d(cells) > 0) & (cells < self.policy.min_rows))
        if not thin.size:
            return None
        values = "values" if self.policy.unit is None else f"different {self.policy.unit!r}"
        limit = f"needs {self.policy.min_rows} {values} in a column and there are fewer"
        return Refusal("min_rows", limit, _name(columns, int(thin[0])))

    def _check_groups(self, summary: Summary, columns: Sequence[str]) -> Refusal | None:
        """Check that no sum is over a group of too few rows."""
        least = max(self.limits.sure_rows, self.limits.sure_count)
        thin = np.flatnonzero(summary.groups() < least)
        if thin.size == 0:
            return None
        limit = f"needs {self.policy.min_rows} rows in each {summary.group}, and there are fewer"
        if summary.group != "category":
            return Refusal(f"min_rows of {summary.group}s", limit)
        return Refusal("min_rows of sums", limit, _name(columns, int(thin[0])))

    def _check_share(self, summary: Summary, columns: Sequence[str], rows: int) -> Refusal | None:
        """Check that not too many single cells of a column are shown."""
        single, most = summary.retained(), self.policy.max_share
        if (
            most >= 1
        ):  # no limit; there may be more values than rows, where cells are sets of labels
            return None
        cells = summary.support()
        over = np.flatnonzero(single > most * (cells if cells.shape == single.shape else rows))
        if over.size == 0:
            return None
        limit = f"shows at most {most:.0%} of a column's cells"
        return Refusal("max_share", limit, _name(columns, int(over[0])))

    def _check_products(self, summary: Summary) -> Refusal | None:
        """Check that not too many columns per row are multiplied: that would show the rows."""
        most = self.policy.max_share
        if summary.columns_per_row() <= most:
            return None
        limit = f"allows products of at most {most:.0%} as many columns as there are rows"
        return Refusal("max_share of products", limit)

    def offered(self, schema: Schema) -> list[int]:
        """Return the positions of the columns that may be asked about."""
        if schema.names is None:
            return list(range(schema.width))
        return [j for j, name in enumerate(schema.names) if self.policy.offers(name)]

    def shown_schemas(self, own: Table, *, about_target: bool) -> tuple[Schema, ...]:
        """Return the schema of a table, and of its target if that is asked about and offered."""
        table, target = self.offered_schema(own.schema()), own.target_schema()
        offered = about_target and self.policy.offers(own.target_name or "target")
        return (table, target) if offered and target is not None else (table,)

    def offered_schema(self, schema: Schema) -> Schema:
        """Return a schema without the columns that are kept back."""
        kept = self.offered(schema)
        if len(kept) == schema.width:
            return schema
        names = schema.names or ()
        dtypes = schema.dtypes if len(schema.dtypes) == 1 else [schema.dtypes[j] for j in kept]
        empty = tuple(i for i, j in enumerate(kept) if j in schema.empty)
        chosen = tuple(names[j] for j in kept)
        return Schema(schema.container, chosen, len(kept), tuple(dtypes), schema.rows, empty)


def _name(columns: Sequence[str], position: int) -> str | None:
    """Return the name of a column; None for one that a transformer made."""
    return columns[position] if position < len(columns) else None
