"""Ledgers as tables: of one client, and of all."""

import re

import pandas as pd
import pytest
from sklearn.preprocessing import MinMaxScaler, StandardScaler

import fedps
from fedps.client import Ledger

ROWS = pd.DataFrame({"age": [63.0, 67.0, 41.0], "bmi": [20.0, 25.0, 30.0]})


@pytest.fixture(autouse=True)
def terminal_width(monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")


@pytest.fixture
def federation():
    strict = fedps.Policy(level="AGGREGATE", min_rows=1, min_count=1, max_share=1.0, budget=None)
    made = fedps.Federation({"oslo": ROWS, "bergen": ROWS}, policy={"bergen": strict})
    made.fit(StandardScaler())
    with pytest.raises(fedps.Refused):
        made.fit(MinMaxScaler())
    return made


def lines(shown):
    same_day = re.sub(r"\d{4}-\d\d-\d\d", "2026-11-16", str(shown))
    same_time = re.sub(r"\d\d:\d\d:\d\d", "09:30:00", same_day)
    return [re.sub(r" +\d+ B$", "  80 B", line) for line in same_time.splitlines()]


def test_all_ledgers(federation):
    assert federation.ledgers.keys() == {"oslo", "bergen"}
    assert lines(federation.ledgers) == [
        "Ledgers of 2 clients: what left each, up to which level",
        "  client  level      asked  sent  refused  failed  bytes",
        "  ------  ---------  -----  ----  -------  ------  -----",
        "  oslo    SUMMARY        4     4        0       0  80 B",
        "  bergen  AGGREGATE      4     3        1       0  80 B",
        "AGGREGATE: sums and counts over all rows",
        "SUMMARY: values of single cells, such as the smallest, or all categories",
    ]


def test_one_ledger(federation):
    assert lines(federation.ledgers["bergen"]) == [
        "Ledger in memory, asked by 'in process' on 2026-11-16: 4 answers",
        "  time (UTC)  round  what was asked                              columns   level      outcome  bytes",
        "  ----------  -----  ------------------------------------------  --------  ---------  -------  -----",
        "  09:30:00    1      count, sum, sum of squares (StandardScaler  age, bmi  AGGREGATE  sent  80 B",
        "                     0, Moments)",
        "  09:30:00    1      names, rows (Schema)                        age, bmi  -          sent  80 B",
        "  09:30:00    1      count, smallest and largest value           age, bmi  SUMMARY    refused  80 B",
        "                     (MinMaxScaler 0, Extremes)",
        "  09:30:00    1      names, rows (Schema)                        age, bmi  -          sent  80 B",
        "AGGREGATE: sums and counts over all rows",
        "SUMMARY: values of single cells, such as the smallest, or all categories",
    ]


def test_a_long_ledger_can_be_shown_whole(tmp_path):
    ledger = Ledger(tmp_path / "oslo.jsonl", peer="hospital-net")
    for i in range(30):
        ledger.note(i, "Moments", (f"c{i}",), "AGGREGATE", b"", "sent", question="count and sum")
    ledger.commit()
    shown = lines(ledger)
    assert shown[0] == (
        "Ledger oslo.jsonl, written here, asked by 'hospital-net' on 2026-11-16: 30 answers"
    )
    assert "  ... and 10 more" in shown
    assert shown[-1] == "Long lists are shortened: .to_text(full=True) shows them whole."
    assert all(f"  c{i} " in ledger.to_text(full=True) for i in range(30))
    assert "Show all 30 rows" in ledger.to_html()
