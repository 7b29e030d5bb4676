"""Rare values: what is said where clients' policies do not name all values that a plan needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fedps.errors import Refused
from fedps.plans.shared.frequent import shown_name
from fedps.protocol.answers import who
from fedps.protocol.plan import View
from fedps.protocol.pooled import Limited


def stop_if_none_named(view: View, named: Sequence[Any]) -> None:
    """Raise Refused where clients name no value of a column at all: no estimator can do without one."""
    for position, kept_back in view.limited("min_count", "max_share").items():
        if not len(named[position]):
            needed = "in all clients together there are none. Let more clients take part"
            raise not_all_named(kept_back, shown_name(view, position), needed)


def not_all_named(kept_back: Sequence[Limited], column: str, needed: str) -> Refused:
    """Return the error for a column of which clients do not name all values."""
    clients = list(dict.fromkeys(one.client for one in kept_back))
    first = kept_back[0]
    shows = "shows" if len(clients) == 1 else "show"
    return Refused(
        f"{who(clients)} {shows} {first.shown} of column {column}, as the policy there ({first.rule}) says, "
        f"and {needed}, group the rare ones in the table there, leave the column out, or ask the data owner."
    ).about(*clients)
