"""Processes that share a ledger: what they count and write is one step."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from fedps.client import Ledger, file_lock
from fedps.client.ledger import Spent, check_chain, read_ledger

PROGRAM = """
import sys
from fedps.client import Ledger
from fedps.client.ledger import Charge
from fedps.protocol.messages import Refusal

path, name, what = sys.argv[1:]

def one_fit(account, charges, fits):
    return Refusal("max_fits", "1") if account.fits + fits > 1 else None

def ten_numbers(account, charges, fits):
    new = sum(charge.numbers for charge in charges)
    return Refusal("budget", "10") if account.spent("age").numbers + new > 10 else None

ledger = Ledger(path, name)
print("ready", flush=True)
sys.stdin.readline()
for turn in range(5 if what == "budget" else 1):
    if what == "fits":
        ledger.note(1, "Schema", ("age",), "-", b"names", "sent")
        refused = ledger.commit(one_fit)
    else:
        new = Charge("age", 1, 2, f"{name} {turn}")
        ledger.note(1, "Moments", ("age",), "AGGREGATE", b"", "sent", charges=[new])
        refused = ledger.commit(ten_numbers)
    print("refused" if refused else "sent", flush=True)
"""


def six_at_once(path, what):
    """Return what six processes say that begin when all of them are ready."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    started = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(path), f"peer {i}", what],
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for i in range(6)
    ]
    for process in started:
        assert process.stdout.readline() == "ready\n"
    for process in started:
        process.stdin.write("go\n")
        process.stdin.flush()
    return [word for process in started for word in process.communicate(timeout=120)[0].split()]


@pytest.mark.slow
def test_six_fits_at_once_with_one_allowed(tmp_path):
    path = tmp_path / "ledger.jsonl"
    said = six_at_once(path, "fits")
    assert sorted(said) == ["refused"] * 5 + ["sent"]
    assert Ledger(path).account().fits == 1
    assert len(list(read_ledger(path))) == 1


@pytest.mark.slow
def test_six_processes_spend_one_budget(tmp_path):
    path = tmp_path / "ledger.jsonl"
    said = six_at_once(path, "budget")
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
