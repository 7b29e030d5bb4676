"""Rotation: a client's columns turned so that only the client can turn them back.

Inner products and distances of rows stay what they are, so that whatever depends on nothing else can
be learned from the turned columns. They are the columns up to a rotation and no more hidden than
that: the only column of a client is turned into itself, or into its negative.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from fedps.statistics.base import Array


class Rotated(NamedTuple):
    """Columns after a rotation: ``cells = (columns - means) @ turn``; whoever has the turn undoes it."""

    cells: Array  # (n, min(n, m))
    means: Array  # (m,), zeros where the columns were not centred
    rotation: Array  # (m, min(n, m)), columns at right angles to each other


def rotated(columns: Array, *, centred: bool, some: slice = slice(None)) -> Rotated:
    """Return columns in as few turned ones as hold the same rows; of ``some`` rows, as all are turned.

    The rotation is drawn from the cells themselves. So it is the same whenever the client needs it,
    which keeps nothing between two questions, and nobody without the cells can draw it again.

    >>> columns = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 9.0]])
    >>> new = rotated(columns, centred=True)
    >>> bool(np.allclose(new.cells @ new.rotation.T + new.means, columns))
    True
    """
    # adding 0.0 turns -0.0 into 0.0: equal cells must have equal bits
    columns = np.ascontiguousarray(columns, dtype=np.float64) + 0.0
    rows, width = columns.shape
    means = columns.mean(axis=0) if centred and rows else np.zeros(width)
    mixed = _at_right_angles(_drawn(columns, min(rows, width)))
    turn = mixed
    if rows < width:  # directions in which no row reaches are left out
        turn = _at_right_angles((columns - means).T @ mixed)
    return Rotated((columns[some] - means) @ turn, means, turn)


def _drawn(columns: Array, size: int) -> Array:
    """Return a square of normal numbers that the cells decide."""
    digest = blake2b(columns.tobytes(), digest_size=16, person=b"fedps rotation").digest()
    generator = np.random.default_rng(int.from_bytes(digest, "little"))
    return generator.standard_normal((size, size))


def _at_right_angles(columns: Array) -> Array:
    """Return columns of length 1 at right angles to each other that span the same."""
    basis, triangle = np.linalg.qr(columns)
    return np.asarray(basis * np.where(np.diagonal(triangle) < 0, -1.0, 1.0))
