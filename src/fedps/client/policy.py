"""Policy: what a client is willing to reveal. It lives at the client; no server can loosen it."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from fedps.errors import UsageError
from fedps.statistics import Disclosure


class Policy(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a client is willing to reveal: the rules that its data owner sets.

    Every answer is checked by these rules before it is computed and before it is sent. What they do
    not allow is refused, and the refusal names the rule.

    Parameters
    ----------
    level : {"AGGREGATE", "SUMMARY", "ROWS"}, default="SUMMARY"
        The most that an answer may show. "AGGREGATE": sums over all rows. "SUMMARY": also values of
        single cells, such as extremes and categories. "ROWS": also single rows.
    min_rows : int, default=10
        The fewest rows or cells that a number may be computed from. A client with fewer rows refuses
        everything, its row count included; a column with fewer values that are not missing is refused.
        Empty tables and all-missing columns are exempt. 0: no limit.
    max_share : float, default=0.33
        The most single values of a numeric column that an answer may show, as a share of the column's
        cells: tables of distinct values, bins and the items of sketches. If a table would show more,
        coarser bins or counts are sent instead, at the cost of rounds; a sketch is refused. Bins show
        at least the smallest and the largest value. Categories are not limited by it. Also the most
        columns, as a share of the rows, whose products with each other may be shown. 1.0: no limit.
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
        NumPy's and scipy.special's. Default: none.

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
        # a text is a sequence of letters: deny="name" would deny the columns n, a, m and e
        for field in ("allow", "deny", "functions"):
            if isinstance(getattr(self, field), str):
                raise UsageError(f"a policy's {field} is a list of names, not one name.")

    @classmethod
    def open(cls) -> Policy:
        """Return the policy that allows everything: the default for tables in your own process."""
        return cls(level="ROWS", min_rows=0, max_share=1.0)

    def offers(self, column: str) -> bool:
        """Return whether a column may be asked about."""
        return column not in self.deny and (self.allow is None or column in self.allow)
