"""The centre nearest to each row, and distances of rows to centres, as scikit-learn takes them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import numpy as np

from fedps.statistics.base import Array, BadCells, Block
from fedps.statistics.cells.finite import Finite

_CELLS_AT_ONCE = 1 << 17  # cells, or distances: a batch of them stays in the processor's cache
_FEW = 16  # centres, up to which it is faster to compare all rows with one after the other
# A request of few bytes, deflated, can contain very many centres, and each is work for every row.
MOST_CENTRE_CELLS = 1 << 20


def demand_centres(centres: Array, mean: Array, width: int, *, least: int = 1) -> None:
    """Refuse centres from a server that do not fit a table with ``width`` columns."""
    known = centres.dtype in (np.float64, np.float32) and mean.dtype == np.float64
    fits = centres.ndim == 2 and centres.shape[1:] == mean.shape == (width,)
    if not known or not fits or len(centres) < least:
        raise BadCells("width")
    if centres.size > MOST_CENTRE_CELLS:
        raise BadCells("too large")
    if not (np.isfinite(centres).all() and np.isfinite(mean).all()):
        raise BadCells("width")


_spare: list[Array] = []  # the memory of batches before


@contextmanager
def spare_array(shape: tuple[int, int], kind: np.dtype[np.floating]) -> Iterator[Array]:
    """Lend memory that was used before: what a system gives anew it clears first, page by page.

    That takes longer than a step of k-means.
    """
    size = shape[0] * shape[1] * kind.itemsize
    try:
        memory = _spare.pop()
    except IndexError:
        memory = np.empty(_CELLS_AT_ONCE * 8, dtype=np.uint8)
    try:
        fits = size <= memory.size
        yield memory[:size].view(kind).reshape(shape) if fits else np.empty(shape, kind)
    finally:
        _spare.append(memory)


def centred_batches(
    block: Block, mean: Array, kind: np.dtype[np.floating], across: int
) -> Iterator[tuple[int, Array]]:
    """Yield batches of rows minus ``mean``, and the position of the first row of each.

    Each takes the memory of the one before.
    ``across`` is how many numbers are computed per row, and ``kind`` the dtype. Implied zeros of a
    sparse table are written out.
    """
    cells = block.numbers()
    sparse = hasattr(cells, "indptr")
    if sparse:
        cells = cells.tocsr()
    middle = mean.astype(kind)
    step = max(1, _CELLS_AT_ONCE // max(block.width, across, 1))
    with spare_array((min(step, block.rows), block.width), kind) as memory:
        for start in range(0, block.rows, step):
            some = cells[start : start + step]
            dense = some.toarray() if sparse else some
            rows = memory[: dense.shape[0]]
            with np.errstate(over="ignore", invalid="ignore"):
                np.subtract(dense, middle, out=rows, dtype=kind, casting="same_kind")
            yield start, rows


def nearest_to_rows(rows: Array, centres: Array) -> tuple[Array, Array]:
    """Return the position of the centre nearest to each row, and ``c.c - 2 x.c`` for it.

    Rows and centres have one float dtype. scikit-learn's ``KMeans`` compares this number, which is the
    squared distance minus x.x, and takes the first of equals: labels must agree also in ties.

    >>> nearest_to_rows(np.array([[0.0, 3.0], [1.0, 0.0]]), np.array([[0.0, 0.0], [0.0, 4.0]]))
    (array([1, 0], dtype=uint8), array([-8.,  0.]))
    """
    squares, last = np.einsum("ij,ij->i", centres, centres), len(centres) - 1
    with np.errstate(over="ignore", invalid="ignore"):
        if last >= _FEW:
            away = rows @ (-2 * centres.T)
            away += squares
            labels = away.argmin(axis=1)
            return labels, away[np.arange(len(labels)), labels]
        with spare_array((len(centres), len(rows)), rows.dtype) as away:
            np.matmul(-2 * centres, rows.T, out=away)
            np.add(away, squares[:, None], out=away)
            best = away.min(axis=0)
            same = away == best
    turns = np.arange(last, -1, -1, dtype=np.uint8)[:, None]  # the largest of equals is the first
    return last - (same * turns).max(axis=0), best


def distances_to_centres(rows: Array, centres: Array) -> Array:
    """Return the squared distance of each row to each centre, a line per row, as 64-bit floats.

    >>> distances_to_centres(np.array([[0.0, 3.0]]), np.array([[0.0, 0.0], [0.0, 4.0]]))
    array([[9., 1.]])
    """
    rows, centres = rows.astype(np.float64, copy=False), centres.astype(np.float64, copy=False)
    with np.errstate(over="ignore", invalid="ignore"):
        away = rows @ (-2 * centres.T)
        away += np.einsum("ij,ij->i", rows, rows)[:, None]
        away += np.einsum("ij,ij->i", centres, centres)
    return np.asarray(np.maximum(away, 0.0, out=away))  # rounding may leave a little below 0


def refuse_not_finite(block: Block) -> NoReturn:
    """Refuse rows whose sums are not finite: a cell is missing, infinite or too large."""
    Finite().update(Finite().empty(block.width), block)
    raise BadCells("range")


def rows_at(block: Block, places: Array, mean: Array, kind: np.dtype[np.floating]) -> Array:
    """Return the rows at some positions minus ``mean``, with dtype ``kind``."""
    cells = block.numbers()
    sparse = hasattr(cells, "indptr")
    some = cells.tocsr()[places].toarray() if sparse else cells[places]
    return np.asarray(np.subtract(some, mean.astype(kind), dtype=kind, casting="same_kind"))
