"""Policy: what a client is willing to reveal.

It lives at the client; no server can loosen it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from fedps.errors import UsageError, did_you_mean
from fedps.statistics import Disclosure

CONSENTS = ("policy", "owner")

# DataSHIELD's are its published defaults: nfilter.subset and nfilter.tab are 3, nfilter.levels.density
# (single values) and nfilter.glm (numbers, as a share of the rows) 0.33.
PRESETS: dict[str, dict[str, Any]] = {
    "open": {
        "level": "ROWS",
        "min_rows": 0,
        "min_count": 0,
        "max_share": 1.0,
        "budget": None,
        "fillings": True,
    },
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
        answer costs nothing again. None, or ``inf`` in a policy file: no limit.
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
    fillings : bool, default=False
        Whether cells of single rows here may go on to other clients, or to whoever predicts: what a
        ``KNNImputer`` fills gaps with, and what a ``KNeighborsRegressor`` predicts from. A client that
        plants rows with one gap each reads other clients' cells as their fillings, so this needs more
        than ``level="ROWS"``: that you trust all who take part, and all who use the result.
    own_numbers : bool, default=True
        Whether ``describe`` may show this client's own numbers beside those of all clients, to whoever reads
        the report. If not, they go only into the numbers of all; and if this is the only such client, no
        client's are shown, since the others' would give them away. The server gets them in any case.
    requesters : sequence of str, default=None
        The only users whose runs are answered, by the names under which they start them. NVFLARE tells
        a client who submitted a job, and that person's certificate signs it. Flower tells a client no
        user: there, a client with this rule does not start. Not for tables in your own process.
        Default: whoever may start a run.

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
    fillings: bool = False
    own_numbers: bool = True
    requesters: Sequence[str] | None = None

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
        for name in ("fillings", "own_numbers"):
            if type(value := getattr(self, name)) is not bool:
                raise UsageError(f"a policy's {name} is true or false; got {value!r}.")
        # a text is a sequence of letters: deny="name" would deny the columns n, a, m and e
        for field in ("allow", "deny", "functions", "requesters"):
            if isinstance(getattr(self, field), str):
                raise UsageError(f"a policy's {field} is a list of names, not one name.")

    @classmethod
    def preset(cls, name: str) -> Policy:
        """Return one of the ready-made policies.

        Parameters
        ----------
        name : {"open", "default", "strict", "datashield"}
            Which of them.

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

    @property
    def adding_up(self) -> tuple[str, ...]:
        """The rules that count over the life of a ledger.

        Examples
        --------
        >>> Policy().adding_up, Policy.open().adding_up
        (('max_share', 'budget'), ())
        """
        limited = {
            "max_share": self.max_share < 1,
            "budget": self.budget is not None,
            "max_fits": self.max_fits is not None,
        }
        return tuple(name for name, is_limited in limited.items() if is_limited)

    def offers(self, column: str) -> bool:
        """Return whether a column may be asked about.

        Parameters
        ----------
        column : str
            Its name.
        """
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
    if not good or (most is not None and value > most):
        what = "0 or more" if most is None else f"between 0 and {most:.0f}"
        raise UsageError(f"a policy's {name} is {what}; got {value!r}.")
