"""BlindedAgain: another owner's points, blinded once more."""

from __future__ import annotations

from typing import ClassVar

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
from fedps.statistics.matching.blinded_keys import demand_points
from fedps.statistics.matching.points import SIZE


class BlindedAgainSummary(Summary, frozen=True, array_like=True, tag="blinded_again"):
    """For each owner: the points that it got, blinded."""

    width_field: ClassVar[str | None] = None

    points: tuple[Array, ...]

    def check(self, width: int, rows: int) -> None:
        """Check that it is about one owner, and that there are as many points as it got."""
        demand_one_client(self, "points")
        demand_array(self.points[0], "points", "uint8", (rows, SIZE))
        demand_points(self.points[0])

    def support(self) -> Array:
        """Return nothing to check: nothing is computed from this owner's rows."""
        return NOTHING_TO_CHECK


class BlindedAgain(
    Statistic[BlindedAgainSummary, tuple[Array, ...]],
    frozen=True,
    array_like=True,
    tag="blinded_again",
):
    """Points of another owner that this one blinds as well, in their order.

    Level AGGREGATE: shows nothing of this owner's own keys. Costs 32 bytes for each of the other's keys.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.AGGREGATE
    aligned: ClassVar[bool] = True
    reads_numbers: ClassVar[bool] = False
    ordered: ClassVar[bool] = True
    summary: ClassVar[type[Summary]] = BlindedAgainSummary

    @property
    def shows(self) -> str:
        """What an answer shows."""
        return "nothing of the keys here: it blinds the keys of another owner once more"

    def empty(self, width: int) -> BlindedAgainSummary:
        """Return no owners."""
        return BlindedAgainSummary(())

    def update(self, summary: BlindedAgainSummary, block: Block) -> BlindedAgainSummary:
        """Blind what was given."""
        points = block.matching().blind(block.given())
        return self.merge(summary, BlindedAgainSummary((points,)))

    def merge(self, left: BlindedAgainSummary, right: BlindedAgainSummary) -> BlindedAgainSummary:
        """Return both, one owner after the other."""
        return parts_of_both(left, right)

    def result(self, summary: BlindedAgainSummary) -> tuple[Array, ...]:
        """Return what each owner blinded."""
        return summary.points
