"""A flood of equal answers is counted: the file stays small, and nothing leaves unrecorded."""

from __future__ import annotations

import pytest

from fedps.client import Ledger, Responder, open_table
from fedps.client.ledger import Charge, check_chain, ledger_lines, read_ledger
from fedps.client.ledger.index_file import index_path
from fedps.client.policy import Policy
from fedps.protocol.messages import Failure
from tests.parts.client.ledgers import Clock, begin_fit, note
from tests.parts.client.opening import opening, talk
from tests.parts.client.test_ledger_file import COUNTS_GAPS, TABLE


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "ledger.jsonl"


def commit(ledger, **more):
    note(ledger, **more)
    ledger.commit()


def times(path):
    return [(entry.times, entry.outcome) for entry in read_ledger(path)]


@pytest.mark.slow
def test_two_thousand_refused_rounds(path):
    """Each of another pipeline, and with another text: nothing that a server can vary makes a line."""
    for number in range(2000):
        ledger = Ledger(path, "hospital-net") if number % 500 == 0 else ledger  # noqa: F821
        text = b"refusal %d" % number
        commit(ledger, statistic="Round", outcome="refused", answer=text, pipeline=f"{number}")
    assert path.stat().st_size < 3000
    assert sum(entry.times for entry in read_ledger(path)) == 2000
    assert index_path(path).stat().st_size < 100_000


def test_a_minute_later_they_are_written(path, clock):
    ledger = Ledger(path, clock=clock)
    for seconds in (0, 1, 57, 1.9):
        clock.forward(seconds)
        commit(ledger)
    assert len(path.read_text().splitlines()) == 1
    assert times(path) == [(1, "sent"), (3, "sent")]  # those that are counted are at the end
    clock.forward(0.1)
    commit(ledger)
    assert len(path.read_text().splitlines()) == 2
    assert times(path) == [(1, "sent"), (4, "sent")]
    assert check_chain(path) == []


def test_they_are_written_with_another_answer_too(path, clock):
    commit(Ledger(path, clock=clock))
    commit(Ledger(path, clock=clock))
    clock.forward(60)
    commit(Ledger(path, clock=clock), outcome="refused")
    assert times(path) == [(1, "sent"), (1, "sent"), (1, "refused")]
    assert len(path.read_text().splitlines()) == 3


@pytest.mark.parametrize(
    "other",
    [
        {"column": "bmi"},
        {"statistic": "Extremes"},
        {"question": "its mean"},
        {"answer": b"another"},
        {"pipeline": "3f2a"},
        {"approval": "owner 3f2a91c0"},
        {"outcome": "kept"},
    ],
)
def test_what_differs_has_a_line(path, clock, other):
    ledger = Ledger(path, clock=clock)
    commit(ledger)
    commit(ledger, **other)
    assert len(path.read_text().splitlines()) == 2


def test_another_peer_has_a_line(path, clock):
    for peer in ("one", "two"):
        commit(Ledger(path, peer, clock=clock))
    assert len(path.read_text().splitlines()) == 2


@pytest.mark.parametrize("outcome", ["refused", "failed"])
def test_what_was_refused_or_failed_has_one_line_by_question(path, clock, outcome):
    ledger = Ledger(path, clock=clock)
    for number in range(3):
        commit(ledger, outcome=outcome, answer=b"%d" % number, pipeline=f"{number}")
        commit(ledger, outcome=outcome, question="its mean")
    assert times(path) == [(1, outcome)] * 2 + [(2, outcome)] * 2
    assert len(path.read_text().splitlines()) == 2


def test_equal_answers_of_a_round_have_one_line(path, clock):
    ledger = Ledger(path, clock=clock)
    for _ in range(40):
        note(ledger)
    ledger.commit()
    assert times(path) == [(40, "sent")]


def test_new_charges_are_written_at_once(path, clock):
    ledger = Ledger(path, clock=clock)
    for number in (0, 0, 1, 1):
        commit(ledger, charges=[Charge("age", 0, 1, f"{number}")])
    assert times(path) == [(1, "sent"), (2, "sent"), (1, "sent")]
    assert len(path.read_text().splitlines()) == 2
    assert ledger.account().spent("age").numbers == 2


@pytest.mark.parametrize("keep", [True, False])
def test_fits_that_are_counted_count(path, clock, keep):
    for _ in range(5):
        begin_fit(ledger := Ledger(path, clock=clock))
        ledger.commit()
    assert Ledger(path).account().fits == 5
    clock.forward(60)
    commit(Ledger(path, clock=clock))
    assert Ledger(path).account().fits == 5
    if not keep:
        index_path(path).unlink()
    assert Ledger(path).account().fits == 5


def test_a_crash_counts_nothing_twice(path, clock):
    """The lines were written, and the index was not."""
    for _ in range(5):
        begin_fit(ledger := Ledger(path, clock=clock))
        ledger.commit()
    before = index_path(path).read_bytes()
    clock.forward(60)
    commit(Ledger(path, clock=clock))
    index_path(path).write_bytes(before)
    assert Ledger(path).account().fits == 5
    assert sum(entry.times for entry in read_ledger(path)) == 6


def test_a_clock_that_is_set_back_silences_nothing(path, clock):
    commit(Ledger(path, clock=clock))
    clock.forward(-3600)
    commit(Ledger(path, clock=clock))
    assert len(path.read_text().splitlines()) == 2


def test_in_memory_they_are_counted_too(clock):
    ledger = Ledger(clock=clock)
    for _ in range(3):
        commit(ledger)
    assert [entry.times for entry in ledger.entries] == [1, 2]
    clock.forward(60)
    commit(ledger)
    assert [entry.times for entry in ledger.entries] == [1, 3]


def test_a_full_ledger_lets_nothing_out(path, clock, monkeypatch, caplog):
    """At the limit a line is written; a byte more is not."""
    commit(Ledger(path, clock=clock))
    size = path.stat().st_size
    monkeypatch.setattr(ledger_lines, "MOST_BYTES", 2 * size)
    with path.open("ab") as file:  # as if by a line that is longer by a byte
        file.write(b"\n")
    policy = Policy(min_rows=0)
    responder = Responder("oslo", open_table(TABLE), policy, ledger=Ledger(path, clock=clock))
    assert talk(responder, opening(COUNTS_GAPS, 0)).problem == Failure("ledger")
    assert "the ledger is full: it may have" in caplog.text
    commit(Ledger(path, clock=clock))  # what is only counted needs no room
    assert times(path) == [(1, "sent"), (1, "sent")]


def test_at_the_limit(path, clock, monkeypatch):
    commit(Ledger(path, clock=clock))
    commit(Ledger(path, clock=clock), column="agf")
    first, second = path.read_bytes().splitlines(keepends=True)
    for room, is_written in ((0, True), (-1, False)):
        path.write_bytes(first)
        index_path(path).unlink()
        monkeypatch.setattr(ledger_lines, "MOST_BYTES", len(first + second) + room)
        ledger = Ledger(path, clock=clock)
        note(ledger, column="agf")
        if is_written:
            ledger.commit()
            continue
        with pytest.raises(OSError, match="the ledger is full"):
            ledger.commit()
        assert path.read_bytes() == first
