"""The ledger as a file: whole lines, before an answer leaves, or nothing leaves."""

from __future__ import annotations

import json
import os
import re
import stat

import numpy as np
import pandas as pd
import pytest
from msgspec import structs
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import StandardScaler

import fedps
from fedps.client import Ledger, Policy, Responder, open_table
from fedps.client.ledger import Entry, check_chain, read_ledger
from fedps.errors import UsageError
from fedps.protocol.codec import decode, encode
from fedps.protocol.messages import Failure, Reply, mark
from tests.at_once import at_once
from tests.parts.client.ledgers import Clock
from tests.parts.client.opening import opening, talk

TABLE = pd.DataFrame({"age": np.arange(20.0), "name": ["J. Smith", "A. Jones"] * 10})
COUNTS_GAPS = SimpleImputer(strategy="constant", fill_value=0)


def noted(ledger, times=1):
    for number in range(times):
        ledger.note(number, "Moments", (f"age {number}",), "AGGREGATE", b"answer", "sent")


def lines(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_a_line_says_who_what_and_when(tmp_path):
    path = tmp_path / "ledger.jsonl"
    responder = Responder("oslo", open_table(TABLE), Policy(), ledger=Ledger(path, "hospital-net"))
    both = make_column_transformer((COUNTS_GAPS, ["age", "name"]), (StandardScaler(), ["name"]))
    talk(responder, opening(both, 1, 2))
    first, second = [line for line in lines(path) if line["statistic"] != "Schema"]
    assert set(first) < set(Entry.__struct_fields__)  # defaults are left out
    assert (first["line"], second["line"]) == (1, 2)
    assert (first["peer"], first["round"], first["statistic"]) == ("hospital-net", 1, "Missing")
    assert (first["columns"], first["outcome"]) == (["age", "name"], "sent")
    assert second["outcome"] == "failed"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", first["time"])
    assert "J. Smith" not in path.read_text("utf-8")


def test_it_is_there_before_the_answer_leaves(tmp_path):
    path = tmp_path / "ledger.jsonl"
    clock = Clock()
    responder = Responder("oslo", open_table(TABLE), Policy(), ledger=Ledger(path, clock=clock))
    for times in (1, 2, 3):
        talk(responder, opening(COUNTS_GAPS, 0))
        clock.forward(60)
        assert sum(line["statistic"] == "Missing" for line in lines(path)) == times
    assert list(read_ledger(path)) == responder.ledger.entries


def test_where_it_cannot_be_written_nothing_leaves(tmp_path):
    folder = tmp_path / "gone"
    folder.mkdir()
    ledger = Ledger(folder / "ledger.jsonl")
    responder = Responder("oslo", open_table(TABLE), Policy(), ledger=ledger)
    (folder / "ledger.jsonl").unlink()
    folder.rmdir()
    reply = talk(responder, opening(COUNTS_GAPS, 0))
    assert reply.problem == Failure("ledger")
    assert reply.answers == ()
    assert reply.schemas == ()
    assert ledger.entries == []


def test_a_full_disk_breaks_a_line_off_and_the_next_one_is_whole(tmp_path, monkeypatch):
    path = tmp_path / "ledger.jsonl"
    ledger = Ledger(path)
    noted(ledger)
    write = os.write
    with monkeypatch.context() as full:
        full.setattr(os, "write", lambda handle, data: write(handle, data[:30]))
        with pytest.raises(OSError, match="only a part"):
            ledger.commit()
    ledger.drop()
    assert ledger.entries == []
    noted(ledger)
    ledger.commit()
    found = list(read_ledger(path))
    assert found[0] == 1
    assert found[1:] == ledger.entries


def test_what_is_dropped_is_in_neither(tmp_path):
    path = tmp_path / "ledger.jsonl"
    ledger = Ledger(path)
    noted(ledger)
    ledger.commit()
    noted(ledger, 2)
    assert len(ledger.entries) == 3
    ledger.drop()
    ledger.commit()
    assert len(ledger.entries) == len(lines(path)) == 1


def test_it_is_appended_to(tmp_path):
    path = tmp_path / "ledger.jsonl"
    clock = Clock()
    for times in (1, 2):
        ledger = Ledger(path, clock=clock)
        clock.forward(60)
        noted(ledger)
        ledger.commit()
        assert len(ledger.entries) == 1
        assert len(lines(path)) == times


def test_one_call_per_answer_and_on_the_disk(tmp_path, monkeypatch):
    calls = []
    write, fsync = os.write, os.fsync
    monkeypatch.setattr(os, "write", lambda h, data: calls.append("write") or write(h, data))
    monkeypatch.setattr(os, "fsync", lambda h: calls.append("fsync") or fsync(h))
    ledger = Ledger(tmp_path / "ledger.jsonl")
    noted(ledger, 50)
    ledger.commit()
    assert calls == ["write", "fsync"]
    ledger.commit()
    assert calls == ["write", "fsync"]


def write_rounds(ready, path, peer):
    ledger = Ledger(path, peer)
    ready()
    for number in range(100):
        for i in range(3):
            answer = b"%d %d" % (number, i)
            ledger.note(number, "Moments", ("age",) * 50, "AGGREGATE", answer, "sent")
        ledger.commit()


@pytest.mark.slow
def test_processes_that_share_a_file_do_not_mix_lines(tmp_path):
    path = tmp_path / "ledger.jsonl"
    at_once(write_rounds, (path, "one"), (path, "two"))
    found = list(read_ledger(path))
    assert not [entry for entry in found if isinstance(entry, int)]
    for peer in ("one", "two"):
        own = [entry.round for entry in found if entry.peer == peer]
        assert own == [number for number in range(100) for _ in range(3)]
    assert check_chain(path) == []


def test_only_its_owner_may_read_it(tmp_path):
    Ledger(tmp_path / "ledger.jsonl")
    assert stat.S_IMODE((tmp_path / "ledger.jsonl").stat().st_mode) == 0o600


def test_a_bad_path_is_known_at_the_start(tmp_path):
    with pytest.raises(UsageError, match="cannot be written: No such file"):
        Ledger(tmp_path / "gone" / "ledger.jsonl")
    with pytest.raises(UsageError, match="cannot be written: Is a directory"):
        Ledger(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="not a regular file"):
        Ledger(tmp_path / "pipe")


def test_without_a_path_it_is_in_memory():
    ledger = Ledger()
    noted(ledger)
    ledger.commit()
    (entry,) = ledger.entries
    assert entry.peer == "in process"


def test_a_ledger_counts_fits(tmp_path):
    """Also those of processes before; a message that comes again is no other fit."""
    path = tmp_path / "ledger.jsonl"
    policy = Policy(min_rows=0, max_fits=2)
    rules = []
    for number in (0, 1, 1, 2):
        responder = Responder("oslo", open_table(TABLE), policy, ledger=Ledger(path))
        message = encode(opening(COUNTS_GAPS, *[0] * (number + 1)))
        if rules and number == 1 and len(rules) == 2:
            responder.remember([message])
        reply = decode(responder.answer(message), Reply, "client")
        rules.append(reply.problem and reply.problem.rule)
    assert rules == [None, None, None, "max_fits"]
    assert Ledger(path).account().fits == 3


def test_no_way_around_the_number_of_fits():
    """Neither the same message again, nor the next one, gets what the first was refused."""
    responder = Responder("oslo", open_table(TABLE), Policy(min_rows=0, max_fits=1))
    first, other = (encode(opening(COUNTS_GAPS, *[0] * n)) for n in (1, 2))
    next_round = structs.replace(opening(COUNTS_GAPS, 0, number=2), request=None)
    after_first, after_other = (
        encode(structs.replace(next_round, after=mark(m))) for m in (first, other)
    )
    rules = []
    for message in (first, first, after_first, other, other, after_other, first, after_first):
        reply = decode(responder.answer(message), Reply, "client")
        rules.append(reply.problem and reply.problem.rule)
    refused = ["max_fits", "max_fits", "journal"]
    assert rules == [None, None, None, *refused, "max_fits", "journal"]


def test_nobody_takes_part(tmp_path):
    federation = fedps.Federation({"oslo": TABLE}, policy=Policy(min_rows=0, max_fits=0))
    with pytest.raises(fedps.Refused, match=r"\(max_fits\) allows 0 fits; all are used"):
        federation.fit(StandardScaler())
