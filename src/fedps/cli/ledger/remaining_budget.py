"""ColumnLimits: how much more a policy lets out about a column of a table."""

from __future__ import annotations

import math
from pathlib import Path
from typing import NamedTuple

from fedps.client import Policy, open_table
from fedps.client.ledger import Spent
from fedps.client.policy_file import read_policy
from fedps.client.requests.client_card import read_card
from fedps.client.requests.request_folder import RequestFolder
from fedps.errors import UsageError

_WHY = "what is left of a column's budget depends on the policy and on the number of rows."


class ColumnLimits(NamedTuple):
    """The most single values and numbers that may be told about a column; None if there is no limit."""

    rows: int
    values: int | None
    numbers: int | None

    def left(self, spent: Spent) -> tuple[str, str]:
        """Return how many more may be told after what was, as people read it.

        >>> ColumnLimits(100, 33, None).left(Spent(values=40, numbers=7))
        ('0', 'no limit')
        """
        both = zip((self.values, self.numbers), spent, strict=True)
        values, numbers = (
            "no limit" if most is None else f"{max(most - told, 0):,}" for most, told in both
        )
        return values, numbers


def column_limits(policy: Policy, rows: int) -> ColumnLimits:
    """Return what a policy allows for a column of a table with this many rows."""
    values = None if policy.max_share >= 1 else math.floor(policy.max_share * rows)
    budget = getattr(policy, "budget", None)
    return ColumnLimits(rows, values, None if budget is None else math.floor(budget * rows))


def find_limits(ledger: Path, policy: Path | None, data: str | None) -> ColumnLimits | None:
    """Return what may be told about a column: by the files that are named, else by the client's card.

    A client that keeps requests has left its policy and the number of its rows beside its ledger. None if
    neither is known.
    """
    card = read_card(RequestFolder(ledger))
    if policy is not None:
        rules = read_policy(policy)
    elif card is not None:
        rules = card.policy
    elif data is None:
        return None
    else:
        raise UsageError(f"--data needs --policy, too: {_WHY}")
    if data is not None:
        return column_limits(rules, open_table(data).schema().rows)
    if card is None:
        raise UsageError(f"--policy needs --data, too: {_WHY}")
    return column_limits(rules, card.schema.rows)
