"""Servers and owners that mean harm in a match of rows: what they try ends in a refusal, or in nothing."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np
import pytest

from fedps.client import Policy
from fedps.client.matching.curve import points_of
from fedps.client.matching.meeting import tags_of
from fedps.client.owner.fit_secrets import FitSecrets
from fedps.client.owner.kept_matches import KeptMatches
from fedps.client.requests.digest import request_digest
from fedps.plans.columns.match_rows import _proofs
from fedps.protocol.messages import Beside, Refusal, Request
from fedps.statistics import ProvenKeys
from fedps.statistics.matching.match_table import OwnerTable
from tests.attacks.matching_talks import Match, around, marks_of, owner, rule

A, B, C = range(40), range(20, 60), range(30, 70)  # 10 are at all, 20 at A and B, 30 at B and C
P = 2**255 - 19
OF_SMALL_ORDER = [
    0,
    1,
    P - 1,
    325606250916557431795983626356110631294008115727848805560023387167927233504,
    39382357235489614581723060781553021112529911719440698176882885853963445705823,
]


def as_point(number):
    return np.frombuffer(number.to_bytes(32, "little"), dtype=np.uint8)[None]


def lines_in(left, right):
    """Return how many lines two arrays have in common."""
    return len({line.tobytes() for line in left} & {line.tobytes() for line in right})


class ThreeOwners:
    """A match of three owners by a server that may do anything in between."""

    def __init__(self, **options):
        self.each = [Match(owner(keys, **options)) for keys in (A, B, C)]
        self.first = [talk.keys() for talk in self.each]
        self.points = [answer.points[0] for answer in self.first]
        self.marks = marks_of(*self.first)

    def around(self):
        """Return all owners' points, as all others have blinded them."""
        return [
            around(self.points[i], *(talk for j, talk in enumerate(self.each) if j != i))
            for i in range(3)
        ]

    def lines(self, points):
        """Return what the owners make of points that come back to them."""
        every = zip(self.each, points, strict=True)
        return [talk.stand(i).lines(own, self.marks) for i, (talk, own) in enumerate(every)]

    def proofs(self, lines):
        """Return what a server finds."""
        tables = [OwnerTable(talk.seed, own) for talk, own in zip(self.each, lines, strict=False)]
        return _proofs(tables)


def test_an_honest_match_by_hand():
    match = ThreeOwners()
    lines = match.lines(match.around())
    proofs = match.proofs(lines)
    assert len(proofs) == 10
    for talk, keys in zip(match.each, (A, B, C), strict=True):
        assert talk.keep(proofs) is None
        rows = talk.responder.own.matches.get("match").rows(talk.responder.table.key)
        assert sorted(list(keys)[i] for i in rows) == list(range(30, 40))


# who is told what


def test_an_owner_that_was_not_told_where_it_stands_makes_nothing_of_its_keys():
    match = ThreeOwners()
    back = match.around()
    assert rule(match.each[0].lines(back[0], match.marks)) == "marks"
    assert rule(ThreeOwners().each[0].lines(back[0], b"")) == "marks"


def test_two_owners_that_are_both_told_to_be_the_first_show_no_common_tag():
    match = ThreeOwners()
    back = match.around()
    a, b, c = (answer.marks.tobytes() for answer in match.first)
    one = match.each[0].stand(0).lines(back[0], a + b + c)
    other = match.each[1].stand(0).lines(back[1], b + a + c)
    assert one.shape == other.shape == (40, 5)
    assert lines_in(one[:, :2], other[:, :2]) == 0
    assert np.intersect1d(one, other).size == 0


def test_an_owner_takes_only_marks_with_its_own_where_it_stands():
    wrong = [b"", b"x" * 48, b"x" * 47, b"x" * 64]
    match = ThreeOwners()
    back = match.around()[0]
    a, b, c = (answer.marks.tobytes() for answer in match.first)
    told = [(0, marks) for marks in wrong]
    for first, marks in [*told, (0, b + a + c), (1, a + b + c), (0, a + b + b), (0, a + b)]:
        talk = Match(match.each[0].responder)  # begins anew
        talk.keys()
        assert rule(talk.stand(first).lines(back, marks)) == "marks"


def test_an_owner_stands_in_one_place_of_a_match():
    match = ThreeOwners()
    back = match.around()
    a, b, c = (answer.marks.tobytes() for answer in match.first)
    assert match.each[1].stand(1).lines(back[1], a + b + c).shape == (84, 3)
    again = Match(match.each[1].responder)  # the server begins anew, under the same name
    assert again.keys().marks.tobytes() == b
    assert rule(again.stand(2).lines(back[1], a + c + b)) == "marks"


@pytest.mark.parametrize("told", [(0, 2), (0, 4), (0, 1), (3, 3)])
def test_as_many_owners_as_agreed(told):
    match = ThreeOwners()
    back = match.around()
    problem = match.each[0].stand(*told).lines(back[0], match.marks)
    assert isinstance(problem, Refusal)
    assert problem.rule == "consent"


def test_consent_to_a_match_is_to_as_many_owners():
    three, two = (Request(None, n, across=True, fit="match 1") for n in (3, 2))
    other = Request(None, 3, across=True, fit="match 2")
    assert request_digest(three) == request_digest(other) != request_digest(two)


# points on their way


def test_a_server_that_leaves_out_an_owner_finds_nothing_that_two_have():
    match = ThreeOwners()
    a, b, _ = match.each
    back = [around(match.points[0], b), around(match.points[1], a), around(match.points[2], a, b)]
    lines = match.lines(back)
    assert len(match.proofs(lines)) == 0
    # nor by the tables of two alone
    assert len(match.proofs(lines[:2])) == 0


def test_points_that_come_back_for_other_keys_meet_none():
    match = ThreeOwners()
    back = match.around()
    lines = match.lines([np.roll(back[0], 1, axis=0), *back[1:]])
    assert len(match.proofs(lines)) == 0


def test_points_of_another_owner_meet_none():
    match = ThreeOwners()
    back = match.around()
    lines = match.lines([back[1], back[0], back[2]])
    assert len(match.proofs(lines)) == 0


BAD_POINTS = {
    **{f"small order {i}": as_point(number) for i, number in enumerate(OF_SMALL_ORDER)},
    "twice": np.full((2, 32), 9, dtype=np.uint8),
    "not below the prime": as_point(P + 9),
    "the highest bit": as_point(2**255 + 9),
    "31 bytes": np.ones((4, 31), dtype=np.uint8),
    "33 bytes": np.ones((4, 33), dtype=np.uint8),
    "one number": np.ones(32, dtype=np.uint8),
    "words": np.ones((4, 4), dtype=np.uint64),
    "floats": np.ones((4, 32)),
}


@pytest.mark.parametrize("name", BAD_POINTS)
def test_what_is_no_point_is_not_blinded(name):
    talk = Match(owner(A))
    assert rule(talk.blind(BAD_POINTS[name])) == "points"


@pytest.mark.parametrize("name", BAD_POINTS)
def test_what_is_no_point_does_not_come_back(name):
    match = ThreeOwners()
    bad = BAD_POINTS[name]
    if bad.ndim == 2 and bad.shape[1] == 32 and bad.dtype == np.uint8:
        bad = np.concatenate([bad, match.around()[0][: 40 - len(bad)]])
    assert rule(match.each[0].stand(0).lines(bad, match.marks)) == "points"


def test_points_that_come_twice_in_two_messages_are_not_taken():
    match = ThreeOwners()
    half, talk = match.around()[1][:20], match.each[1]
    assert len(talk.stand(1).lines(half, match.marks, stop=0)) == 0
    assert rule(talk.lines(half, match.marks, at=20)) == "points"


@pytest.mark.parametrize("at", [1, 39, 41])
def test_points_come_in_their_order(at):
    match = ThreeOwners()
    back = match.around()[1]
    assert rule(match.each[1].stand(1).lines(back[:10], match.marks, at=at)) == "points"


def test_more_or_fewer_points_than_keys():
    match = ThreeOwners()
    back = match.around()
    assert rule(match.each[1].stand(1).lines(back[1][:39], match.marks)) == "points"
    more = np.concatenate([back[0], back[2][:1]])
    assert rule(match.each[0].stand(0).lines(more, match.marks)) == "points"


def test_points_of_the_twist_tell_nothing_and_do_no_harm():
    """Half of all numbers are no point of the curve but of its twist, which is as safe."""
    rng = np.random.default_rng(0)
    points = rng.integers(0, 256, (50, 32), dtype=np.uint8)
    points[:, -1] &= 0x3F
    found = Match(owner(A)).blind(points)
    assert found.shape == (50, 32)
    assert lines_in(points, found) == 0


# what was found


def test_proofs_that_prove_nothing_are_refused():
    match = ThreeOwners()
    lines = match.lines(match.around())
    proofs = match.proofs(lines)
    wrong = [proofs ^ np.uint64(1), proofs[:, ::-1], np.zeros_like(proofs), lines[0][:, :2]]
    for forged in (*wrong, np.concatenate([proofs, wrong[0][:1]])):
        answer = match.each[0].given(ProvenKeys(), np.ascontiguousarray(forged))
        assert rule(answer) == "proofs"


@pytest.mark.parametrize(
    "proofs",
    [
        np.zeros((1, 3), np.uint64),
        np.zeros(2, np.uint64),
        np.zeros((1, 2)),
        np.zeros((1, 2), np.int64),
    ],
)
def test_what_is_no_proof_is_refused(proofs):
    match = ThreeOwners()
    match.lines(match.around())
    assert rule(match.each[0].keep(proofs)) == "proofs"


def test_nothing_is_kept_before_points_came_back():
    match = ThreeOwners()
    assert rule(match.each[0].stand(0).keep(np.zeros((1, 2), np.uint64))) == "points"


def test_a_match_of_no_rows_is_not_kept():
    match = ThreeOwners()
    match.lines(match.around())
    assert match.each[0].keep(np.zeros((0, 2), np.uint64)).rule == "min_rows of matches"


def kept(responder, name, leave_out=0):
    """Match an owner with a server that plays the other one, has the same keys, and claims fewer rows."""
    talk, other = Match(responder, 2, name), Match(owner(A), 2, name)
    first = [one.keys() for one in (talk, other)]
    marks = marks_of(*first)
    lines = [
        talk.stand(0).lines(other.blind(first[0].points[0]), marks),
        other.stand(1).lines(talk.blind(first[1].points[0]), marks),
    ]
    tables = map(OwnerTable, (talk.seed, other.seed), lines)
    proofs = _proofs([*tables])
    return talk.keep(proofs[leave_out:])


FEW = Policy(min_rows=5, budget=None)


@pytest.mark.parametrize("folder", [False, True])
def test_two_matches_may_not_differ_by_a_few_rows(folder, tmp_path):
    """What is computed from both would tell the cells of those few rows."""
    matches = KeptMatches(tmp_path / "matches" if folder else None)
    responder = owner(A, policy=FEW, matches=matches)
    assert kept(responder, "all") is None
    problem = kept(responder, "all but one", 1)
    assert (problem.rule, problem.limit) == (
        "min_rows between matches",
        "needs 5 rows between two matches, and there are fewer",
    )
    assert kept(responder, "all but four", 4).rule == "min_rows between matches"
    assert kept(responder, "the same again") is None
    assert kept(responder, "all but five", 5) is None
    if folder:  # in a new process
        again = owner(A, policy=FEW, matches=KeptMatches(tmp_path / "matches"))
        assert kept(again, "all but two", 2).rule == "min_rows between matches"
    other = owner(range(41), policy=FEW, matches=matches)
    assert kept(other, "another table") is None


def test_a_match_cannot_be_kept_again_with_other_rows():
    responder = owner(A)
    assert kept(responder, "once") is None
    rows = responder.own.matches.get("once")
    assert Match(responder, 2, "once").keys().rule == "match exists"
    assert responder.own.matches.get("once") is rows


# secrets


def test_another_table_is_blinded_by_other_numbers():
    """Equal points of two tables would tell which keys are in both."""
    secrets = FitSecrets()
    before = Match(owner(A, secrets=secrets)).keys()
    again = Match(owner(A, secrets=secrets)).keys()
    assert before.points[0].tobytes() == again.points[0].tobytes()
    for keys in (range(41), range(1, 41), [*range(39), 99], reversed(range(40))):
        after = Match(owner([*keys], secrets=secrets)).keys()
        assert lines_in(before.points[0], after.points[0]) == 0
        assert before.marks.tobytes() != after.marks.tobytes()
    salted = Match(owner(A, secrets=secrets, salt=b"among us")).keys()
    assert lines_in(before.points[0], salted.points[0]) == 0


def test_each_match_has_its_own_numbers():
    responder = owner(A)
    one, other = (Match(responder, name=name).keys().points[0] for name in ("one", "other"))
    assert lines_in(one, other) == 0


@pytest.mark.parametrize(
    "name", ["../../secret", "/secret", "a/b", "..", "\0", "x" * 500, "\u2028"]
)
def test_a_name_is_no_path(name, tmp_path):
    inside = tmp_path / "owner"
    inside.mkdir()
    secrets, matches = FitSecrets(inside / "secrets"), KeptMatches(inside / "matches")
    assert kept(owner(A, secrets=secrets, matches=matches), name) is None
    assert {path.name for path in tmp_path.iterdir()} == {"owner"}
    assert {path.name for path in inside.iterdir()} == {"secrets", "matches"}
    files = {path.name for path in inside.rglob("*") if path.is_file() and path.name != ".lock"}
    assert len(files) == 1
    assert all(len(file) == len("0" * 32 + ".match") for file in files)


# not protected, and what a salt does


def guessed(salt):
    """Return how many of a server's 100 guesses it finds among the tags of the first owner."""
    match = ThreeOwners(salt=salt)
    guesses = np.array([str(i) for i in range(100)])
    points = around(points_of(guesses, b""), *match.each)
    lines = match.lines(match.around())
    session = blake2b(match.marks, digest_size=32, person=b"fedps marks").digest()
    made = [
        blake2b(point.tobytes() + key.encode(), key=session, digest_size=32).digest()
        for point, key in zip(points, guesses.tolist(), strict=True)
    ]
    tags = tags_of(np.frombuffer(b"".join(made), dtype=np.uint8).reshape(-1, 32))
    return lines_in(tags, lines[0][:, :2])


def test_a_server_that_guesses_keys_can_have_its_guesses_blinded_unless_there_is_a_salt():
    assert guessed(b"") == len(A)
    assert guessed(b"only owners know it") == 0


def test_where_owners_stand_is_told_once():
    talk = Match(owner(A))
    talk.keys()
    assert talk.tell(Beside(0, 3)).say() is None
    assert talk.tell(Beside(1, 3)).say().rule == "consent"
