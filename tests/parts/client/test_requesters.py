"""An allow-list of the users whose runs a client answers."""

import numpy as np
import pytest
from msgspec import structs
from sklearn.preprocessing import StandardScaler

import fedps
from fedps.client import Policy
from fedps.client.policy_file import read_policy
from fedps.engines.client_answer import open_client
from fedps.errors import Refused, UsageError
from fedps.transports import LocalTransport

TABLE = np.arange(40.0).reshape(20, 2)
LEAD = "lead@hospitals.org"
REFUSED = (
    "client 'oslo' refused to take part: the policy there (requesters) answers only the users that it lists, "
    "not this run's. Leave the client out, or ask the data owner. [round 1]"
)


def fit(requester, policy, ledger=None):
    policy = structs.replace(policy, max_share=1.0, budget=None)  # which need a ledger file
    client = open_client("oslo", TABLE, policy, ledger, f"job of {requester}", requester=requester)
    return fedps.Federation(LocalTransport({"oslo": client})).fit(StandardScaler()), client


@pytest.mark.parametrize("requesters", [None, [LEAD], ["else", LEAD]])
def test_who_is_listed_is_answered(requesters):
    found, client = fit(LEAD, Policy(requesters=requesters))
    assert found.n_samples_seen_ == 20
    assert {entry.peer for entry in client.ledger.entries} == {f"job of {LEAD}"}


@pytest.mark.parametrize(
    "requester", ["else@hospitals.org", LEAD.upper(), LEAD[:-1], LEAD + " ", ""]
)
@pytest.mark.parametrize("requesters", [[LEAD], []])
def test_who_is_not_listed_is_refused(requester, requesters):
    """And is not told who is."""
    with pytest.raises(Refused) as caught:
        fit(requester, Policy(requesters=requesters))
    assert str(caught.value) == REFUSED


def test_an_empty_name_is_nobody_even_if_it_is_listed():
    with pytest.raises(Refused):
        fit("", Policy(requesters=[""]))


def test_not_even_the_schema_leaves(tmp_path):
    rules, ledger = Policy(requesters=[LEAD]), tmp_path / "oslo.jsonl"
    client = open_client("oslo", TABLE, rules, ledger, "a run", requester="else")
    federation = fedps.Federation(LocalTransport({"oslo": client}))
    with pytest.raises(Refused):
        federation.explain(StandardScaler())
    assert [entry.outcome for entry in client.ledger.entries] == ["refused"]


def test_an_engine_that_tells_no_user():
    with pytest.raises(UsageError, match="does not tell a client which user started a run"):
        open_client("oslo", TABLE, Policy(requesters=[LEAD]), None, "Flower run 7")


def test_the_owner_consents_as_well(tmp_path):
    both = Policy(requesters=[LEAD], consent="owner")
    with pytest.raises(Refused, match=r"\(requesters\)"):
        fit("else", both, tmp_path / "oslo.jsonl")
    with pytest.raises(Refused, match="waits there as"):
        fit(LEAD, both, tmp_path / "oslo.jsonl")


def test_in_process_there_is_no_requester():
    assert (
        fedps.fit(StandardScaler(), [TABLE], policy=Policy(requesters=[LEAD])).n_samples_seen_ == 20
    )


def test_in_a_policy_file(tmp_path):
    file = tmp_path / "policy.toml"
    file.write_text(f'requesters = ["{LEAD}"]\n', "utf-8")
    assert list(read_policy(file).requesters) == [LEAD]
    file.write_text(f'requesters = "{LEAD}"\n', "utf-8")
    with pytest.raises(
        UsageError, match="line 1: requesters is a text: it must be a list of names"
    ):
        read_policy(file)
    with pytest.raises(UsageError, match="list of names, not one name"):
        Policy(requesters=LEAD)
