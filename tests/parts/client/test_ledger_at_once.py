"""Processes that share a ledger: what they count and write is one step."""

from __future__ import annotations

import pytest

from fedps.client import Ledger, file_lock
from fedps.client.ledger import Charge, Spent, check_chain, read_ledger
from fedps.protocol.messages import Refusal
from tests.at_once import at_once

PEERS = [f"peer {i}" for i in range(6)]


def one_fit(account, charges, fits):
    return Refusal("max_fits", "1") if account.fits + fits > 1 else None


def ten_numbers(account, charges, fits):
    new = sum(charge.numbers for charge in charges)
    return Refusal("budget", "10") if account.spent("age").numbers + new > 10 else None


def begin_a_fit(ready, path, name):
    ledger = Ledger(path, name)
    ready()
    ledger.note(1, "Schema", ("age",), "-", b"names", "sent")
    return "refused" if ledger.commit(one_fit) else "sent"


def spend(ready, path, name):
    ledger = Ledger(path, name)
    ready()
    said = []
    for turn in range(5):
        new = Charge("age", 1, 2, f"{name} {turn}")
        ledger.note(1, "Moments", ("age",), "AGGREGATE", b"", "sent", charges=[new])
        said.append("refused" if ledger.commit(ten_numbers) else "sent")
    return said


@pytest.mark.slow
def test_six_fits_at_once_with_one_allowed(tmp_path):
    path = tmp_path / "ledger.jsonl"
    said = at_once(begin_a_fit, *((path, peer) for peer in PEERS))
    assert sorted(said) == ["refused"] * 5 + ["sent"]
    assert Ledger(path).account().fits == 1
    assert len(list(read_ledger(path))) == 1


@pytest.mark.slow
def test_six_processes_spend_one_budget(tmp_path):
    path = tmp_path / "ledger.jsonl"
    said = [word for own in at_once(spend, *((path, peer) for peer in PEERS)) for word in own]
    assert (said.count("sent"), said.count("refused")) == (5, 25)
    assert Ledger(path).account().spent("age") == Spent(5, 10)
    assert check_chain(path) == []


def test_a_lock_of_a_link_is_an_error(tmp_path):
    (tmp_path / "ledger.jsonl.lock").symlink_to(tmp_path / "elsewhere")
    ledger = Ledger(tmp_path / "ledger.jsonl")
    ledger.note(1, "Moments", ("age",), "AGGREGATE", b"", "sent")
    with pytest.raises(OSError, match="symbolic links"):
        ledger.commit()
    assert not (tmp_path / "elsewhere").exists()


def test_it_is_locked_without_fcntl_too(tmp_path, monkeypatch):
    monkeypatch.setattr(file_lock, "_fcntl", None)
    ledger = Ledger(tmp_path / "ledger.jsonl")
    ledger.note(1, "Moments", ("age",), "AGGREGATE", b"", "sent")
    ledger.commit()
    assert not (tmp_path / "ledger.jsonl.lock").exists()


def test_a_ledger_behind_two_links_has_one_lock(tmp_path):
    real = tmp_path / "ledger.jsonl"
    Ledger(real)
    for name in ("one", "two"):
        (tmp_path / name).symlink_to(real)
        ledger = Ledger(tmp_path / name, name)
        ledger.note(1, "Schema", ("age",), "-", b"", "sent")
        ledger.commit()
    assert Ledger(real).account().fits == 2
    assert {path.name for path in tmp_path.iterdir()} == {
        *("one", "two", "ledger.jsonl", "ledger.jsonl.index", "ledger.jsonl.lock"),
    }
