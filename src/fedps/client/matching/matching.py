"""Matching: an owner's steps in one match, from its keys to the rows that all owners have."""

from __future__ import annotations

from functools import cached_property
from hashlib import shake_256

import numpy as np

from fedps.client.matching.curve import blinded, points_of
from fedps.client.matching.meeting import candidates_of, proofs_of, shares_of, tags_of
from fedps.client.matching.scalars import Scalars, scalars_from
from fedps.client.owner.fit_secrets import FitSecrets
from fedps.statistics import BadCells
from fedps.statistics.base import Array
from fedps.statistics.matching.points import SIZE
from fedps.statistics.matching.xor_table import WORDS, XorTable, xor_table

_MET, _FOUND = "met", "found"  # what is noted on the way: a process may live for one message only


class Matching:
    """One owner in one match.

    Parameters
    ----------
    keys : array of str
        The keys of the owner's rows, all different.
    salt : bytes
        What owners share that want to hide their keys from a server that guesses them.
    secrets : FitSecrets
        The owner's secrets.
    name : str
        What the match is called.
    owner, owners : int
        The position of this owner among all, and how many there are.
    """

    def __init__(
        self,
        keys: Array,
        salt: bytes,
        secrets: FitSecrets,
        name: str,
        owner: int = 0,
        owners: int = 1,
    ) -> None:
        self._owner, self._owners = owner, owners
        self._keys = keys
        self._salt = salt
        self._secrets = secrets
        self._name = name

    @property
    def size(self) -> int:
        """How many keys this owner has."""
        return len(self._keys)

    @cached_property
    def _scalars(self) -> Scalars:
        return scalars_from(self._secrets.of(self._name))

    @cached_property
    def _order(self) -> Array:
        """The order in which the owner sends its keys: a random one, so that it tells nothing."""
        return np.argsort(self._random(b"order", self.size, 1).ravel(), kind="stable")

    def _random(self, what: bytes, rows: int, columns: int) -> Array:
        """Return random words that follow from the secret: a message that comes again gets the same reply."""
        drawn = shake_256(what + self._secrets.of(self._name)).digest(8 * rows * columns)
        return np.frombuffer(drawn, dtype="<u8").reshape(rows, columns).astype(np.uint64)

    def own_points(self, start: int, stop: int) -> Array:
        """Return some of the owner's keys, in its random order, as points that it has blinded."""
        return blinded(
            points_of(self._keys[self._order[start:stop]], self._salt), self._scalars.first
        )

    def blind(self, points: Array) -> Array:
        """Return another owner's points, blinded by this owner as well."""
        return blinded(points, self._scalars.common)

    def meet(self, start: int, points: Array) -> None:
        """Take own keys, from ``start`` on, as all others have blinded them, and blind them at last."""
        known = self._secrets.noted(self._name, _MET) or b""
        if len(points) == 0 or len(known) >= SIZE * (start + len(points)):
            return  # the message has come before
        if len(known) != SIZE * start or start + len(points) > self.size:
            raise BadCells("points")
        met = known + blinded(points, self._scalars.last).tobytes()
        self._secrets.note(self._name, _MET, met)

    @property
    def _met(self) -> Array:
        met = np.frombuffer(self._secrets.noted(self._name, _MET) or b"", dtype=np.uint8)
        if met.size != SIZE * self.size:
            raise BadCells("points")
        return met.reshape(-1, SIZE)

    def lines(self, start: int, stop: int) -> tuple[int, Array]:
        """Return the seed of what this owner sends, and some lines of it.

        The first owner sends candidates, and each other a table in which they are looked up.
        """
        if self._owner == 0:
            return 0, candidates_of(self._met[start:stop], self._owners)
        table = self._table
        return table.seed, table.slots[start:stop]

    @cached_property
    def _table(self) -> XorTable:
        tags, shares = tags_of(self._met), shares_of(self._met, self._owner)
        return xor_table(tags, shares, lambda slots: self._random(b"fill", slots, WORDS))

    def find(self, proofs: Array) -> None:
        """Note the rows of keys that all owners have; BadCells for what does not prove that."""
        if proofs.dtype != np.uint64 or proofs.ndim != 2 or proofs.shape[1] != 2:
            raise BadCells("proofs")
        own = _as_one(proofs_of(self._met))
        order = np.argsort(own)
        at = np.searchsorted(own, wanted := _as_one(proofs), sorter=order).clip(0, self.size - 1)
        if self.size == 0 or (own[order[at]] != wanted).any():
            raise BadCells("proofs")
        rows = np.union1d(self.found, self._order[order[at]])
        self._secrets.note(self._name, _FOUND, rows.astype("<i8").tobytes())

    @property
    def found(self) -> Array:
        """The rows that were found so far, by their positions."""
        return np.frombuffer(self._secrets.noted(self._name, _FOUND) or b"", dtype="<i8")

    def rows(self) -> Array:
        """Return the rows that all owners have, sorted by their keys: in the same order at each owner."""
        found = self.found
        return np.asarray(found[np.argsort(self._keys[found], kind="stable")], dtype=np.int64)


def _as_one(words: Array) -> Array:
    """Return each line of words as one value that can be compared and sorted."""
    packed = np.ascontiguousarray(words.astype(">u8"))
    return packed.view(np.dtype((np.bytes_, 8 * words.shape[1]))).ravel()
