"""The index beside a ledger: lost, broken, old or of another file, it never lets out more."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat

import pytest

from fedps.client import Ledger
from fedps.client.ledger import Charge, Spent, check_chain, read_ledger
from fedps.client.ledger.index_file import index_path, read_counted
from fedps.errors import UsageError
from tests.parts.client.ledgers import Clock, begin_fit, note


@pytest.fixture
def path(tmp_path):
    """A ledger of two fits, and charges to two columns."""
    path, clock = tmp_path / "ledger.jsonl", Clock()
    for number in range(2):
        write(path, number, clock)
    return path


def write(path, number, clock=None):
    ledger = Ledger(path, clock=clock or Clock())
    begin_fit(ledger, b"%d" % number)
    note(ledger, answer=b"%d" % number, charges=[Charge("age", 1, 3, f"{number}")])
    ledger.commit()


def totals(path):
    account = Ledger(path).account()
    return account.fits, account.spent("age"), account.knows("0"), account.knows("1")


WHOLE = (2, Spent(2, 6), True, True)


def test_only_its_owner_may_read_it(path):
    assert stat.S_IMODE(index_path(path).stat().st_mode) == 0o600
    assert totals(path) == WHOLE


def test_the_lines_are_not_read_again(path, monkeypatch):
    Ledger(path).account()
    monkeypatch.setattr("fedps.client.ledger.index_file.entry_of", None)  # nothing calls it
    assert totals(path) == WHOLE


def test_lost(path):
    index_path(path).unlink()
    assert totals(path) == WHOLE


@pytest.mark.parametrize("spoil", [b"", b"no database" * 1000, None])
def test_broken(path, spoil, caplog):
    index = index_path(path)
    whole = index.read_bytes()
    index.write_bytes(whole[: len(whole) // 2] if spoil is None else spoil)
    assert totals(path) == WHOLE
    write(path, 2)
    assert totals(path) == (3, Spent(3, 9), True, True)


@pytest.mark.parametrize(
    "order",
    [
        "DELETE FROM state",
        "UPDATE state SET state = 'nothing'",
        "UPDATE state SET state = 'null'",
        "DROP TABLE spent",
        "PRAGMA user_version = 7",
        "PRAGMA user_version = 0",
    ],
)
def test_of_another_form(path, order):
    with sqlite3.connect(index_path(path)) as database:
        database.execute(order)
    database.close()
    assert totals(path) == WHOLE


def test_stale(path):
    """A process was killed after it had written its lines, or an old copy came back."""
    index = index_path(path)
    shutil.copy(index, index.with_name("copy"))
    write(path, 2)
    shutil.copy(index.with_name("copy"), index)
    assert totals(path) == (3, Spent(3, 9), True, True)
    assert check_chain(path) == []


def test_one_of_another_ledger_is_not_believed(path, tmp_path, caplog):
    """Neither one that has read less, nor one that has read as much and says less."""
    other = tmp_path / "other.jsonl"
    Ledger(other).account()
    shutil.copy(index_path(other), index_path(path))
    assert totals(path) == WHOLE
    assert caplog.text == ""
    ledger = Ledger(other)
    for _ in range(2):
        begin_fit(ledger, b"")
    ledger.commit()
    shutil.copy(index_path(other), index_path(path))
    assert totals(path) == WHOLE
    assert "is not the one that its index was made of" in caplog.text


def test_a_shorter_file_is_counted_again_and_said(path, caplog):
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:2]))
    assert totals(path) == (1, Spent(1, 3), True, False)
    assert "lines were removed or changed" in caplog.text
    (problem,) = check_chain(path)
    assert str(problem).startswith("lines 1 to 4 were removed or changed, or are of a file that")


def test_a_new_file_begins_again(path, tmp_path):
    path.rename(tmp_path / "kept.jsonl")
    assert totals(path) == (0, Spent(0, 0), False, False)
    write(path, 0)
    assert totals(path) == (1, Spent(1, 3), True, False)


def test_links_are_refused(path, tmp_path):
    index = index_path(path)
    ledger = Ledger(path)
    index.rename(tmp_path / "elsewhere")
    index.symlink_to(tmp_path / "elsewhere")
    note(ledger)
    with pytest.raises(OSError, match="is not a regular file: remove it"):
        ledger.commit()
    with pytest.raises(UsageError, match="index is not a regular file: remove it"):
        Ledger(path)


def test_one_that_others_may_write_is_refused(path):
    index_path(path).chmod(0o666)
    with pytest.raises(UsageError, match="others than the owner may write ledger.jsonl.index"):
        Ledger(path)
    assert read_counted(path) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
def test_where_it_cannot_be_written_nothing_is_final(path):
    ledger = Ledger(path)
    index_path(path).chmod(0o400)
    note(ledger)
    with pytest.raises(OSError, match=r"index|Permission"):
        ledger.commit()


def test_what_fails_half_way_is_not_counted(path, monkeypatch):
    ledger = Ledger(path)
    begin_fit(ledger, b"new")
    with monkeypatch.context() as full:
        full.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError("disk full")))
        with pytest.raises(OSError, match="disk full"):
            ledger.commit()
    ledger.drop()
    # the line is in the file: rather an entry too many
    assert totals(path)[0] == 3
    assert check_chain(path) == []


def test_a_reader_does_not_stop_it(path, monkeypatch):
    """Who reads the index for longer than is waited makes a commit fail, and does not break it."""
    monkeypatch.setattr("fedps.client.ledger.index_file._WAIT", 0.05)
    reader = sqlite3.connect(index_path(path), isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM state").fetchall()
    ledger = Ledger(path)
    note(ledger, "new")
    with pytest.raises(OSError, match="locked"):
        ledger.commit()
    reader.close()
    ledger.drop()
    assert totals(path) == WHOLE


def test_a_ledger_of_before(tmp_path):
    """Lines of the first version have no question, no charges and no digest of the line before."""
    path = tmp_path / "ledger.jsonl"
    old = (
        '{"time":"2026-01-02T03:04:05.678Z","peer":"net","round":1,"statistic":"Schema","columns":["age"],'
        '"level":"-","bytes":5,"digest":"00","outcome":"sent"}\n'
    )
    path.write_text(old * 3)
    assert Ledger(path).account().fits == 3
    begin_fit(ledger := Ledger(path))
    ledger.commit()
    assert Ledger(path).account().fits == 4
    first, *_, last = read_ledger(path)
    assert (first.question, first.charges, first.times, first.before) == ("", (), 1, "")
    assert (last.line, check_chain(path)) == (4, [])
    path.write_text(path.read_text().replace('"bytes":5', '"bytes":6'))
    assert [str(problem) for problem in check_chain(path)] == [
        "line 3 was changed",
        "line 4 was changed, or others were removed at the end",
    ]
