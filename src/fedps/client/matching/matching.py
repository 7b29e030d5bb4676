"""Matching: an owner's steps in one match, from its keys to the rows that all owners have."""

from __future__ import annotations

from functools import cached_property
from hashlib import blake2b, shake_256

import numpy as np

from fedps.client.matching.curve import blinded, points_of
from fedps.client.matching.meeting import candidates_of, proofs_of, shares_of, tags_of
from fedps.client.matching.scalars import Scalars, scalars_from
from fedps.client.owner.fit_secrets import FitSecrets
from fedps.client.owner.keys import in_common_order, key_bytes, keys_digest
from fedps.statistics import BadCells
from fedps.statistics.base import Array
from fedps.statistics.matching.points import MARK_SIZE, SIZE, all_different
from fedps.statistics.matching.xor_table import WORDS, XorTable, xor_table

_MARKS, _MET, _FOUND = (
    "marks",
    "met",
    "found",
)  # what is noted on the way: a process may live for one message only


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
        The position of this owner among all, and how many there are; 0 where that is not known yet.
    """

    def __init__(
        self,
        keys: Array,
        salt: bytes,
        secrets: FitSecrets,
        name: str,
        owner: int,
        owners: int,
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
        return scalars_from(self._seed)

    @cached_property
    def _seed(self) -> bytes:
        """What all secrets of this match follow from: others, should the keys or the salt be others.

        One number may not blind two tables: equal points would tell which keys are in both.
        """
        secret = self._secrets.of(self._name)
        about = keys_digest(self._keys) + self._salt
        return blake2b(about, key=secret, digest_size=32, person=b"fedps match").digest()

    @cached_property
    def mark(self) -> bytes:
        """What stands for this owner in this match. All owners must know the same marks of all."""
        return blake2b(key=self._seed, digest_size=MARK_SIZE, person=b"fedps mark").digest()

    @cached_property
    def _order(self) -> Array:
        """The order in which the owner sends its keys: a random one, so that it tells nothing."""
        return np.argsort(self._random(b"order", self.size, 1).ravel(), kind="stable")

    def _random(self, what: bytes, rows: int, columns: int) -> Array:
        """Return random words that follow from the secret: a message that comes again gets the same reply."""
        drawn = shake_256(what + self._seed).digest(8 * rows * columns)
        return np.frombuffer(drawn, dtype="<u8").reshape(rows, columns).astype(np.uint64)

    def own_points(self, start: int, stop: int) -> Array:
        """Return some of the owner's keys, in its random order, as points that it has blinded."""
        return blinded(
            points_of(self._keys[self._order[start:stop]], self._salt), self._scalars.first
        )

    def blind(self, points: Array) -> Array:
        """Return another owner's points, blinded by this owner as well."""
        return blinded(points, self._scalars.common)

    def agree(self, marks: bytes) -> None:
        """Note who takes part; BadCells unless this owner is among them, where it was told that it stands.

        What owners make of a key follows from all marks. So it can be compared only between owners that
        were told the same: no two that both take themselves for the first, or for the only one.
        """
        if self._owners < 2:
            raise BadCells("marks")  # it was not told where it stands
        each = [marks[i : i + MARK_SIZE] for i in range(0, len(marks), MARK_SIZE)]
        known = self._noted(_MARKS)
        at = self._owner
        if len(each) != self._owners or len(set(each)) < len(each) or each[at] != self.mark:
            raise BadCells("marks")
        if known not in (b"", marks):
            raise BadCells("marks")
        self._note(_MARKS, marks)

    def _noted(self, what: str) -> bytes:
        return self._secrets.noted(self._name, f"{what}-{self.mark.hex()}") or b""

    def _note(self, what: str, data: bytes) -> None:
        if data != self._noted(what):
            self._secrets.note(self._name, f"{what}-{self.mark.hex()}", data)

    def meet(self, start: int, points: Array) -> None:
        """Take own keys, from ``start`` on, as all others have blinded them, and blind them at last."""
        known = self._noted(_MET)
        if len(points) == 0 or len(known) >= SIZE * (start + len(points)):
            return  # the message has come before
        if len(known) != SIZE * start or start + len(points) > self.size:
            raise BadCells("points")
        met = known + blinded(points, self._scalars.last).tobytes()
        self._note(_MET, met)

    @cached_property
    def _met(self) -> Array:
        """What only owners of a key can know of it, for each key, as (n, 32) bytes.

        The key itself goes into it. So a point that came back for another key, by mistake or on purpose,
        meets none.
        """
        met, marks = self._noted(_MET), self._noted(_MARKS)
        points = np.frombuffer(met, dtype=np.uint8)
        if not marks or points.size != SIZE * self.size:
            raise BadCells("points")
        if not all_different(points.reshape(-1, SIZE)):
            raise BadCells("points")  # they came in several messages
        session = blake2b(marks, digest_size=32, person=b"fedps marks").digest()
        found = [
            blake2b(met[SIZE * i : SIZE * (i + 1)] + key_bytes(key), key=session, digest_size=SIZE)
            for i, key in enumerate(self._keys[self._order].tolist())
        ]
        packed = b"".join(digest.digest() for digest in found)
        return np.frombuffer(packed, dtype=np.uint8).reshape(-1, SIZE)

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
        self._note(_FOUND, rows.astype("<i8").tobytes())

    @property
    def found(self) -> Array:
        """The rows that were found so far, by their positions."""
        return np.frombuffer(self._noted(_FOUND), dtype="<i8")

    def rows(self) -> Array:
        """Return the rows that all owners have, in an order that is the same at each owner."""
        found = self.found
        order = in_common_order(self._keys[found], self._salt)
        return np.asarray(found[order], dtype=np.int64)


def _as_one(words: Array) -> Array:
    """Return each line of words as one value that can be compared and sorted."""
    packed = np.ascontiguousarray(words.astype(">u8"))
    return packed.view(np.dtype((np.bytes_, 8 * words.shape[1]))).ravel()
