"""Finding the rows that all owners have, by keys that nobody shows.

Each owner's keys go once around: it blinds them itself, then every other owner does, in turn, and what comes
back to it follows from the key and the secrets of all. Nobody can make such a point alone, and only the
owner itself ever sees those of its keys. From them it makes a table in which only keys that all owners
have can be seen (``statistics/matching/match_table``). So the server learns how many keys each owner has
and how many all have, and nothing about any other key.

With k owners that takes k + 1 rounds and a delivery; more, if keys do not fit in one message.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from fedps.errors import PeerError
from fedps.learned import PerClient
from fedps.protocol.plan import Plan, View, ask, hand_over
from fedps.statistics import BlindedAgain, BlindedKeys, MatchTable, ProvenKeys
from fedps.statistics.base import Array
from fedps.statistics.matching.blinded_keys import OwnKeys
from fedps.statistics.matching.match_table import CANDIDATE_WORDS, LINES_AT_ONCE, OwnerTable
from fedps.statistics.matching.points import MOST_POINTS, NO_POINTS
from fedps.statistics.matching.proven_keys import MOST_PROOFS
from fedps.statistics.matching.xor_table import TAG_WORDS, WORDS, XorTable, size_for


class Match(NamedTuple):
    """What the server knows of a match: how many keys each owner has, and how many all; who has the target."""

    sizes: tuple[int, ...]
    common: int
    has_target: tuple[bool, ...]


def match_rows(view: View) -> Plan[Match]:
    """Have each owner find the rows that all have; nothing is kept if there are none."""
    first = yield from ask(BlindedKeys(0, MOST_POINTS), view)
    sizes = tuple(owner.rows for owner in first)
    has_target = tuple(owner.has_target for owner in first)
    if 0 in sizes:
        return Match(sizes, 0, has_target)
    tables = yield from _tables(view, first, sizes)
    proofs = _proofs(tables)
    if len(proofs):
        pieces = np.split(proofs, range(MOST_PROOFS, len(proofs), MOST_PROOFS))
        for piece in pieces[:-1]:
            yield from ask(ProvenKeys(), _given(view, [piece] * len(sizes), sizes))
        yield from hand_over(PerClient((pieces[-1],) * len(sizes)), view)
    return Match(sizes, len(proofs), has_target)


def _tables(view: View, first: Sequence[OwnKeys], sizes: Sequence[int]) -> Plan[list[OwnerTable]]:
    """Let all keys go around, and return what each owner made of its own."""
    most, lines = max(sizes), max([sizes[0], *map(size_for, sizes[1:])])
    marks = b"".join(owner.mark for owner in first)
    points = [owner.points for owner in first]
    for start in range(0, most, MOST_POINTS):
        stop = start + MOST_POINTS
        if start:
            own = yield from ask(BlindedKeys(start, stop), view)
            points = [owner.points for owner in own]
        around = yield from _around(view, points)
        end = LINES_AT_ONCE if stop >= most else 0  # nobody has all keys before
        parts = yield from ask(MatchTable(start, 0, end, marks), _given(view, around, sizes))
    found = [[part] for part in parts]
    for start in range(LINES_AT_ONCE, lines, LINES_AT_ONCE):
        ask_more = MatchTable(0, start, start + LINES_AT_ONCE, marks)
        parts = yield from ask(ask_more, _given(view, [NO_POINTS] * len(sizes), sizes))
        for own_parts, part in zip(found, parts, strict=True):
            own_parts.append(part)
    return [OwnerTable(own[0].seed, np.concatenate([p.lines for p in own])) for own in found]


def _around(view: View, points: list[Array]) -> Plan[list[Array]]:
    """Return each owner's points as all others have blinded them, one after the other."""
    owners = len(points)
    for turn in range(1, owners):
        whose = [(owner - turn) % owners for owner in range(owners)]
        given = [points[i] for i in whose]
        blinded = yield from ask(BlindedAgain(), _given(view, given, [len(own) for own in given]))
        points = [blinded[whose.index(i)] for i in range(owners)]
    return points


def _given(view: View, arrays: Sequence[Array], rows: Sequence[int]) -> View:
    """Return the view with an array for each owner; ``rows`` is how many lines an answer is about."""
    return replace(view.give(PerClient(tuple(arrays))), rows_there=tuple(rows))


def _proofs(tables: Sequence[OwnerTable]) -> Array:
    """Return the proofs of keys that all owners have: what is left when all covers are taken away."""
    first, *others = tables
    kinds = [CANDIDATE_WORDS, *(WORDS for _ in others)]
    for number, (table, words) in enumerate(zip(tables, kinds, strict=True), start=1):
        if table.lines.shape[1] != words:
            raise PeerError(f"client number {number} sent lines of another client's kind.")
    tags, found = first.lines[:, :TAG_WORDS], first.lines[:, TAG_WORDS:].copy()
    for table in others:
        found ^= XorTable(*table).look_up(np.ascontiguousarray(tags))
    is_proof = found[:, WORDS - 1] == 0
    return np.ascontiguousarray(found[is_proof, : WORDS - 1])
