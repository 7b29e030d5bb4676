"""RowKeys: whether all clients have the same rows, in the same order."""

from __future__ import annotations

from hashlib import blake2b
from typing import ClassVar, NamedTuple

import numpy as np

from fedps.statistics.aligned.aligned_base import OfEachOwner
from fedps.statistics.base import (
    Array,
    Block,
    Summary,
    demand,
    demand_array,
)
from fedps.statistics.cells.schema import Text
from fedps.statistics.limits import Disclosure

LETTERS = 32  # hexadecimal digits of a digest: 128 bits


class RowKeysSummary(Summary, frozen=True, array_like=True, tag="row_keys"):
    """For each client: its number of rows, whether it has the target, and two digests of its keys."""

    width_field: ClassVar[str | None] = None

    rows: Array
    targets: Array
    ordered: tuple[Text, ...]
    sorted: tuple[Text, ...]

    def check(self, width: int, rows: int) -> None:
        """Check that it is about one client, and that digests have the length of digests."""
        demand_array(self.rows, "rows", "int64", (1,))
        demand_array(self.targets, "targets", "int64", (1,))
        demand(int(self.rows[0]) == rows, "rows", f"is not {rows}")
        demand(int(self.targets[0]) in (0, 1), "targets", "is not 0 or 1")
        for field, digests in (("ordered", self.ordered), ("sorted", self.sorted)):
            fits = len(digests) == 1 and len(digests[0]) in (0, LETTERS)
            demand(fits, field, "is not one digest")

    def support(self) -> Array:
        """Return the number of rows."""
        return self.rows


class Keys(NamedTuple):
    """What is known of one client's rows; the digests are empty if it has no key column."""

    rows: int
    has_target: bool
    ordered: str
    sorted: str


class RowKeys(
    OfEachOwner[RowKeysSummary, tuple[Keys, ...]], frozen=True, array_like=True, tag="row_keys"
):
    """Digests of the key column in the order of the rows, and sorted; and the number of rows.

    Equal digests mean equal keys. Level AGGREGATE: a digest is of all keys at once, so that someone who
    can guess all keys of a table can test the guess, but no single key can be tested. Costs some 70
    bytes.
    """

    disclosure: ClassVar[Disclosure] = Disclosure.AGGREGATE
    reads_numbers: ClassVar[bool] = False
    summary: ClassVar[type[Summary]] = RowKeysSummary

    @property
    def shows(self) -> str:
        """What an answer shows."""
        return "number of rows, and a digest of all keys together"

    def empty(self, width: int) -> RowKeysSummary:
        """Return no clients."""
        none = np.zeros(0, dtype=np.int64)
        return RowKeysSummary(none, none, (), ())

    def update(self, summary: RowKeysSummary, block: Block) -> RowKeysSummary:
        """Take the digests of the whole table."""
        keys = block.keys()
        both = ["", ""] if keys is None else [_digest(keys), _digest(np.sort(keys))]
        own = RowKeysSummary(
            np.array([block.rows]), np.array([int(block.has_target())]), (both[0],), (both[1],)
        )
        return self.merge(summary, own)

    def result(self, summary: RowKeysSummary) -> tuple[Keys, ...]:
        """Return what is known of each client."""
        numbers = zip(summary.rows.tolist(), summary.targets.tolist(), strict=True)
        digests = zip(summary.ordered, summary.sorted, strict=True)
        return tuple(
            Keys(rows, bool(target), *both)
            for (rows, target), both in zip(numbers, digests, strict=True)
        )


def _digest(cells: Array) -> str:
    """Return a digest of some texts. Their lengths are part of it: joined, they would be ambiguous.

    >>> _digest(np.array(["ab", "c"])) == _digest(np.array(["a", "bc"]))
    False
    """
    lengths = np.strings.str_len(cells).astype("<i8").tobytes()
    text = "".join(cells.tolist()).encode("utf-8", "surrogatepass")
    return blake2b(lengths + text, digest_size=LETTERS // 2, person=b"fedps row keys").hexdigest()
