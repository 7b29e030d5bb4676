"""The rules of a policy as a table: every key, its value, and what it means in a phrase."""

from __future__ import annotations

from collections.abc import Sequence

from fedps.cli.policy.named_policy import NamedPolicy
from fedps.client import Policy
from fedps.report.rendering import Names, Section

MOST_NAMES = 6  # more are counted
_LEVELS = {
    "AGGREGATE": "sums and counts over all rows",
    "SUMMARY": "also values of cells: extremes, categories",
    "ROWS": "also single rows",
}
_CONSENTS = {
    "policy": "what these rules allow is answered",
    "owner": "only pipelines that you approve are answered",
}


def rules(named: NamedPolicy) -> Section:
    """Return all keys of a policy, each with its value and its meaning."""
    policy = named.policy
    rows = [] if named.preset is None else [("preset", named.preset, "what it begins with")]
    rows += [*_limits(policy), *_permissions(policy)]
    return Section(named.title, ("rule", "value", "what it means"), rows)


def _limits(policy: Policy) -> list[tuple[str, str, str]]:
    whose = "rows or cells" if policy.unit is None else f"different {policy.unit!r}"
    one = "cell" if policy.unit is None else f"{policy.unit!r}"
    dominance, budget = policy.max_dominance, policy.budget
    return [
        ("level", policy.level, _LEVELS[policy.level]),
        ("unit", policy.unit or "-", "the column that says whose a row is: it is kept back"),
        ("min_rows", str(policy.min_rows), f"the fewest {whose} behind a number"),
        ("min_count", str(policy.min_count), f"the fewest {whose} behind a category or label"),
        (
            "max_share",
            f"{policy.max_share:g}",
            "single values of a column in all answers together, as a share of its cells",
        ),
        (
            "budget",
            "none" if budget is None else f"{budget:g}",
            "numbers told about a column in all answers together, as a share of the rows",
        ),
        ("min_clients", str(policy.min_clients), "the fewest clients in a fit"),
        (
            "max_dominance",
            "off" if dominance is None else f"{dominance:g}",
            f"the largest share of a column's spread that one {one} may have",
        ),
    ]


def _permissions(policy: Policy) -> list[tuple[str, str, str]]:
    return [
        ("allow", "all" if policy.allow is None else few(policy.allow), "the columns offered"),
        ("deny", few(policy.deny), "the columns kept back"),
        (
            "max_fits",
            "any" if policy.max_fits is None else str(policy.max_fits),
            "fits to take part in, as the ledger counts them",
        ),
        ("functions", few(policy.functions), "functions that may run here"),
        ("consent", policy.consent, _CONSENTS[policy.consent]),
        (
            "fillings",
            "yes" if policy.fillings else "no",
            "whether cells of single rows here may go on to other clients",
        ),
        (
            "own_numbers",
            "yes" if policy.own_numbers else "no",
            "whether describe may show this client's own numbers beside those of all",
        ),
        (
            "requesters",
            "all" if policy.requesters is None else few(policy.requesters),
            "the users who are answered",
        ),
    ]


def few(names: Sequence[str]) -> str:
    """Return some names as a cell; if there are many, the first of them and how many more.

    >>> few(["age", "chol"]), few(())
    ('age, chol', '-')
    """
    return Names(names, MOST_NAMES) or "-"
