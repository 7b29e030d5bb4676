"""MaskSeeds: what each client's masks are drawn from, sealed for each other client."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from fedps.statistics.aligned.aligned_base import demand_one_client
from fedps.statistics.base import (
    NOTHING_TO_CHECK,
    Array,
    Block,
    Statistic,
    Summary,
    demand_array,
    parts_of_both,
)
from fedps.statistics.limits import Disclosure
from fedps.statistics.masked.drawn_masks import BOX, demand_peers, own_seed
from fedps.statistics.masked.own_columns import own_columns


class MaskSeedsSummary(Summary, frozen=True, array_like=True, tag="mask_seeds"):
    """For each client a table: a line for each of all clients, which only that one can open; its own has zeros."""

    width_field: ClassVar[str | None] = None

    boxes: tuple[Array, ...]

    def check(self, width: int, rows: int) -> None:
        """Check that it is about one client."""
        demand_one_client(self, "boxes")
        demand_array(self.boxes[0], "boxes", "uint8", (None, BOX))

    def support(self) -> Array:
        """Return nothing to check: no cell can be read from it."""
        return NOTHING_TO_CHECK


class MaskSeeds(
    Statistic[MaskSeedsSummary, tuple[Array, ...]], frozen=True, array_like=True, tag="mask_seeds"
):
    """What a client's masks are drawn from, sealed for each client whose public key the server gives.

    Level AGGREGATE: the server can open none of it. A client reads the seeds of all others, and could with
    the server's help take off their masks. Costs 88 bytes for each client.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.AGGREGATE
    aligned: ClassVar[bool] = True
    ordered: ClassVar[bool] = True
    of_target: ClassVar[bool] = True
    multiplies: ClassVar[bool] = True
    summary: ClassVar[type[Summary]] = MaskSeedsSummary

    @property
    def shows(self) -> str:
        """What an answer shows."""
        return "what the masks are drawn from, sealed so that only the other clients can read it"

    def empty(self, width: int) -> MaskSeedsSummary:
        """Return no clients."""
        return MaskSeedsSummary(())

    def update(self, summary: MaskSeedsSummary, block: Block) -> MaskSeedsSummary:
        """Seal the seed for each of the others."""
        masking = block.masking()
        peers = demand_peers(block.given(), 0, masking.public)
        seed = own_seed(block, own_columns(block)).packed()
        nothing = bytes(BOX)
        boxes = (nothing if p == masking.public else masking.seal(p, seed) for p in peers)
        table = np.frombuffer(b"".join(boxes), dtype=np.uint8).reshape(len(peers), BOX)
        return self.merge(summary, MaskSeedsSummary((table,)))

    def merge(self, left: MaskSeedsSummary, right: MaskSeedsSummary) -> MaskSeedsSummary:
        """Return both, one client after the other."""
        return parts_of_both(left, right)

    def result(self, summary: MaskSeedsSummary) -> tuple[Array, ...]:
        """Return each client's boxes."""
        return summary.boxes
