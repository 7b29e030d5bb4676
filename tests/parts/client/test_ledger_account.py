"""The account: what answers add up to, each charge once, whatever became of the answer."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from fedps.client import Ledger
from fedps.client.ledger import Charge, Spent
from fedps.protocol.messages import Refusal
from tests.parts.client.ledgers import Clock, at_most_one_fit, begin_fit, note


@pytest.fixture(params=["memory", "file"])
def opened(request, tmp_path):
    """A function that opens the ledger: in memory always the same one, as it ends with the object."""
    clock, in_memory = Clock(), Ledger(clock=Clock())
    path = tmp_path / "ledger.jsonl"
    return lambda: in_memory if request.param == "memory" else Ledger(path, clock=clock)


def charge(column="age", values=1, numbers=2, key="k"):
    return Charge(column, values, numbers, key)


def test_an_empty_ledger(opened):
    account = opened().account()
    assert (account.fits, account.columns(), account.spent("age")) == (0, [], Spent(0, 0))
    assert not account.knows("k")


def test_charges_add_up_over_commits_and_processes(opened):
    for key in ("a", "b"):
        ledger = opened()
        note(ledger, charges=[charge(key=key), charge("bmi", 0, 5, key)])
        ledger.commit()
    account = opened().account()
    assert account.spent("age") == Spent(2, 4)
    assert account.spent("bmi") == Spent(0, 10)
    assert sorted(account.columns()) == ["age", "bmi"]
    assert account.knows("a")
    assert not account.knows("c")


@pytest.mark.parametrize("outcome", ["sent", "refused", "failed", "kept"])
def test_every_outcome_is_charged(opened, outcome):
    note(ledger := opened(), outcome=outcome, charges=[charge()])
    ledger.commit()
    assert opened().account().spent("age") == Spent(1, 2)


def test_what_is_known_costs_nothing_again(opened):
    for _ in range(3):
        ledger = opened()
        note(ledger, charges=[charge(), charge()])
        note(ledger, "bmi", charges=[charge()])
        ledger.commit()
    assert opened().account().spent("age") == Spent(1, 2)


def test_a_key_is_of_a_column(opened):
    """What is made from two columns is charged to both, with the key of one answer."""
    note(ledger := opened(), charges=[charge("age"), charge("bmi")])
    ledger.commit()
    assert opened().account().spent("bmi") == opened().account().spent("age") == Spent(1, 2)


def test_only_new_charges_are_written(tmp_path):
    path, clock = tmp_path / "ledger.jsonl", Clock()
    for _ in range(2):
        note(ledger := Ledger(path, clock=clock), charges=[charge()])
        ledger.commit()
        clock.forward(60)
    first, second = map(json.loads, path.read_text().splitlines())
    assert first["charges"] == [["age", 1, 2, "k"]]
    assert "charges" not in second


def test_the_check_gets_what_is_new(opened):
    note(ledger := opened(), charges=[charge(key="a")])
    ledger.commit()
    seen = []

    def check(account, charges, fits):
        seen.append((account.spent("age"), [one.key for one in charges], fits, account.knows("a")))

    note(ledger, charges=[charge(key="a"), charge(key="b")])
    note(ledger, "bmi", charges=[charge(key="b"), charge(key="c")])
    begin_fit(ledger)
    assert ledger.commit(check) is None
    assert seen == [(Spent(1, 2), ["b", "c"], 1, True)]
    assert opened().account().fits == 1


def test_what_is_refused_is_not_written(opened):
    ledger = opened()
    begin_fit(ledger)
    assert ledger.commit(at_most_one_fit) is None
    begin_fit(ledger, b"others")
    note(ledger, charges=[charge()])
    assert ledger.commit(at_most_one_fit) == Refusal("max_fits", "allows 1 fit")
    assert len(ledger.entries) == 1
    assert opened().account().columns() == []
    note(ledger, statistic="Round", outcome="refused")
    assert ledger.commit() is None
    assert [entry.outcome for entry in ledger.entries] == ["sent", "refused"]
    assert opened().account().fits == 1


def test_a_refused_schema_is_no_fit(opened):
    note(ledger := opened(), statistic="Schema", outcome="refused")
    ledger.commit()
    assert opened().account().fits == 0


def test_threads_that_share_a_ledger_have_their_own_notes(opened):
    """Six fits are begun at once, with one allowed, and one is answered."""

    def one(number):
        ledger = opened()
        begin_fit(ledger, b"%d" % number)
        return ledger.commit(at_most_one_fit)

    with ThreadPoolExecutor(6) as threads:
        found = list(threads.map(one, range(6)))
    assert found.count(None) == 1
    assert opened().account().fits == 1
