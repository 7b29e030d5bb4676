"""``fedps ledger show``: what left, added up."""

import time

import pytest

from fedps.cli.ledger.time_window import read_window
from fedps.client import Ledger, Policy
from fedps.client.ledger import Charge
from fedps.engines.client_answer import open_client
from tests.parts.client.ledgers import Clock, note, write_answers


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
    assert moments == ["Moments", "age,", "chol,", "bmi", "AGGREGATE", "2", "0", "0", "12", "B"]
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


def cells(result, first):
    """Return the cells of the one line that begins with a word."""
    assert result.exit_code == 0, result.output
    (line,) = [line.split() for line in result.stdout.splitlines() if line.split()[:1] == [first]]
    return line


def test_questions_repeats_and_what_was_kept(fedps, folder):
    ledger = Ledger("ledger.jsonl")
    for number in range(3):
        note(ledger, question="its mean", answer=b"%d" % number)
    for _ in range(4):
        note(ledger, "bmi")
        ledger.commit()
    note(ledger, statistic="Keep", outcome="kept")
    ledger.commit()
    result = fedps("ledger show ledger.jsonl")
    assert "8 answers" in result.stdout
    assert cells(result, "its")[:5] == ["its", "mean", "(Moments)", "age", "AGGREGATE"]
    assert cells(result, "Moments")[-6:] == ["4", "0", "0", "0", "24", "B"]
    assert cells(result, "Keep")[-6:] == ["0", "0", "0", "1", "0", "B"]


@pytest.fixture
def charged(folder):
    ledger = Ledger("ledger.jsonl", "hospital-net")
    note(ledger, charges=[Charge("age", 3, 10, "a"), Charge("chol", 0, 30, "a")])
    note(ledger, outcome="failed", charges=[Charge("age", 0, 5, "b")])
    ledger.commit()
    return folder / "ledger.jsonl"


def test_what_was_told_about_columns(fedps, charged):
    result = fedps("ledger show ledger.jsonl")
    assert cells(result, "age") == ["age", "3", "15"]
    assert cells(result, "chol") == ["chol", "0", "30"]
    assert "left" not in result.stdout


def test_budgets_are_for_the_life_of_the_ledger(fedps, charged):
    """Filters leave the columns as they are."""
    result = fedps("ledger show ledger.jsonl --peer nobody --until 2000-01-01")
    assert "no answers" in result.stdout
    assert cells(result, "age") == ["age", "3", "15"]


def test_what_is_left(fedps, charged):
    (charged.parent / "policy.toml").write_text("max_share = 0.1\n")
    result = fedps("ledger show ledger.jsonl --policy policy.toml --data oslo.parquet")
    assert "of 50 rows" in result.stdout
    assert cells(result, "age")[:4] == ["age", "3", "15", "2"]  # 5 of 50 rows, less 3
    assert "Any other column: 5 single values" in result.stdout


def test_what_is_left_by_the_clients_own_card(fedps, charged, tables):
    policy = Policy(consent="owner", max_share=0.1)
    open_client("oslo", tables["oslo"], policy, charged, "Flower run 7")
    assert cells(fedps("ledger show ledger.jsonl"), "age")[:4] == ["age", "3", "15", "2"]
    result = fedps("ledger show ledger.jsonl --data moss.csv")
    assert cells(result, "age")[:4] == ["age", "3", "15", "0"]


@pytest.mark.parametrize(
    ("given", "lacking"), [("--policy policy.toml", "--data"), ("--data moss.csv", "--policy")]
)
def test_a_policy_needs_a_table(fedps, charged, given, lacking):
    (charged.parent / "policy.toml").touch()
    result = fedps(f"ledger show ledger.jsonl {given}")
    assert result.exit_code == 2
    assert f"needs {lacking}, too" in result.stderr


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        ("--since 2026-11-16", 3),
        ("--since 2026-11-17", 2),
        ("--since 2026-11-17T12:00", 2),
        ("--since 2026-11-17T12:00:00.001", 1),
        ("--since 2026-11-17T12:00:00.001Z", 1),
        ("--since 2026-11-17T13:00+01:00", 2),
        ("--since 2026-11-17T13:00:00.001+01:00", 1),
        ("--until 2026-11-15", 0),
        ("--until 2026-11-16", 1),
        ("--until 20261117", 2),
        ("--until 2026-11-17T12:00", 2),
        ("--until 2026-11-17T11:59:59.999", 1),
        ("--since 2026-11-17 --until 2026-11-17", 1),
        ("--since 2026-11-18T12:00 --until 2026-11-18T12:00", 1),
        ("--since 0001-01-01 --until 9999-12-30", 3),
    ],
)
def test_times(fedps, folder, options, shown):
    """Three answers at noon, a day apart."""
    clock = Clock()
    clock.forward(2.5 * 3600)
    for number in range(3):
        ledger = Ledger("ledger.jsonl", clock=clock)
        note(ledger, f"column {number}")
        ledger.commit()
        clock.forward(24 * 3600)
    result = fedps(f"ledger show ledger.jsonl {options}")
    assert result.exit_code == 0, result.output
    assert (f"{shown} answer" if shown else "no answers") in result.stdout


@pytest.mark.parametrize("option", ["--since", "--until"])
@pytest.mark.parametrize(
    "text", ["yesterday", "16.11.2026", "2026-13-01", "2026-11-31", "2026-11-16T25:00", "", "0"]
)
def test_what_is_no_time(fedps, ledger, option, text):
    result = fedps("ledger show ledger.jsonl", option, text)
    assert result.exit_code == 2
    assert result.stderr == (
        f"fedps: {option} {text!r} is not a date or time, such as 2026-11-16, 2026-11-16T09:30 or "
        "2026-11-16T09:30+01:00.\n"
    )


def test_a_time_that_ends_before_it_begins(fedps, ledger):
    result = fedps("ledger show ledger.jsonl --since 2026-11-17 --until 2026-11-16")
    assert result.exit_code == 2
    assert "--since 2026-11-17 is after --until 2026-11-16" in result.stderr


def test_the_ends_of_time_are_no_errors_of_ours(fedps, ledger):
    for option in ("--until 9999-12-31", "--since 0001-01-01T00:00+14:00"):
        assert "is not a date or time" in fedps(f"ledger show ledger.jsonl {option}").stderr


def test_a_window_is_everything_by_default():
    assert read_window(None, None) == ("", "~")


def test_very_many_questions_are_cut_short(fedps, folder):
    ledger = Ledger("ledger.jsonl")
    for number in range(103):
        note(ledger, question=f"how many below {number}")
    ledger.commit()
    result = fedps("ledger show ledger.jsonl")
    assert "... and 3 more" in result.stdout
    assert result.stdout.endswith("\n\nLong lists are shortened: --full shows them whole.\n")
    whole = fedps("ledger show ledger.jsonl --full").stdout
    assert all(f"below {number} " in whole for number in range(103))
    assert "shortened" not in whole


@pytest.mark.slow
def test_a_million_answers_in_five_seconds(fedps, folder):
    """Seconds of this process: what else the machine does is not counted."""
    write_answers(folder / "ledger.jsonl", 1_000_000)
    fedps("ledger --help")  # imports are not measured
    begin = time.process_time()
    result = fedps("ledger show ledger.jsonl")
    seconds = time.process_time() - begin
    assert "1,000,000 answers" in result.stdout
    assert seconds < 5
