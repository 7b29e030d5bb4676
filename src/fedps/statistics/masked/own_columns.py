"""OwnColumns: a client's columns, and the target if it has it, as whole numbers that can be masked."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fedps.statistics.aligned.aligned_base import all_numbers
from fedps.statistics.base import LARGEST_TO_SQUARE, Array, Block, refuse_columns
from fedps.statistics.products.triangular_factors import near_means
from fedps.statistics.target.numeric_target import numeric_target

_EXACT = 53  # bits of a double
_SUMS = 126  # bits of the sums of products, which have a sign as well


class OwnColumns(NamedTuple):
    """Columns about a pivot: ``cells = pivot + whole * 2.0 ** (exponents - bits_for(rows))``.

    Each is scaled by a power of two, so that its largest number has all bits of a double.
    """

    pivot: Array  # (w,)
    exponents: Array  # (w,)
    whole: Array  # (n, w), 64-bit integers


def bits_for(rows: int) -> int:
    """Return how many bits a cell may have, for sums of products over so many rows to stay exact.

    >>> bits_for(1_000_000), bits_for(100_000_000)
    (53, 49)
    """
    return min(_EXACT, (_SUMS - rows.bit_length()) // 2)


def own_columns(block: Block) -> OwnColumns:
    """Return all columns of a client's table, the target last; refuse cells that have no products."""
    cells = all_numbers(block)
    refuse_columns(np.isnan(cells), "missing")
    refuse_columns(np.abs(cells) > LARGEST_TO_SQUARE, "range")
    if block.has_target():
        cells = np.column_stack([cells, numeric_target(block)])
    return as_whole_numbers(cells)


def as_whole_numbers(cells: Array) -> OwnColumns:
    """Return columns of doubles as whole numbers, about a pivot near their means.

    >>> found = as_whole_numbers(np.array([[1.0, 0.25], [4.0, 0.5]]))
    >>> found.pivot, found.exponents
    (array([2.   , 0.375]), array([ 2, -2]))
    >>> np.ldexp(found.whole, found.exponents - bits_for(2)) + found.pivot
    array([[1.  , 0.25],
           [4.  , 0.5 ]])
    """
    pivot = near_means(cells, None)
    away = cells - pivot
    _, exponents = np.frexp(np.abs(away).max(axis=0, initial=0.0))
    whole = np.rint(np.ldexp(away, bits_for(len(cells)) - exponents)).astype(np.int64)
    return OwnColumns(pivot, exponents.astype(np.int64), whole)
