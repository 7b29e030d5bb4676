"""``fedps ledger show``: what left, added up."""

import pytest

from fedps.client import Ledger


@pytest.fixture
def ledger(folder):
    first = Ledger("ledger.jsonl", "hospital-net")
    first.note(1, "Moments", ("age", "chol"), "AGGREGATE", b"12345", "sent")
    first.note(1, "Extremes", ("age",), "SUMMARY", b"123", "refused")
    first.commit()
    second = Ledger("ledger.jsonl", "other")
    second.note(1, "Moments", ("bmi",), "AGGREGATE", b"1234567", "sent")
    second.commit()
    return folder / "ledger.jsonl"


def test_totals_by_peer_and_statistic(fedps, ledger):
    result = fedps("ledger show ledger.jsonl")
    assert result.exit_code == 0, result.output
    assert "ledger.jsonl: 3 answers" in result.stdout
    lines = [line.split() for line in result.stdout.splitlines()]
    (peer,) = [line for line in lines if line[:1] == ["hospital-net"]]
    assert peer[3:] == ["1", "1", "0", "5", "B"]
    (moments,) = [line for line in lines if line[:1] == ["Moments"]]
    assert moments == ["Moments", "AGGREGATE", "age,", "chol,", "bmi", "2", "0", "0", "12", "B"]
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_one_peer_and_a_time(fedps, ledger):
    assert "1 answer," in fedps("ledger show ledger.jsonl --peer other").stdout
    assert "no answers" in fedps("ledger show ledger.jsonl --since 2999-01-01").stdout


def test_a_broken_line_is_said_and_left_out(fedps, ledger):
    with ledger.open("ab") as file:
        file.write(b'{"time":"2026-11')
    result = fedps("ledger show ledger.jsonl")
    assert result.exit_code == 0
    assert "3 answers" in result.stdout
    assert "1 line cannot be read (line 4)" in result.stdout


def test_mistakes(fedps, folder):
    assert fedps("ledger show nope.jsonl").exit_code == 2
    (folder / "empty.jsonl").touch()
    assert "no answers" in fedps("ledger show empty.jsonl").stdout
    (folder / "table.csv").write_text("age,name\n30,J. Smith\n")
    result = fedps("ledger show table.csv")
    assert result.exit_code == 2
    assert "'table.csv' is not a ledger" in result.stderr
