"""What a server and each owner see of a match does not depend on keys that not all owners have, given sizes."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score

from fedps.client.matching.curve import points_of
from fedps.client.matching.matching import Matching
from fedps.plans.columns.match_rows import _proofs
from fedps.statistics.matching.match_table import OwnerTable
from fedps.statistics.matching.xor_table import XorTable
from tests.attacks.matching_talks import FixedSecrets, arrays_of, matched

COMMON, OUTSIDE = 30, 90
EVERYBODY = [f"all {i}" for i in range(COMMON)]


def shared(first, second):
    """Return keys that only two owners have, in the case where as many as possible have them."""
    return [f"only {first} {second} {i}" for i in range(OUTSIDE // 2)]


# each case: what owners have beside the common keys. Sizes are the same in all
OUTSIDE_KEYS = {
    "nothing in common": [[f"own {o} {i}" for i in range(OUTSIDE)] for o in range(3)],
    "as much as possible": [
        shared(0, 1) + shared(0, 2),
        shared(0, 1) + shared(1, 2),
        shared(0, 2) + shared(1, 2),
    ],
    "two are the same": [
        [f"both {i}" for i in range(OUTSIDE)],
        [f"both {i}" for i in range(OUTSIDE)],
        [f"{'long ' * 50}{i}" for i in range(OUTSIDE)],
    ],
    "in order": [[str(o * 1000 + i) for i in range(OUTSIDE)] for o in range(3)],
}


@pytest.fixture(scope="module")
def transcripts():
    """Return the owners of each case, with every byte that they got and sent."""
    found = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("fedps.federation.owners.private_match.token_hex", lambda n: "0" * 2 * n)
        for name, outside in OUTSIDE_KEYS.items():
            made, owners = matched([[*EVERYBODY, *own] for own in outside])
            assert made._split.matched == COMMON
            found[name] = owners
    return found


def pattern(arrays):
    """Return how many lines, and how many words, each two of some arrays have in common."""
    words = [set(np.frombuffer(array.tobytes(), "<u8").tolist()) for array in arrays]
    lines = [{line.tobytes() for line in array} for array in arrays]
    return [(len(a), len(b), len(a & b)) for own in (words, lines) for a, b in combinations(own, 2)]


def test_messages_have_the_same_sizes(transcripts):
    sizes = [
        [[(len(m), len(r)) for m, r in own.talk] for own in owners]
        for owners in transcripts.values()
    ]
    assert all(own == sizes[0] for own in sizes)


def test_the_server_sees_the_same_repeats(transcripts):
    """Which lines and words come again, in whatever message of whatever owner."""
    seen = [
        pattern([array for own in owners for array in arrays_of(own.talk)])
        for owners in transcripts.values()
    ]
    assert all(own == seen[0] for own in seen)


@pytest.mark.parametrize("number", range(3))
def test_each_owner_sees_the_same_repeats(transcripts, number):
    seen = [pattern(arrays_of(owners[number].talk)) for owners in transcripts.values()]
    assert all(own == seen[0] for own in seen)


def test_all_that_is_seen_looks_random(transcripts):
    """Every bit is set half of the time, but the highest of points, which is never."""
    for owners in transcripts.values():
        for own in owners:
            for array in arrays_of(own.talk):
                bits = np.unpackbits(np.ascontiguousarray(array).view(np.uint8), axis=1)
                if array.shape[1:] == (32,):
                    assert not bits[:, 31 * 8].any()
                    bits = np.delete(bits, 31 * 8, axis=1)
                rows, columns = bits.shape
                # five deviations: one bit in two million, of some thousand
                assert abs(bits.mean() - 0.5) < 5 * 0.5 / np.sqrt(bits.size)
                assert (abs(bits.mean(axis=0) - 0.5) < 5 * 0.5 / np.sqrt(rows)).all()
                assert (abs(bits.mean(axis=1) - 0.5) < 5 * 0.5 / np.sqrt(columns)).all()


def test_no_text_of_a_key_is_in_a_message(transcripts):
    for owners in transcripts.values():
        for own in owners:
            said = b"".join(m + r for m, r in own.talk)
            assert not any(
                word in said for word in (b"all 1", b"own ", b"only ", b"both ", b"long")
            )


class Simulated:
    """A match without messages: what each owner would send, and which key is where."""

    def __init__(self, keys, salt=b""):
        self.owners = [
            Matching(np.array(own), salt, FixedSecrets(f"owner {i}"), "match", i, len(keys))
            for i, own in enumerate(keys)
        ]
        marks = b"".join(own.mark for own in self.owners)
        for i, own in enumerate(self.owners):
            points = own.own_points(0, len(keys[i]))
            for other in self.owners[i + 1 :] + self.owners[:i]:
                points = other.blind(points)
            own.agree(marks)
            own.meet(0, points)
        self.tables = [OwnerTable(*own.lines(0, 2**18)) for own in self.owners]
        self.sent = np.array(keys[0])[self.owners[0]._order]  # whose line is which
        self.tags = np.ascontiguousarray(self.tables[0].lines[:, :2])
        self.looked_up = [XorTable(*own).look_up(self.tags) for own in self.tables[1:]]


def test_the_server_finds_the_common_keys_and_random_numbers_for_all_others():
    keys = [[*EVERYBODY, *own] for own in OUTSIDE_KEYS["as much as possible"]]
    match = Simulated(keys)
    found = match.tables[0].lines[:, 2:] ^ match.looked_up[0] ^ match.looked_up[1]
    is_common = np.isin(match.sent, EVERYBODY)
    assert ((found[:, 2] == 0) == is_common).all()
    assert len(_proofs(match.tables)) == COMMON
    for rest in (found, match.tables[0].lines[:, 2:] ^ match.looked_up[0]):
        words = rest[~is_common].ravel()
        assert len(np.unique(words)) == words.size
        bits = np.unpackbits(words.view(np.uint8))
        assert abs(bits.mean() - 0.5) < 5 * 0.5 / np.sqrt(bits.size)


def test_a_classifier_cannot_tell_whether_a_second_owner_has_a_key():
    """Of all that a server can compute for each key of the first owner, with three owners."""
    rng = np.random.default_rng(0)
    own = [f"own {i}" for i in range(1500)]
    at_second = rng.permutation(own)[:750].tolist()
    rest = [f"rest {i}" for i in range(750)]
    match = Simulated([own, at_second + rest, [f"third {i}" for i in range(1500)]])
    labels = np.isin(match.sent, at_second)
    covers, (one, two) = match.tables[0].lines[:, 2:], match.looked_up
    features = np.hstack([match.tags, covers, one, two, covers ^ one, covers ^ one ^ two])
    bits = np.unpackbits(np.ascontiguousarray(features).view(np.uint8), axis=1)
    right = cross_val_score(LogisticRegression(C=0.01, max_iter=300), bits, labels, cv=5)
    assert abs(right.mean() - 0.5) < 4 * 0.5 / np.sqrt(len(labels))
    # the same with a table that hides nothing is seen at once
    told = np.hstack([bits, (labels[:, None] ^ (rng.random((1500, 1)) < 0.1)).astype(np.uint8)])
    assert cross_val_score(LogisticRegression(C=0.01), told, labels, cv=5).mean() > 0.6


def test_rows_come_in_an_order_that_does_not_tell_that_of_keys():
    keys = [f"{i:05}" for i in range(400)]
    match = Simulated([keys, keys[::-1]])
    proofs = _proofs(match.tables)
    for own in match.owners:
        own.find(proofs)
    first, second = (own._keys[own.rows()] for own in match.owners)
    assert first.tolist() == second.tolist()
    ranks = np.argsort(np.argsort(first))
    assert abs(np.corrcoef(ranks, np.arange(400))[0, 1]) < 5 / np.sqrt(400)
    salted = Simulated([keys, keys[::-1]], b"among us")
    salted.owners[0].find(_proofs(salted.tables))
    assert salted.owners[0]._keys[salted.owners[0].rows()].tolist() != first.tolist()


def test_a_salt_gives_other_points():
    keys = np.array(["1", "2"])
    every = [points_of(keys, salt).tobytes() for salt in (b"", b"a", b"b", b"a" * 100)]
    assert len(set(every)) == 4
