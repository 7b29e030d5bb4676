"""numeric_target: the target of a client's rows as numbers, for regressions."""

from __future__ import annotations

import numpy as np

from fedps.statistics.base import Array, BadCells, Block


def numeric_target(block: Block) -> Array:
    """Return the target as 64-bit floats. Text is refused, even if it looks like numbers."""
    target = block.target()
    # a target is all text or all numbers, so that its first cell tells
    if target.dtype.kind == "O" and any(isinstance(cell, str) for cell in target[:1]):
        raise BadCells("text target")
    return target.astype(np.float64)
