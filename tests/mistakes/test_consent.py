"""What the server reads where data owners have not agreed, and what an owner reads who sets it up wrongly."""

import re

import msgspec
import pytest
from sklearn.compose import make_column_transformer
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import fedps
from fedps.client.policy_file import read_policy
from fedps.client.requests.request_folder import MOST_WAITING
from fedps.engines.client_answer import open_client
from fedps.protocol.answers import Problem, raise_problems
from fedps.protocol.messages import Refusal
from fedps.protocol.problem_texts import CONSENT
from tests.mistakes.mistake import table, told
from tests.parts.client.asking_owners import (
    POLICY,
    TABLES,
    Direct,
    decide,
    federation,
    opened,
    requests_of,
)

PREP = make_column_transformer((StandardScaler(), ["age"]))


def name_of(tmp_path):
    (kept,) = requests_of(tmp_path).all()
    return kept.name


def test_a_pipeline_that_waits(tmp_path):
    asking = federation(tmp_path)
    with pytest.raises(fedps.Refused):
        asking.fit(PREP)
    name = name_of(tmp_path)
    with told(
        fedps.Refused,
        "clients 'oslo' and 'bergen' answer only what their data owners have approved, and "
        f"this one waits there as {name!r}. After 'fedps requests approve LEDGER {name}' there, run "
        "the same fit again; with checkpoint= it goes on from where it stopped.",
    ):
        asking.fit(PREP)
    decide(tmp_path, "approved", "oslo")
    with told(
        fedps.Refused,
        "client 'bergen' answers only what the data owner there has approved, and this one "
        f"waits there as {name!r}. After 'fedps requests approve LEDGER {name}' there, run the same "
        "fit again; with checkpoint= it goes on from where it stopped.",
    ):
        asking.fit(PREP)


def test_a_pipeline_that_was_denied(tmp_path):
    asking = federation(tmp_path)
    with pytest.raises(fedps.Refused):
        asking.fit(PREP)
    name = name_of(tmp_path)
    decide(tmp_path, "denied")
    with told(
        fedps.Refused,
        f"clients 'oslo' and 'bergen' do not answer this pipeline, {name!r}: the data owners there "
        "have denied it. Fit another pipeline, leave the client out, or ask the data owner.",
    ):
        asking.fit(PREP)
    decide(tmp_path, "approved", "oslo")
    with told(
        fedps.Refused,
        f"client 'bergen' does not answer this pipeline, {name!r}: the data owner there has denied "
        "it. Fit another pipeline, leave the client out, or ask the data owner.",
    ):
        asking.fit(PREP)


def test_more_pipelines_than_may_wait(tmp_path):
    asking = federation(tmp_path)
    for number in range(MOST_WAITING):
        requests_of(tmp_path).ask(f"{number:032x}", b"", "Flower run 1")
    with told(
        fedps.Refused,
        "client 'oslo' answers only what the data owner there has approved, and keeps no "
        "more requests: as many wait there as may. After 'fedps requests approve' or 'deny' of some "
        "there, run the same fit again.",
    ):
        asking.fit(PREP)


def test_a_pipeline_that_is_too_large(tmp_path):
    categories = [[f"{i * 2654435761 % 2**64:016x}" for i in range(20_000)]]
    with told(
        fedps.Refused,
        "clients 'oslo' and 'bergen' answer only what their data owners have approved, and "
        "keep no request of 64 KiB or more, such as this one. Use shorter parameters, for instance "
        "fewer given categories, or leave the client out.",
    ):
        federation(tmp_path).fit(
            make_column_transformer((OneHotEncoder(categories=categories), ["pain"]))
        )


def refused(limit, *clients):
    raise_problems([Problem(client, None, Refusal("consent", limit)) for client in clients], ())


def test_requests_that_cannot_be_kept_or_read():
    with told(
        fedps.Refused,
        "client 'oslo' answers only what the data owner there has approved, and could not "
        "keep this request. The logger 'fedps.client' there has the reason at level ERROR.",
    ):
        refused("unkept 01234567", "oslo")
    with told(
        fedps.Refused,
        "client 'oslo' does not know an estimator of this pipeline, or one of its parameters. Install "
        "the same versions of fedps and scikit-learn on both sides.",
    ):
        refused("unknown 01234567", "oslo")


def test_a_server_that_asks_what_the_pipeline_does_not():
    limit = "answers what the estimators of the pipeline ask, and this is asked more than 3 times"
    with told(
        fedps.Refused,
        "client 'oslo' refused this round, because it does not follow from the pipeline that the fit "
        "is about: the client answers what the estimators of the pipeline ask, and this is asked more "
        "than 3 times. Install the same version of fedps on both sides, or ask the data owner.",
    ):
        refused(limit, "oslo")
    with told(
        fedps.Refused,
        "clients 'oslo' and 'bergen' refused this round, because it does not follow from the pipeline "
        "that the fit is about: each of them knows no such place in the pipeline. Install the same "
        "version of fedps on both sides, or ask the data owner.",
    ):
        refused("knows no such place in the pipeline", "oslo", "bergen")


@pytest.mark.parametrize(
    "limit", ["waits", "waits 0123456", "waits {0}", "all 01234567", "waits 0123456g"]
)
def test_a_client_cannot_make_up_a_name(limit):
    with pytest.raises(fedps.Refused, match=re.escape(f"the client {limit}. Install")):
        refused(limit, "oslo")


def test_there_is_a_sentence_for_every_word():
    words = {"waits", "denied", "full", "large", "unknown", "unkept"}
    assert set(CONSENT) == words


def test_clients_of_both_kinds_at_once(tmp_path):
    both = opened(tmp_path, names=("oslo",))
    rules = msgspec.structs.replace(POLICY, consent="policy")
    both["bergen"] = open_client(
        "bergen", TABLES["bergen"], rules, tmp_path / "b.jsonl", "Flower run 7"
    )
    with pytest.raises(fedps.Refused) as caught:
        fedps.Federation(Direct(both)).fit(PREP)
    assert caught.value.clients == ("oslo",)


def test_consent_that_is_not_one(tmp_path):
    with told(fedps.UsageError, "a policy's consent is 'policy' or 'owner'; got 'me'."):
        fedps.Policy(consent="me")
    path = tmp_path / "policy.toml"
    path.write_text('level = "SUMMARY"\nconsent = "me"\n')
    with told(
        fedps.UsageError,
        "policy.toml, line 2: a policy's consent is 'policy' or 'owner'; got 'me'.",
    ):
        read_policy(path)
    path.write_text("consent = true\n")
    with told(
        fedps.UsageError,
        'policy.toml, line 1: consent is true or false: it must be a text, such as consent = "owner".',
    ):
        read_policy(path)


def test_consent_without_a_ledger():
    with told(
        fedps.UsageError,
        "the policy has consent = 'owner', and requests are kept beside a ledger: give the client one.",
    ):
        open_client("oslo", table(), POLICY, None, "Flower run 7")


def test_a_folder_that_others_may_write_to(tmp_path):
    folder = requests_of(tmp_path).path
    folder.mkdir()
    folder.chmod(0o777)
    with told(
        fedps.UsageError,
        f"requests cannot be kept in {str(folder)!r}: others may write to the folder "
        "oslo.jsonl.requests.",
    ):
        opened(tmp_path, names=("oslo",))
