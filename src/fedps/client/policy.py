"""Policy: what a client is willing to reveal, and the gate that keeps to it.

It lives at the client; no server can loosen it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from msgspec import Struct

from fedps.errors import UsageError, did_you_mean
from fedps.protocol.messages import Refusal
from fedps.statistics import Disclosure, Limits, Schema, Statistic, Summary
from fedps.statistics.base import Array

CONSENTS = ("policy", "owner")

# DataSHIELD's are its published defaults: nfilter.subset and nfilter.tab are 3, nfilter.levels.density
# (single values) and nfilter.glm (numbers, as a share of the rows) 0.33.
PRESETS: dict[str, dict[str, Any]] = {
    "open": {"level": "ROWS", "min_rows": 0, "min_count": 0, "max_share": 1.0, "budget": None},
    "default": {},
    "strict": {
        "level": "AGGREGATE",
        "min_rows": 20,
        "min_count": 10,
        "max_share": 0.1,
        "budget": 0.2,
        "min_clients": 3,
        "max_dominance": 0.9,
    },
    "datashield": {"min_rows": 3, "min_count": 3, "max_share": 0.33, "budget": 0.33},
}


class Policy(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a client is willing to reveal: the rules that its data owner sets.

    Every answer is checked by these rules before it is computed and before it is sent. What they do
    not allow is refused, and the refusal names the rule.

    Parameters
    ----------
    level : {"AGGREGATE", "SUMMARY", "ROWS"}, default="SUMMARY"
        The most that an answer may show. "AGGREGATE": sums over all rows, and no quantile to less than
        ``min_rows`` cells. "SUMMARY": also values of single cells, such as extremes and categories.
        "ROWS": also single rows.
    unit : str, default=None
        A column that says whose a row is, such as a patient's number. ``min_rows``, ``min_count`` and
        ``max_dominance`` then count people, not rows. It is kept back like a column in ``deny``. Default:
        each row counts.
    min_rows : int, default=10
        The fewest rows or cells that a number may be computed from. A client with fewer rows refuses
        everything, its row count included; a column with fewer values that are not missing is refused.
        Empty tables and all-missing columns are exempt. 0: no limit.
    min_count : int, default=5
        The fewest cells that a category, a label beside one, or a pattern of missing cells may stand for,
        and the fewest cells of a column that may differ from its most frequent value. Rare categories are
        not named: they become infrequent or unknown where the encoder allows that. 0: no limit.
    max_share : float, default=0.33
        The most single values of a column that all answers together may show, over the life of the ledger,
        as a share of the column's cells: tables of distinct numbers, extremes, bins and the items of
        sketches. If an answer would show more, bins or counts are sent instead; what cannot show less is
        refused. Texts are not limited by it. Also the most columns, as a share of the rows, whose products
        with each other may be shown. 1.0: no limit.
    budget : float, default=0.33
        The most numbers about a column that all answers together may tell, over the life of the ledger, as
        a share of the rows: sums, counts, and what is learned by searches. The same question with the same
        answer costs nothing again. None: no limit.
    min_clients : int, default=1
        The fewest clients that may take part in a fit, as its first message says.
    max_dominance : float, default=None
        The largest share of a column's sum of squared deviations from its mean that one cell, or one unit,
        may have. Sums that one cell dominates are refused. Default: no limit.
    allow : sequence of str, default=None
        The only columns that may be asked about. Default: all columns.
    deny : sequence of str, default=()
        Columns that may not be asked about, not even those in ``allow``. They do not appear in the
        schema that the server gets. Default: none.
    max_fits : int, default=None
        The number of fits in which this client takes part; ``explain`` counts as one. The ledger
        counts them: a ledger file over the life of that file. Default: no limit.
    functions : sequence of str, default=()
        Dotted names of functions that a ``FunctionTransformer`` may run at this client, in addition to
        NumPy's and scipy.special's. Only listed functions get arguments (``kw_args=``). Default: none.
    consent : {"policy", "owner"}, default="policy"
        Who agrees to a pipeline. "policy": any pipeline is answered, as far as these rules allow.
        "owner": only pipelines that the data owner has approved. Others wait beside the ledger, and
        ``fedps requests`` lists, shows, approves and denies them. Names, dtypes and the number of rows
        are told without approval: ``deny`` hides columns. Tables in your own process are yours:
        ``Federation(tables)`` asks nobody.

    See Also
    --------
    fedps.Federation : Takes a policy for all clients, or one for each.

    Examples
    --------
    >>> import fedps
    >>> policy = fedps.Policy(level="AGGREGATE", min_rows=20, deny=["ssn"])
    >>> policy.min_rows, policy.offers("ssn"), policy.offers("age")
    (20, False, True)
    """

    level: str = "SUMMARY"
    unit: str | None = None
    min_rows: int = 10
    min_count: int = 5
    max_share: float = 0.33
    budget: float | None = 0.33
    min_clients: int = 1
    max_dominance: float | None = None
    allow: Sequence[str] | None = None
    deny: Sequence[str] = ()
    max_fits: int | None = None
    functions: Sequence[str] = ()
    consent: str = "policy"

    def __post_init__(self) -> None:
        if self.level not in Disclosure.__members__:
            known = ", ".join(Disclosure.__members__)
            raise UsageError(f"a policy's level is one of {known}; got {self.level!r}.")
        if self.consent not in CONSENTS:
            known = " or ".join(map(repr, CONSENTS))
            raise UsageError(f"a policy's consent is {known}; got {self.consent!r}.")
        if self.unit is not None and (type(self.unit) is not str or not self.unit):
            raise UsageError(f"a policy's unit is the name of a column; got {self.unit!r}.")
        for name in ("min_rows", "min_count", "min_clients", "max_fits"):
            _check_whole(name, getattr(self, name), may_lack=name == "max_fits")
        _check_number("max_share", self.max_share, 1.0)
        _check_number("budget", self.budget, None, may_lack=True)
        _check_number("max_dominance", self.max_dominance, 1.0, may_lack=True)
        # a text is a sequence of letters: deny="name" would deny the columns n, a, m and e
        for field in ("allow", "deny", "functions"):
            if isinstance(getattr(self, field), str):
                raise UsageError(f"a policy's {field} is a list of names, not one name.")

    @classmethod
    def preset(cls, name: str) -> Policy:
        """Return one of the ready-made policies: "open", "default", "strict" or "datashield".

        Examples
        --------
        >>> Policy.preset("strict").level
        'AGGREGATE'
        >>> Policy.preset("default") == Policy()
        True
        """
        if name not in PRESETS:
            hint = did_you_mean(name, PRESETS)
            raise UsageError(f"there is no preset {name!r}.{hint} There are {', '.join(PRESETS)}.")
        return cls(**PRESETS[name])

    @classmethod
    def open(cls) -> Policy:
        """Return the policy that allows everything: the default for tables in your own process."""
        return cls.preset("open")

    def offers(self, column: str) -> bool:
        """Return whether a column may be asked about."""
        if column in self.deny or column == self.unit:
            return False
        return self.allow is None or column in self.allow


def _check_whole(name: str, value: Any, *, may_lack: bool) -> None:
    if (value is None and may_lack) or (type(value) is int and value >= 0):
        return
    raise UsageError(f"a policy's {name} is 0 or more; got {value!r}.")


def _check_number(name: str, value: Any, most: float | None, *, may_lack: bool = False) -> None:
    if value is None and may_lack:
        return
    good = isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
    if not good or (most is not None and value > most) or value == float("inf"):
        what = "0 or more" if most is None else f"between 0 and {most:.0f}"
        raise UsageError(f"a policy's {name} is {what}; got {value!r}.")


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

    def __init__(self, policy: Policy) -> None:
        self.policy = policy

    @property
    def limits(self) -> Limits:
        """What an answer may show, for statistics that can show less."""
        rules = self.policy
        return Limits(Disclosure[rules.level], rules.max_share, rules.min_rows, rules.min_count)

    @property
    def counts_cells(self) -> bool:
        """Whether it matters how many cells of a column are not missing."""
        return self.policy.min_rows > 0

    def check_fits(self, fits: int) -> Refusal | None:
        """Check that one more fit is allowed after ``fits`` fits."""
        most = self.policy.max_fits
        if most is not None and fits >= most:
            return Refusal("max_fits", f"allows {most} fits; all are used")
        return None

    def check_rows(self, rows: int) -> Refusal | None:
        """Check that the table has enough rows. An empty table is exempt: there is nothing to show."""
        if 0 < rows < self.policy.min_rows:
            return Refusal("min_rows", f"needs {self.policy.min_rows} rows and there are fewer")
        return None

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
        return self.check_rows(rows)

    def check_sample(self, drawn: Drawn | None) -> Refusal | None:
        """Check a sample of the rows, or folds.

        Neither the sample nor the rest may be too small, since the rest is what all rows minus the
        sample tell; nor may two samples of one fit differ by too few rows, for the same reason. And there
        must not be so many different samples that their sums determine the rows.
        """
        for some in drawn or ():
            if 0 < some < self.policy.min_rows:
                limit = (
                    f"needs {self.policy.min_rows} rows in each sample or fold, outside of it, between "
                    "two samples, and for each of them, and there are fewer"
                )
                return Refusal("min_rows of samples", limit)
        return None

    def check_summary(
        self, summary: Summary, cells: Array, columns: Sequence[str]
    ) -> Refusal | None:
        """Check a summary before it leaves; ``cells`` are those of each column that are not missing."""
        return (
            self._check_cells(cells, columns)
            or self._check_groups(summary, columns)
            or self._check_share(summary, columns)
            or self._check_products(summary)
        )

    def _check_cells(self, cells: Array, columns: Sequence[str]) -> Refusal | None:
        """Check that no number is computed from too few cells. All-missing columns are exempt."""
        for position, number in enumerate(np.atleast_1d(cells).tolist()):
            if 0 < number < self.policy.min_rows:
                limit = f"needs {self.policy.min_rows} values in a column and there are fewer"
                return Refusal("min_rows", limit, _name(columns, position))
        return None

    def _check_groups(self, summary: Summary, columns: Sequence[str]) -> Refusal | None:
        """Check that no sum is over a group of too few rows."""
        least = self.policy.min_rows
        thin = np.flatnonzero(summary.groups() < least)
        if thin.size == 0:
            return None
        limit = f"needs {least} rows in each {summary.group}, and there are fewer"
        if summary.group != "category":
            return Refusal(f"min_rows of {summary.group}s", limit)
        return Refusal("min_rows of sums", limit, _name(columns, int(thin[0])))

    def _check_share(self, summary: Summary, columns: Sequence[str]) -> Refusal | None:
        """Check that not too many single cells of a column are shown."""
        single, cells, most = summary.retained(), summary.support(), self.policy.max_share
        if single.size == 0 or cells.size == 0:
            return None
        over = np.flatnonzero(single > most * cells)
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
