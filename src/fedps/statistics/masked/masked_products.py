"""MaskedProducts: what a client knows of the products of its columns with those of all clients."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np

from fedps.statistics.aligned.aligned_base import demand_one_client
from fedps.statistics.base import (
    LARGEST_TO_SQUARE,
    Array,
    BadCells,
    Block,
    Statistic,
    Summary,
    demand,
    demand_array,
    parts_of_both,
)
from fedps.statistics.cells.schema import MOST_COLUMNS
from fedps.statistics.limits import Disclosure
from fedps.statistics.masked.drawn_masks import (
    BOX,
    SEED,
    Masking,
    Seed,
    cancelling,
    demand_peers,
    drawn,
    own_seed,
)
from fedps.statistics.masked.own_columns import OwnColumns, own_columns
from fedps.statistics.masked.ring import (
    LIMBS,
    in_ring,
    ring_difference,
    ring_products,
    ring_sum,
    turned,
)

_LARGEST_EXPONENT = 500  # of columns that can be squared
_MASKS_AT_ONCE = 1 << 20


class MaskedProductsSummary(Summary, frozen=True, array_like=True, tag="masked_products"):
    """For each client, and for each of its columns, the target last: pivot, exponent, sum about the pivot, products.

    The products are with the columns of all clients, (own, all, 2): those with its own as they are, those with
    others' as what the masks add to them, under another mask. ``rows`` is the number of rows.
    """

    width_field: ClassVar[str | None] = None

    rows: Array
    pivots: tuple[Array, ...]
    exponents: tuple[Array, ...]
    sums: tuple[Array, ...]
    products: tuple[Array, ...]

    def check(self, width: int, rows: int) -> None:
        """Check that it is about one client, and shapes and sizes."""
        demand_array(self.rows, "rows", "int64", (1,))
        demand(int(self.rows[0]) == rows, "rows", f"is not {rows}")
        demand_one_client(self, "pivots", "exponents", "sums", "products")
        (pivot,), (exponents,) = self.pivots, self.exponents
        demand_array(pivot, "pivots", "float64", (None,))
        moderate = np.abs(pivot).max(initial=0.0) <= LARGEST_TO_SQUARE
        demand(bool(moderate), "pivots", "must be finite and not too large")
        demand_array(exponents, "exponents", "int64", (len(pivot),))
        small = (exponents >= -2 * _LARGEST_EXPONENT - 200) & (exponents <= _LARGEST_EXPONENT)
        demand(bool(small.all()), "exponents", "must be those of numbers that can be squared")
        demand_array(self.sums[0], "sums", "uint64", (len(pivot), LIMBS))
        demand_array(self.products[0], "products", "uint64", (len(pivot), None, LIMBS))

    def support(self) -> Array:
        """Return the number of rows."""
        return np.full(sum(map(len, self.pivots)), self.rows.max(initial=0))

    def told(self, width: int) -> Array:
        """Return for each column its products, those with its own columns before it once, and its sum."""
        each = self.products[0].shape[1] - len(self.pivots[0]) if self.products else 0
        return np.asarray(np.arange(width) + each + 2)

    def columns_per_row(self) -> float:
        """Return the number of columns of all clients, with the target and a column of ones, per row."""
        rows = self.rows.max(initial=0)
        every = max((table.shape[1] for table in self.products), default=0)
        return min((every + 1) / rows, 1.0) if rows else 0.0


class OwnerProducts(NamedTuple):
    """What one client sent of its columns, the target last."""

    pivot: Array
    exponents: Array
    sums: Array  # in the ring
    products: Array  # in the ring, with the columns of all clients


class MaskedProducts(
    Statistic[MaskedProductsSummary, tuple[OwnerProducts, ...]],
    frozen=True,
    array_like=True,
    tag="masked_products",
):
    """Means, and what it takes to find the products of any two columns from :class:`MaskedColumns`.

    Each client is given all clients' public keys, with the seeds that they sealed for it. Of two clients, the
    one with the smaller key is the first. With columns X, masks R and masked columns U = X + R,
    U1'U2 = X1'X2 + U1'R2 + R1'X2: the first sends U1'R2, the second X2'R1, and a mask that only these two know
    lies on both and cancels in the sum.

    Level AGGREGATE: all that the server can find are sums over all rows: means, and the sums of the products
    of any two columns of all clients and of the target. Sums over few rows determine the rows up to a rotation,
    so a client refuses it if there are more columns, of all clients together, than its policy's ``max_share`` of
    the rows. Costs 16 bytes for each own column and column of all.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.AGGREGATE
    aligned: ClassVar[bool] = True
    ordered: ClassVar[bool] = True
    of_target: ClassVar[bool] = True
    multiplies: ClassVar[bool] = True
    summary: ClassVar[type[Summary]] = MaskedProductsSummary

    @property
    def shows(self) -> str:
        """What an answer shows."""
        return (
            "count, sum, and sum of its products with each column of all clients and with the target, over "
            "all rows together"
        )

    def empty(self, width: int) -> MaskedProductsSummary:
        """Return no clients."""
        return MaskedProductsSummary(np.zeros(0, dtype=np.int64), (), (), (), ())

    def update(self, summary: MaskedProductsSummary, block: Block) -> MaskedProductsSummary:
        """Multiply the columns of the whole table with each other, and with the others' masks."""
        own, masking = own_columns(block), block.masking()
        mine = own_seed(block, own)
        blocks = []
        for peer, box in _boxes(block.given(), masking):
            if peer == masking.public:
                blocks.append(ring_products(own.whole, own.whole))
            else:
                blocks.append(_with(masking, peer, _opened(masking, peer, box, mine), own, mine))
        sums = ring_products(own.whole, np.ones((len(own.whole), 1), dtype=np.int64))[:, 0]
        found = MaskedProductsSummary(
            np.array([block.rows]),
            (own.pivot,),
            (own.exponents,),
            (sums,),
            (np.concatenate(blocks, axis=1),),
        )
        return self.merge(summary, found)

    def merge(
        self, left: MaskedProductsSummary, right: MaskedProductsSummary
    ) -> MaskedProductsSummary:
        """Return both, one client after the other."""
        return parts_of_both(left, right)

    def result(self, summary: MaskedProductsSummary) -> tuple[OwnerProducts, ...]:
        """Return what each client sent."""
        return tuple(
            map(OwnerProducts, summary.pivots, summary.exponents, summary.sums, summary.products)
        )


def _boxes(given: Array, masking: Masking) -> list[tuple[bytes, bytes]]:
    """Return each client's public key, and what it sealed for this one."""
    peers = demand_peers(given, BOX, masking.public)
    return [(peer, line[SEED:].tobytes()) for peer, line in zip(peers, given, strict=True)]


def _opened(masking: Masking, peer: bytes, box: bytes, mine: Seed) -> Seed:
    """Return another client's seed; refuse one for other rows, or for more columns than a table can have."""
    seed = Seed.of(masking.open(peer, box))
    if seed.rows != mine.rows or seed.width > MOST_COLUMNS:
        raise BadCells("aligned")
    return seed


def _with(masking: Masking, peer: bytes, theirs: Seed, own: OwnColumns, mine: Seed) -> Array:
    """Return what the masks add to the products with another client's columns, under another mask."""
    is_first = masking.public < peer
    total = np.zeros((mine.width, theirs.width, LIMBS), dtype=np.uint64)
    step = max(1, _MASKS_AT_ONCE // max(1, mine.width + theirs.width))
    for start in range(0, mine.rows, step):
        stop = start + step
        cells = own.whole[start:stop]
        if is_first:
            cells = ring_sum(in_ring(cells), drawn(masking, mine, start, stop))
        total = ring_sum(total, ring_products(cells, drawn(masking, theirs, start, stop)))
    if is_first:
        return ring_sum(total, cancelling(masking, peer, (mine, theirs)))
    return ring_difference(total, turned(cancelling(masking, peer, (theirs, mine))))
