"""Consent by the owner: what waits, what passes, and what no file in the folder can do."""

import logging
import os
import stat
import threading

import msgspec
import numpy as np
import pytest
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import fedps
from fedps.client import Ledger, Policy, file_lock, own_files
from fedps.client.ledger import read_ledger
from fedps.client.requests.client_card import read_card
from fedps.client.requests.request_folder import MOST_WAITING, NoRoom, RequestFolder
from fedps.engines.client_answer import open_client
from fedps.errors import UsageError
from fedps.learned import Described, Parameters
from fedps.protocol.codec import decode
from fedps.protocol.messages import Failure, Reply
from tests.at_once import at_once
from tests.parts.client.asking_owners import (
    POLICY,
    TABLES,
    Direct,
    decide,
    federation,
    first_round,
    opened,
    requests_of,
)

NUMBERS = make_column_transformer(
    (make_pipeline(SimpleImputer(), StandardScaler()), ["age", "chol"]),
    (OneHotEncoder(), ["pain"]),
)


def same(fitted, other):
    scaler, wanted = (one.transformers_[0][1][1] for one in (fitted, other))
    assert np.array_equal(scaler.mean_, wanted.mean_)
    assert np.array_equal(scaler.scale_, wanted.scale_)


def in_process(estimator=NUMBERS):
    policy = fedps.Policy(min_rows=5, deny=["name"])
    return fedps.Federation(TABLES, policy=policy).fit(estimator)


def test_an_unknown_pipeline_waits_at_all_clients_and_passes_when_approved(tmp_path):
    asking = federation(tmp_path)
    with pytest.raises(fedps.Refused) as caught:
        asking.fit(NUMBERS)
    assert caught.value.clients == ("oslo", "bergen")
    (at_oslo,), (at_bergen,) = (list(requests_of(tmp_path, n).all()) for n in ("oslo", "bergen"))
    assert at_oslo.digest == at_bergen.digest
    assert f"waits there as {at_oslo.name!r}" in str(caught.value)
    decide(tmp_path, "approved")
    same(asking.fit(NUMBERS), in_process())


def test_some_owners_approve_and_the_others_are_named(tmp_path):
    asking = federation(tmp_path)
    with pytest.raises(fedps.Refused):
        asking.fit(NUMBERS)
    decide(tmp_path, "approved", "oslo")
    with pytest.raises(fedps.Refused) as caught:
        asking.fit(NUMBERS)
    assert caught.value.clients == ("bergen",)


def test_a_quorum_leaves_out_those_that_wait(tmp_path):
    with pytest.raises(fedps.Refused):
        federation(tmp_path).fit(NUMBERS)
    decide(tmp_path, "approved", "oslo")
    asking = federation(tmp_path, quorum=1)
    asking.fit(NUMBERS)
    assert [one.client for one in asking.run.left_out] == ["bergen"]
    assert "waits there" in asking.run.left_out[0].reason


def test_a_changed_parameter_waits_again(tmp_path):
    asking = federation(tmp_path)
    with pytest.raises(fedps.Refused):
        asking.fit(NUMBERS)
    decide(tmp_path, "approved")
    changed = make_column_transformer(
        (make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), ["age", "chol"]),
        (OneHotEncoder(), ["pain"]),
    )
    with pytest.raises(fedps.Refused, match="waits there"):
        asking.fit(changed)
    assert [one.status for one in requests_of(tmp_path).all()] == ["waiting", "approved"]


def test_names_and_rows_need_no_approval(tmp_path):
    asking = federation(tmp_path)
    assert asking.explain(NUMBERS).rounds == 2
    assert list(requests_of(tmp_path).all()) == []
    entries = list(read_ledger(tmp_path / "oslo.jsonl"))
    assert [entry.statistic for entry in entries] == ["Schema"]
    assert "name" not in entries[0].columns


def test_a_request_that_waits_says_who_asked_and_how_often(tmp_path):
    for peer in ("Flower run 7", "Flower run 8", "Flower run 9"):
        asking = fedps.Federation(Direct(opened(tmp_path, peer=peer)))
        with pytest.raises(fedps.Refused):
            asking.fit(NUMBERS)
    (kept,) = requests_of(tmp_path).all()
    assert (kept.first_peer, kept.last_peer, kept.asked) == ("Flower run 7", "Flower run 9", 3)
    assert kept.first_time <= kept.last_time
    assert kept.unpacked().pipeline.estimator == "ColumnTransformer"


def test_the_ledger_notes_the_refusal_and_counts_no_fit(tmp_path):
    policy = msgspec.structs.replace(POLICY, max_fits=1)
    asking = fedps.Federation(Direct(opened(tmp_path, policy=policy)))
    for _ in range(3):
        with pytest.raises(fedps.Refused, match="waits"):
            asking.fit(NUMBERS)
    found = [(e.statistic, e.outcome, e.times) for e in read_ledger(tmp_path / "oslo.jsonl")]
    assert found == [("Round", "refused", 1), ("Round", "refused", 2)]  # two are counted
    decide(tmp_path, "approved")
    asking.fit(NUMBERS)
    with pytest.raises(fedps.Refused, match="max_fits"):
        asking.fit(NUMBERS)


class DecidesInRoundTwo(Direct):
    """Denies everything at one client before the second round of a fit."""

    def __init__(self, folder, responders):
        super().__init__(responders)
        self.folder = folder
        self.rounds = 0

    def exchange(self, messages):
        self.rounds += 1
        if self.rounds == 2:
            decide(self.folder, "denied", "oslo")
        yield from super().exchange(messages)


def test_deny_ends_a_fit_that_is_under_way_and_a_checkpoint_goes_on(tmp_path):
    with pytest.raises(fedps.Refused, match=r"\[round 1\]"):
        federation(tmp_path).fit(NUMBERS, checkpoint=tmp_path / "fit")
    decide(tmp_path, "approved")
    interrupted = fedps.Federation(DecidesInRoundTwo(tmp_path, opened(tmp_path)))
    with pytest.raises(fedps.Refused, match=r"denied it.*\[round 2\]"):
        interrupted.fit(NUMBERS, checkpoint=tmp_path / "fit")
    decide(tmp_path, "approved")
    again = federation(tmp_path)
    same(again.fit(NUMBERS, checkpoint=tmp_path / "fit"), in_process())
    assert again.run.resumed == 1


def test_a_client_of_one_message_asks_in_every_round(tmp_path):
    """Flower may start a process for each message: the journal tells what the fit is about."""
    with pytest.raises(fedps.Refused):
        federation(tmp_path).fit(NUMBERS)
    decide(tmp_path, "approved")
    heard = {"oslo": (), "bergen": ()}

    class Forgetful(Direct):
        def exchange(self, messages):
            for name, message in messages.items():
                own = opened(tmp_path)[name]
                own.remember(heard[name])
                if heard[name]:
                    decide(tmp_path, "denied", name)
                reply = own.answer(message)
                heard[name] = own.heard
                yield name, reply

    with pytest.raises(fedps.Refused, match=r"denied it.*\[round 2\]"):
        fedps.Federation(Forgetful(TABLES)).fit(NUMBERS)


def test_in_process_nobody_is_asked():
    here = fedps.Federation(TABLES, policy=POLICY)
    same(here.fit(NUMBERS), in_process())


def test_a_policy_says_who_consents():
    assert fedps.Policy().consent == fedps.Policy.open().consent == "policy"
    with pytest.raises(fedps.UsageError, match="a policy's consent is 'policy' or 'owner'; got 1"):
        fedps.Policy(consent=1)


def test_consent_by_the_owner_needs_a_ledger():
    with pytest.raises(fedps.UsageError, match="requests are kept beside a ledger"):
        open_client("oslo", TABLES["oslo"], POLICY, None, "Flower run 7")


# the folder


def test_only_the_owner_can_read_the_folder(tmp_path):
    with pytest.raises(fedps.Refused):
        federation(tmp_path).fit(NUMBERS)
    folder = requests_of(tmp_path).path
    assert folder.name == "oslo.jsonl.requests"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}
    assert "J. Smith" not in "".join(path.read_text() for path in folder.iterdir())


def test_the_card_of_the_client_follows_its_table_and_policy(tmp_path):
    opened(tmp_path)
    folder = requests_of(tmp_path)
    card = read_card(folder)
    assert (card.client, card.schema.rows, card.target) == ("oslo", 30, None)
    assert (card.policy.consent, card.policy.deny) == ("owner", ["name"])
    before = (folder.path / "client.json").stat().st_ino
    opened(tmp_path)
    assert (folder.path / "client.json").stat().st_ino == before  # it is not written again
    opened(tmp_path, policy=msgspec.structs.replace(POLICY, level="AGGREGATE"))
    assert read_card(folder).policy.level == "AGGREGATE"
    (folder.path / "client.json").write_text("{")
    assert read_card(folder) is None


def scaler(number=0):
    params = Parameters({"with_mean": True, "with_std": True, "set_output": f"number {number}"})
    return Described("StandardScaler", params)


def refused(responder, pipeline):
    return decode(responder.answer(first_round(pipeline)), Reply, "oslo").problem


def test_a_flood_of_pipelines_does_not_fill_the_disk(tmp_path):
    oslo = opened(tmp_path)["oslo"]
    found = [refused(oslo, scaler(i)).limit.split()[0] for i in range(MOST_WAITING + 20)]
    assert found == ["waits"] * MOST_WAITING + ["full"] * 20
    assert len(list(requests_of(tmp_path).all())) == MOST_WAITING
    assert refused(oslo, scaler(3)).limit.startswith("waits")  # what waits already, may
    decide(tmp_path, "denied", "oslo")
    assert refused(oslo, scaler(MOST_WAITING)).limit.startswith("waits")


def test_a_pipeline_that_is_too_large_is_not_kept(tmp_path):
    oslo = opened(tmp_path)["oslo"]
    noise = np.random.default_rng(0).bytes(70_000).hex()
    large = Described("StandardScaler", Parameters({**scaler().params, "set_output": noise}))
    assert refused(oslo, large).limit.startswith("large")
    assert list(requests_of(tmp_path).all()) == []


def test_no_such_estimator_is_not_kept(tmp_path):
    oslo = opened(tmp_path)["oslo"]
    assert refused(oslo, Described("Eval", Parameters())) == Failure("estimator", "Eval")
    assert list(requests_of(tmp_path).all()) == []


@pytest.mark.parametrize(
    "pipeline",
    [
        Described("StandardScaler", Parameters()),
        Described("KMeans", Parameters({"n_clusters": "many"})),
    ],
)
def test_what_is_not_known_is_not_kept(tmp_path, pipeline):
    oslo = opened(tmp_path)["oslo"]
    assert refused(oslo, pipeline).limit.startswith("unknown")
    assert list(requests_of(tmp_path).all()) == []


@pytest.mark.parametrize("depth", [50, 200, 400])
def test_a_pipeline_that_is_nested_deeply_is_not_answered(tmp_path, depth, caplog):
    oslo = opened(tmp_path)["oslo"]
    pipeline = scaler()
    for _ in range(depth):
        pipeline = Described("Pipeline", Parameters({"parts": [("a", None)]}), (pipeline,))
    with caplog.at_level(logging.CRITICAL, "fedps.client"):
        assert refused(oslo, pipeline) is not None


def approved_file(tmp_path):
    """Return the file of a request that was approved, and the client."""
    oslo = opened(tmp_path)["oslo"]
    refused(oslo, scaler())
    decide(tmp_path, "approved", "oslo")
    assert refused(oslo, scaler()) is None
    (kept,) = requests_of(tmp_path).all()
    return requests_of(tmp_path).path / f"{kept.digest}.json", oslo


def link(path):
    elsewhere = path.with_name("elsewhere")
    path.rename(elsewhere)
    path.symlink_to(elsewhere)


def other_status(path):
    path.write_bytes(path.read_bytes().replace(b'"approved"', b'"Approved"'))


def other_field(path):
    path.write_bytes(path.read_bytes().replace(b"{", b'{"approved":true,', 1))


def of_another(path):
    data = msgspec.json.decode(path.read_bytes())
    path.write_bytes(msgspec.json.encode({**data, "digest": "0" * 32}))


def long(path):
    path.write_bytes(path.read_bytes() + b" " * 70_000)


def pipe(path):
    path.unlink()
    os.mkfifo(path)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"{"),
        lambda path: path.write_bytes(b"\xff" * 100),
        lambda path: path.write_bytes(b"[" * 60_000),
        lambda path: path.chmod(0o666),
        link,
        other_status,
        other_field,
        of_another,
        long,
        pipe,
    ],
)
def test_a_spoilt_file_approves_nothing(tmp_path, spoil, caplog):
    path, oslo = approved_file(tmp_path)
    spoil(path)
    with caplog.at_level(logging.WARNING, "fedps.client"):
        assert refused(oslo, scaler()).limit.startswith("waits")
    assert "is ignored" in caplog.text
    decide(tmp_path, "approved", "oslo")  # it was replaced by one that waits
    assert refused(oslo, scaler()) is None


def test_other_things_in_the_folder_are_ignored(tmp_path):
    path, oslo = approved_file(tmp_path)
    for name in ("notes.txt", "approved.json", "0" * 32, ".new"):
        (path.parent / name).write_text('{"status": "approved"}')
    (path.parent / ("f" * 32 + ".json")).mkdir()
    assert len(list(requests_of(tmp_path).all())) == 1
    assert refused(oslo, scaler(1)).limit.startswith("waits")


def test_a_folder_in_the_way_of_a_request_is_a_refusal(tmp_path, caplog):
    path, oslo = approved_file(tmp_path)
    path.unlink()
    path.mkdir()
    (path / "something").touch()
    with caplog.at_level(logging.WARNING, "fedps.client"):
        assert refused(oslo, scaler()).limit.startswith("unkept")


def test_a_folder_that_is_gone_approves_nothing(tmp_path, caplog):
    path, oslo = approved_file(tmp_path)
    for each in path.parent.iterdir():
        each.unlink()
    path.parent.rmdir()
    with caplog.at_level(logging.CRITICAL, "fedps.client"):
        assert refused(oslo, scaler()).limit.startswith("unkept")


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda path: path.touch(), "is not a folder"),
        (lambda path: path.symlink_to(path.parent), "is not a folder"),
        (lambda path: (path.mkdir(), path.chmod(0o777)), "others may write to the folder"),
    ],
)
def test_a_folder_of_somebody_else_is_an_error(tmp_path, spoil, reason):
    spoil(requests_of(tmp_path).path)
    with pytest.raises(fedps.UsageError, match=reason):
        opened(tmp_path)


def test_a_decision_about_what_is_gone_is_an_error(tmp_path):
    folder = RequestFolder(tmp_path / "oslo.jsonl")
    folder.make()
    with pytest.raises(FileNotFoundError):
        folder.decide("0" * 32, "approved")


@pytest.mark.parametrize("way", ["fcntl", "file"])
def test_many_ask_at_once_and_no_approval_is_lost(tmp_path, monkeypatch, way):
    if way == "file":  # as on Windows
        monkeypatch.setattr(file_lock, "_fcntl", None)
    folder = RequestFolder(tmp_path / "oslo.jsonl")
    folder.make()
    digests = [f"{i:032x}" for i in range(2 * MOST_WAITING)]
    kept = []

    def ask(some):
        for digest in some:
            try:
                folder.ask(digest, b"", "somebody")
            except NoRoom:
                continue
            kept.append(digest)
            folder.decide(digest, "approved") if digest == digests[0] else None

    threads = [threading.Thread(target=ask, args=(digests,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert folder.status(digests[0]) == "approved"
    assert sum(one.status == "waiting" for one in folder.all()) == MOST_WAITING
    assert not (folder.path / ".new").exists()


def ask_and_approve(ready, ledger, peer):
    folder = RequestFolder(ledger)
    ready()
    for number in range(100):
        folder.ask("0" * 32, b"", peer)
        digest = f"{number:031x}{peer}"
        folder.ask(digest, b"", peer)
        folder.decide(digest, "approved")


@pytest.mark.slow
def test_processes_that_share_a_folder_lose_nothing(tmp_path):
    folder = RequestFolder(tmp_path / "oslo.jsonl")
    folder.make()
    at_once(ask_and_approve, *((tmp_path / "oslo.jsonl", peer) for peer in "ab"))
    found = list(folder.all())
    assert sum(one.status == "approved" for one in found) == 200
    assert [one.asked for one in found if one.status == "waiting"] == [200]


def test_a_lock_that_was_left_behind_ends(tmp_path, monkeypatch):
    monkeypatch.setattr(file_lock, "_fcntl", None)
    lock = tmp_path / ".lock"
    lock.touch()
    os.utime(lock, (0, 0))
    with file_lock.file_lock(lock):
        assert lock.exists()
    assert not lock.exists()


def test_a_file_is_whole_or_not_there(tmp_path, monkeypatch):
    path = tmp_path / "one"
    own_files.write_own(path, b"before")
    monkeypatch.setattr(
        own_files.os, "fsync", lambda _: (_ for _ in ()).throw(OSError("disk full"))
    )
    with pytest.raises(OSError, match="disk full"):
        own_files.write_own(path, b"after")
    assert path.read_bytes() == b"before"


@pytest.mark.parametrize(
    ("limits", "named"),
    [
        ({}, "max_share and budget"),
        ({"max_share": 1.0}, "budget"),
        ({"budget": None}, "max_share"),
        ({"max_fits": 3}, "max_share, budget and max_fits"),
    ],
)
def test_limits_over_time_need_a_ledger_file(limits, named, tmp_path):
    """On an engine each message may be a new process: only a file adds up."""
    for ledger in (None, Ledger()):
        with pytest.raises(UsageError, match=f"^the policy has {named}. That is counted over"):
            open_client("oslo", TABLES["oslo"], Policy(**limits), ledger, "Flower run 7")
    open_client("oslo", TABLES["oslo"], Policy(**limits), tmp_path / "oslo.jsonl", "Flower run 7")
    open_client("oslo", TABLES["oslo"], Policy(max_share=1.0, budget=None), None, "Flower run 7")
