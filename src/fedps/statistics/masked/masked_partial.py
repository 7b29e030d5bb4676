"""MaskedPartial: predictions, of which the server does not see the clients' parts."""

from __future__ import annotations

from hashlib import blake2b
from typing import Annotated, ClassVar

import numpy as np
from msgspec import Meta

from fedps.statistics.aligned.aligned_base import MOST_CELLS, Row
from fedps.statistics.base import (
    NOTHING_TO_CHECK,
    Array,
    BadCells,
    Block,
    Statistic,
    Summary,
    demand,
    demand_array,
)
from fedps.statistics.limits import Disclosure
from fedps.statistics.masked.drawn_masks import (
    SEED,
    Masking,
    Seed,
    demand_peers,
    drawn,
)
from fedps.statistics.masked.partial_keys import mark_of_parts, own_parts
from fedps.statistics.masked.ring import (
    LIMBS,
    doubles_in_ring,
    doubles_of_ring,
    ring_difference,
    ring_sum,
)

MOST_MASKED_PARTS = MOST_CELLS // LIMBS  # in one answer
_BITS = 120  # of a part as a whole number: sums over many clients have room
Exponent = Annotated[int, Meta(ge=-1200, le=1000)]


class MaskedPartialSummary(Summary, frozen=True, array_like=True, tag="masked_partial"):
    """For each row a number of the ring."""

    width_field: ClassVar[str | None] = None

    cells: Array

    def check(self, width: int, rows: int) -> None:
        """Check that they are numbers of the ring."""
        demand_array(self.cells, "cells", "uint64", (None, LIMBS))

    def support(self) -> Array:
        """Return nothing to check: single rows are shown, which the level allows or not."""
        return NOTHING_TO_CHECK


class MaskedPartial(
    Statistic[MaskedPartialSummary, Array], frozen=True, array_like=True, tag="masked_partial"
):
    """The sum over all clients of what their parts of a model give for the rows ``start`` to ``stop``.

    Each two clients share masks, by the public keys and marks that the server gives: one adds them, the other
    subtracts. Parts are whole multiples of 2 to the power of ``exponent``. Level ROWS: shows the sum, a prediction,
    for every row. Costs 16 bytes a row.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.ROWS
    aligned: ClassVar[bool] = True
    additive: ClassVar[bool] = True
    reads_numbers: ClassVar[bool] = False
    summary: ClassVar[type[Summary]] = MaskedPartialSummary

    start: Row
    stop: Row
    exponent: Exponent

    @property
    def shows(self) -> str:
        """What an answer shows."""
        return (
            "for each single row to predict, its prediction; what the columns here add to it is masked, "
            "and seen by nobody"
        )

    def empty(self, width: int) -> MaskedPartialSummary:
        """Return no rows."""
        if not 0 < self.stop - self.start <= MOST_MASKED_PARTS:
            raise BadCells("too large")
        return MaskedPartialSummary(np.zeros((0, LIMBS), dtype=np.uint64))

    def update(self, summary: MaskedPartialSummary, block: Block) -> MaskedPartialSummary:
        """Mask the parts of some rows of the whole table."""
        given, masking, parts = block.given(), block.masking(), own_parts(block)
        peers = demand_peers(given, SEED, masking.public)
        marks = [line[SEED:].tobytes() for line in given]
        own = marks[peers.index(masking.public)]
        # alone, its masks would be none
        if len(peers) < 2 or own != mark_of_parts(block, parts):
            raise BadCells("keys")
        some = np.ldexp(parts[self.start : self.stop], -self.exponent)
        if not np.abs(some).max(initial=0.0) < 2.0**_BITS:
            raise BadCells("range")
        total = doubles_in_ring(np.rint(some))
        for peer, mark in zip(peers, marks, strict=True):
            if peer == masking.public:
                continue
            masks = self._shared(masking, peer, (own, mark), len(parts))
            total = (ring_sum if masking.public < peer else ring_difference)(total, masks)
        return self.merge(summary, MaskedPartialSummary(total))

    def _shared(
        self, masking: Masking, peer: bytes, marks: tuple[bytes, bytes], rows: int
    ) -> Array:
        """Return the masks of two clients for these very parts of both."""
        own, other = marks if masking.public < peer else marks[::-1]
        key = masking.shared(peer)
        seed = blake2b(own + other, key=key, digest_size=SEED, person=b"fedps parts").digest()
        return drawn(masking, Seed(seed, rows, 1), self.start, self.stop)[:, 0]

    def merge(
        self, left: MaskedPartialSummary, right: MaskedPartialSummary
    ) -> MaskedPartialSummary:
        """Add up: masks cancel once all clients are in it."""
        if not len(left.cells) or not len(right.cells):
            return left if len(left.cells) else right
        if len(left.cells) != len(right.cells):
            raise ValueError("has other rows than another client's")
        return MaskedPartialSummary(ring_sum(left.cells, right.cells))

    def check(self, summary: MaskedPartialSummary, width: int, rows: int) -> None:
        """Check also that there are no more rows than requested."""
        summary.check(width, rows)
        fits = len(summary.cells) <= self.stop - self.start
        demand(fits, "cells", "has more rows than were asked for")

    def result(self, summary: MaskedPartialSummary) -> Array:
        """Return the sums."""
        return np.asarray(np.ldexp(doubles_of_ring(summary.cells), self.exponent))
