"""Counting pairs of categories: one round."""

from __future__ import annotations

from typing import Any

import numpy as np

from fedps.errors import NotFederated
from fedps.looks.crosstab import Crosstab
from fedps.protocol.plan import Plan, View, ask
from fedps.statistics import PairCounts

LARGEST_TABLE = 1 << 24  # of the table of all clients
_HIDDEN = "cells that are hidden have more rows than are shown"


def cross_categories(_: Any, view: View) -> Plan[Crosstab]:
    """Return how many rows have each pair of categories of two columns."""
    found = yield from ask(PairCounts(), view)
    if found.size > LARGEST_TABLE:
        raise NotFederated(
            f"the table has {len(found.rows):,} x {len(found.columns):,} categories, which nobody can read. "
            "Choose columns with fewer, or group them there."
        )
    for position in view.limited("min_count"):
        view.bound(position, _HIDDEN)
    row, column = view.names or (0, 1)
    hidden = found.hidden
    notes: tuple[str, ...] = ()
    if found.unnamed:
        notes = (
            "some clients have categories that are too rare to be named; their rows are in no cell.",
        )
    return Crosstab(
        row=row,
        column=column,
        rows=tuple(found.rows.tolist()),
        columns=tuple(found.columns.tolist()),
        counts=np.asarray(found.counts),
        hidden=hidden,
        notes=notes,
    )
