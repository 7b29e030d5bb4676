"""Policy: what a client is willing to reveal. It lives at the client; no server can loosen it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from msgspec import Struct

from fedps.errors import UsageError
from fedps.protocol.messages import Refusal
from fedps.statistics import Disclosure, Limits, Schema, Statistic, Summary
from fedps.statistics.base import Array


class Drawn(NamedTuple):
    """How many rows a sample stands for, how many are left out, how many tell it from another."""

    rows: int
    rest: int
    apart: int = 0  # 0 where it is the only one


class Policy(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a client is willing to reveal.

    Parameters
    ----------
    level : {"AGGREGATE", "SUMMARY", "ROWS"}, default="SUMMARY"
        The most that any answer may show: sums over all rows; also values taken from cells, such as
        extremes and categories; also single rows.
    min_rows : int, default=10
        The fewest cells that a number may stand for. A client with fewer rows refuses everything,
        its row count included; a column with fewer values that are not missing is refused. Nothing
        at all (no rows, or a wholly missing column) is no secret.
    max_share : float, default=0.33
        The most single values of a numeric column that an answer may show, as a share of the
        column's cells: tables of distinct values, bins and the items of sketches. Where a table would
        show more, coarser bins or counts are sent instead, at the cost of rounds; a sketch is refused.
        Bins show at least the smallest and the largest value. Categories are not limited by it.
        Also the most columns, as a share of the rows, whose products with each other may be shown.
    allow : sequence of str, optional
        The only columns that may be asked about. All, if not given.
    deny : sequence of str, default=()
        Columns that are never spoken of: they do not even appear in the schema.
    max_fits : int, optional
        In how many fits this client takes part; ``explain`` counts as one. Its ledger counts them, so
        that a ledger file counts them over the life of that file. Any number, if not given.
    functions : sequence of str, default=()
        Dotted names of functions that a FunctionTransformer may run here, besides NumPy's and
        scipy.special's.

    Examples
    --------
    >>> import fedps
    >>> fedps.Policy(level="AGGREGATE", min_rows=20, deny=["ssn"]).min_rows
    20
    """

    level: str = "SUMMARY"
    min_rows: int = 10
    max_share: float = 0.33
    allow: Sequence[str] | None = None
    deny: Sequence[str] = ()
    max_fits: int | None = None
    functions: Sequence[str] = ()

    def __post_init__(self) -> None:
        if self.level not in Disclosure.__members__:
            known = ", ".join(Disclosure.__members__)
            raise UsageError(f"a policy's level is one of {known}; got {self.level!r}.")
        if type(self.min_rows) is not int or self.min_rows < 0:
            raise UsageError(f"a policy's min_rows is 0 or more; got {self.min_rows!r}.")
        if isinstance(self.max_share, bool | str) or not 0 <= self.max_share <= 1:
            raise UsageError(f"a policy's max_share is between 0 and 1; got {self.max_share!r}.")
        if self.max_fits is not None and (type(self.max_fits) is not int or self.max_fits < 0):
            raise UsageError(f"a policy's max_fits is 0 or more; got {self.max_fits!r}.")
        for field in ("allow", "deny", "functions"):
            if isinstance(getattr(self, field), str):
                raise UsageError(f"a policy's {field} is a list of names, not one name.")

    @classmethod
    def open(cls) -> Policy:
        """Return the policy that allows everything: the default in process, where all is yours."""
        return cls(level="ROWS", min_rows=0, max_share=1.0)

    @property
    def limits(self) -> Limits:
        """What an answer may show, for statistics that can show less."""
        return Limits(Disclosure[self.level], self.max_share, self.min_rows)

    def offers(self, column: str) -> bool:
        """Whether a column may be spoken of."""
        return column not in self.deny and (self.allow is None or column in self.allow)

    def before(
        self, statistic: Statistic[Any, Any], rows: int, columns: Sequence[str]
    ) -> Refusal | None:
        """Return why a statistic is refused before it is computed, or None."""
        if statistic.least > Disclosure[self.level]:
            limit = f"allows {self.level}, this needs {statistic.least.name}"
            return Refusal("level", limit, columns[0] if len(columns) == 1 else None)
        for column in columns:
            if not self.offers(column):
                return Refusal("columns", "keeps it back", column)
        return self.enough(rows)

    def enough(self, rows: int) -> Refusal | None:
        """Return why a table of so many rows is refused, or None."""
        if 0 < rows < self.min_rows:
            return Refusal("min_rows", f"needs {self.min_rows} rows and there are fewer")
        return None

    def another(self, fits: int) -> Refusal | None:
        """Return why one more fit is refused after so many, or None."""
        if self.max_fits is not None and fits >= self.max_fits:
            return Refusal("max_fits", f"takes part in {self.max_fits} fits, and has")
        return None

    def drawn(self, drawn: Drawn | None) -> Refusal | None:
        """Return why a part of the rows is refused, or None.

        Neither it nor the rest may be smaller than what a number must stand for: the rest is what
        the whole less the part tells. And so with the rows that tell two parts from each other.
        """
        for some in drawn or ():
            if 0 < some < self.min_rows:
                limit = (
                    f"needs {self.min_rows} rows in each sample or fold, outside of it, and between two "
                    "samples, and there are fewer"
                )
                return Refusal("min_rows of samples", limit)
        return None

    def after(self, cells: Array, columns: Sequence[str]) -> Refusal | None:
        """Return why a summary of so many cells per column may not leave, or None."""
        for position, number in enumerate(np.atleast_1d(cells).tolist()):
            if 0 < number < self.min_rows:
                column = columns[position] if position < len(columns) else None
                limit = f"needs {self.min_rows} values in a column and there are fewer"
                return Refusal("min_rows", limit, column)
        return None

    def grouped(self, summary: Summary, columns: Sequence[str]) -> Refusal | None:
        """Return why sums over groups of rows may not leave, or None."""
        thin = np.flatnonzero(summary.groups() < self.min_rows)
        if thin.size == 0:
            return None
        if summary.group != "category":
            limit = f"needs {self.min_rows} rows in each {summary.group}, and there are fewer"
            return Refusal(f"min_rows of {summary.group}s", limit)
        column = columns[thin[0]] if thin[0] < len(columns) else None
        limit = f"needs {self.min_rows} rows beside each category, and there are fewer"
        return Refusal("min_rows of sums", limit, column)

    def shown(self, summary: Summary, columns: Sequence[str]) -> Refusal | None:
        """Return why a summary with so many single cells may not leave, or None."""
        single = summary.retained()
        if single.size == 0:
            return None
        over = np.flatnonzero(single > self.max_share * summary.support())
        if over.size == 0:
            return None
        column = columns[over[0]] if over[0] < len(columns) else None
        return Refusal(
            "max_share", f"shows at most {self.max_share:.0%} of a column's cells", column
        )

    def multiplied(self, summary: Summary) -> Refusal | None:
        """Return why products of so many columns of so few rows may not leave, or None."""
        if summary.columns_per_row() <= self.max_share:
            return None
        most = f"allows products of at most {self.max_share:.0%} as many columns as there are rows"
        return Refusal("max_share of products", most)

    def schema(self, schema: Schema) -> Schema:
        """Return a schema without the columns that are kept back."""
        kept = self.kept(schema)
        if len(kept) == schema.width:
            return schema
        names = schema.names or ()
        dtypes = schema.dtypes if len(schema.dtypes) == 1 else [schema.dtypes[j] for j in kept]
        empty = tuple(i for i, j in enumerate(kept) if j in schema.empty)
        chosen = tuple(names[j] for j in kept)
        return Schema(schema.container, chosen, len(kept), tuple(dtypes), schema.rows, empty)

    def kept(self, schema: Schema) -> list[int]:
        """Return the positions of the columns that may be spoken of."""
        if schema.names is None:
            return list(range(schema.width))
        return [j for j, name in enumerate(schema.names) if self.offers(name)]
