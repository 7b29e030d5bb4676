"""``fedps ledger export`` and ``verify``: what an auditor gets, and whether it is all."""

import csv
import io
import json

import pytest

from fedps.client import Ledger
from fedps.client.ledger import Charge, Entry
from tests.parts.client.ledgers import note


@pytest.fixture
def ledger(folder):
    ledger = Ledger("ledger.jsonl", "=cmd()")
    more = {"pipeline": "3f2a", "approval": "owner 3f2a91c0", "question": "-1, its mean"}
    note(ledger, "age, in years", charges=[Charge("age", 1, 2, "k")], **more)
    ledger.commit()
    other = Ledger("ledger.jsonl", "other")
    for _ in range(3):
        note(other, "=bmi", outcome="refused")
        other.commit()
    return folder / "ledger.jsonl"


def test_csv(fedps, ledger):
    result = fedps("ledger export ledger.jsonl --format csv")
    assert result.exit_code == 0, result.output
    header, first, second, third = csv.reader(io.StringIO(result.stdout))
    assert tuple(header) == Entry.__struct_fields__
    row = dict(zip(header, first, strict=True))
    assert (row["peer"], row["question"]) == ("'=cmd()", "'-1, its mean")
    assert json.loads(row["columns"]) == ["age, in years"]
    assert json.loads(row["charges"]) == [{"column": "age", "values": 1, "numbers": 2, "key": "k"}]
    assert (row["line"], row["before"], row["approval"]) == ("1", "", "owner 3f2a91c0")
    assert (second[header.index("times")], third[header.index("times")]) == ("1", "2")
    for cell in (cell for line in (first, second, third) for cell in line):
        assert not cell.startswith(("=", "+", "-", "@", "\t", "\r"))


def test_json(fedps, ledger):
    result = fedps("ledger export ledger.jsonl --format json")
    first, *others = json.loads(result.stdout)
    assert tuple(first) == Entry.__struct_fields__
    assert (first["peer"], first["columns"]) == ("=cmd()", ["age, in years"])
    assert first["charges"] == [{"column": "age", "values": 1, "numbers": 2, "key": "k"}]
    assert [one["times"] for one in others] == [1, 2]


def test_filters_and_a_file(fedps, ledger):
    result = fedps("ledger export ledger.jsonl --format json --peer other --out out.json")
    assert result.stdout == "\nWritten: out.json\n"
    assert len(json.loads((ledger.parent / "out.json").read_text("utf-8"))) == 2
    result = fedps("ledger export ledger.jsonl --format json --until 2000-01-01")
    assert json.loads(result.stdout) == []
    assert fedps("ledger export ledger.jsonl --format csv --since never").exit_code == 2


def test_broken_lines_are_said(fedps, ledger):
    with ledger.open("ab") as file:
        file.write(b'{"time')
    result = fedps("ledger export ledger.jsonl --format json")
    assert len(json.loads(result.stdout)) == 3
    assert "1 line cannot be read (line 3)" in result.stderr


def test_mistakes(fedps, ledger):
    assert fedps("ledger export nope.jsonl --format csv").exit_code == 2
    assert fedps("ledger export ledger.jsonl").exit_code == 2
    assert fedps("ledger export ledger.jsonl --format xls").exit_code == 2
    assert "no folder" in fedps("ledger export ledger.jsonl --format csv --out no/x.csv").stderr
    assert fedps("ledger verify nope.jsonl").exit_code == 2


def test_a_whole_ledger(fedps, ledger):
    result = fedps("ledger verify ledger.jsonl")
    assert result.exit_code == 0
    assert result.stdout == "ledger.jsonl: 2 lines, none was removed, changed or inserted.\n"


def test_a_changed_ledger(fedps, ledger):
    ledger.write_bytes(ledger.read_bytes().replace(b"3f2a91c0", b"3f2a91c1"))
    result = fedps("ledger verify ledger.jsonl")
    assert result.exit_code == 1
    assert "something was changed.\n- line 1 was changed\n" in result.stdout


def test_a_ledger_without_its_end(fedps, ledger):
    ledger.write_bytes(ledger.read_bytes().splitlines(keepends=True)[0])
    result = fedps("ledger verify ledger.jsonl")
    assert (result.exit_code, "line 2 was removed at the end" in result.stdout) == (1, True)
    (ledger.parent / "ledger.jsonl.index").unlink()
    result = fedps("ledger verify ledger.jsonl")
    assert result.exit_code == 0
    assert "cannot be known whether lines are missing" in " ".join(result.stdout.split())


def test_lines_of_an_older_version(fedps, folder):
    old = (
        '{"time":"2026-01-02T03:04:05.678Z","peer":"net","round":1,"statistic":"Schema","columns":["age"],'
        '"level":"-","bytes":5,"digest":"00","outcome":"sent"}\n'
    )
    (folder / "ledger.jsonl").write_text(old * 2)
    result = fedps("ledger verify ledger.jsonl")
    assert result.exit_code == 0
    assert "The first 2 lines cannot be checked" in result.stdout
    assert "2 answers" in fedps("ledger show ledger.jsonl").stdout
    assert fedps("ledger export ledger.jsonl --format json").exit_code == 0


def test_very_many_changes_are_cut_short(fedps, folder):
    ledger = Ledger("ledger.jsonl")
    for number in range(60):
        note(ledger, f"column {number}")
    ledger.commit()
    lines = (folder / "ledger.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "ledger.jsonl").write_bytes(b"".join(lines[::2]))
    result = fedps("ledger verify ledger.jsonl")
    assert "- line 2 was removed" in result.stdout
    assert "- and 10 more" in result.stdout
    assert result.stdout.endswith("\n\nLong lists are shortened: --full shows them whole.\n")
    whole = fedps("ledger verify ledger.jsonl --full").stdout
    assert whole.count(" was removed") == 30
    assert "shortened" not in whole
