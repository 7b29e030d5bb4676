"""Rotation: a client's columns, rotated so that only the client can undo it.

Inner products and distances of rows stay the same, so that whatever depends on nothing else can be
learned from the rotated columns. They are hidden up to a rotation and no more than that: the only
column of a client becomes itself, or its negative.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from fedps.statistics.base import Array


class Rotated(NamedTuple):
    """Columns after a rotation: ``cells = (columns - means) @ rotation``."""

    cells: Array  # (n, min(n, m))
    means: Array  # (m,), zeros where the columns were not centred
    rotation: Array  # (m, min(n, m)), columns at right angles to each other


def rotated(columns: Array, *, centred: bool, some: slice = slice(None)) -> Rotated:
    """Return as few rotated columns as have the same inner products of rows; cells of ``some`` rows.

    The rotation is drawn from the cells of all rows. So it is the same whenever the client needs it,
    which keeps no state between rounds, and only someone with the cells can draw it again.

    >>> columns = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 9.0]])
    >>> new = rotated(columns, centred=True)
    >>> bool(np.allclose(new.cells @ new.rotation.T + new.means, columns))
    True
    """
    # adding 0.0 turns -0.0 into 0.0: equal cells must have equal bits, from which the seed is taken
    columns = np.ascontiguousarray(columns, dtype=np.float64) + 0.0
    rows, width = columns.shape
    means = columns.mean(axis=0) if centred and rows else np.zeros(width)
    rotation = _at_right_angles(_drawn(columns, min(rows, width)))
    if rows < width:  # the rows span fewer directions than there are columns: only those are kept
        rotation = _at_right_angles((columns - means).T @ rotation)
    return Rotated((columns[some] - means) @ rotation, means, rotation)


def as_they_are(columns: Array, *, centred: bool) -> Rotated:
    """Return the columns less their means, and not rotated."""
    columns = np.asarray(columns, dtype=np.float64)
    rows, width = columns.shape
    means = columns.mean(axis=0) if centred and rows else np.zeros(width)
    return Rotated(columns - means, means, np.eye(width))


def _drawn(columns: Array, size: int) -> Array:
    """Return a square matrix of normal numbers, seeded by the cells."""
    digest = blake2b(columns.tobytes(), digest_size=16, person=b"fedps rotation").digest()
    generator = np.random.default_rng(int.from_bytes(digest, "little"))
    return generator.standard_normal((size, size))


def _at_right_angles(columns: Array) -> Array:
    """Return an orthonormal basis of what the columns span.

    Signs as in R of a QR with a positive diagonal: of a random matrix, this is a uniformly random
    rotation.
    """
    basis, triangle = np.linalg.qr(columns)
    return np.asarray(basis * np.where(np.diagonal(triangle) < 0, -1.0, 1.0))
