"""Finding order statistics by counts alone: no client shows a value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fedps.errors import PeerError
from fedps.protocol.plan import Plan, View, ask
from fedps.questions.order import ALL_KEYS, WAYS
from fedps.statistics import Ranks
from fedps.statistics.base import Array
from fedps.statistics.order.float_keys import slices, values_of

MOST_COUNTS = 1 << 20  # of all columns and ranks together, in one round


class Hunt:
    """The search for the cell at one rank: the keys between which it must be."""

    def __init__(self, rank: int, first: int, last: int) -> None:
        self.rank = rank
        self.first = first
        self.last = last
        self.below = 0  # cells before the first key

    @property
    def found(self) -> bool:
        """Whether only one key is left."""
        return self.first == self.last

    def narrow(self, ends: Array, counts: Array) -> None:
        """Go on in the slice that holds the rank."""
        total = self.below + counts.cumsum()
        at = int(np.searchsorted(total, self.rank, side="right"))
        if at == len(ends):
            raise PeerError(
                "some client counts fewer cells than before: its rows changed during the fit, or its "
                "answers are wrong. Start the fit again."
            )
        self.below = int(total[at - 1]) if at else self.below
        self.first = int(ends[at - 1]) + 1 if at else self.first
        self.last = int(ends[at])


def search(view: View, targets: Sequence[Array], **cells: Any) -> Plan[list[Array]]:
    """Return the cells at some ranks of each column, every column in the same rounds.

    Each round cuts the interval around each wanted cell into slices and counts them.
    """
    hunts = [[Hunt(int(rank), *ALL_KEYS) for rank in ranks] for ranks in targets]
    while any(not hunt.found for column in hunts for hunt in column):
        active = [_distinct(column) for column in hunts]
        ways = max(2, min(WAYS, MOST_COUNTS // sum(map(len, active))))
        asked = tuple(np.array(pairs, dtype=np.uint64).reshape(-1, 2).T for pairs in active)
        counts = yield from ask(Ranks(asked, ways=ways, **cells), view)
        for column, pairs, found in zip(hunts, active, counts, strict=True):
            _go_on(column, pairs, found, ways)
    keys = [np.array([hunt.first for hunt in column], dtype=np.uint64) for column in hunts]
    return [values_of(column) for column in keys]


def _distinct(column: Sequence[Hunt]) -> list[tuple[int, int]]:
    """Return the intervals that are still open, each once."""
    return sorted({(hunt.first, hunt.last) for hunt in column if not hunt.found})


def _go_on(
    column: Sequence[Hunt], pairs: Sequence[tuple[int, int]], counts: Array, ways: int
) -> None:
    """Narrow every hunt of a column by the counts of its interval's slices."""
    ends = {pair: slices(*pair, ways) for pair in pairs}
    starts = dict(zip(pairs, np.cumsum([0, *(len(ends[p]) for p in pairs)]).tolist(), strict=False))
    for hunt in column:
        pair = (hunt.first, hunt.last)
        if not hunt.found:
            start = starts[pair]
            hunt.narrow(ends[pair], counts[start : start + len(ends[pair])])
