"""Clients that are known by address until they have told their names, and faults among them."""

from __future__ import annotations

import random

import numpy as np
import pytest
from msgspec import structs
from sklearn.neighbors import KNeighborsRegressor

import fedps
from fedps.client import Policy, Responder, open_table
from fedps.protocol.codec import decode, encode
from fedps.protocol.messages import Reply
from fedps.transports import LocalTransport
from tests.conformance.scenario import bits
from tests.faults.faulty import (
    DIES,
    FAULTS,
    IMPOSTOR,
    LATE,
    SILENT,
    TWICE,
    Faulty,
    ServerDies,
    local,
)
from tests.faults.fits import FITS, total
from tests.faults.nameless import Addressed
from tests.faults.tables import tables

CLIENTS = dict(sorted(tables(7, 4).items()))
HERE = {name: f"node {9 - i}" for i, name in enumerate(CLIENTS)}
ELSEWHERE = {name: f"node {20 + i}" for i, name in enumerate(CLIENTS)}
OSLO = HERE["oslo"]
PIPELINE = FITS["pipeline"]


def federation(faults=None, addresses=HERE, quorum=None, **more):
    transport = Addressed(Faulty(local(CLIENTS), faults or {}, **more), addresses)
    return fedps.Federation(transport, progress=False, quorum=quorum)


def is_without(fitted, *names):
    left = {name: table for name, table in CLIENTS.items() if name not in names}
    return bits(fitted) == bits(total(left, PIPELINE)[0])


def test_they_are_called_by_their_names():
    made = federation()
    for _ in range(2):
        assert is_without(made.fit(PIPELINE))
        assert made.run.clients == tuple(CLIENTS)
    assert federation().explain(PIPELINE).clients == tuple(CLIENTS)


@pytest.mark.parametrize(
    ("fault", "called"),
    [(DIES, OSLO), (SILENT, OSLO), (LATE, OSLO), (TWICE, "oslo"), (IMPOSTOR, "nobody")],
)
def test_a_fault_before_the_names_are_known(fault, called):
    with pytest.raises(fedps.FedPSError, match=f"^client '{called}'"):
        federation({("oslo", 1): fault}).fit(PIPELINE)
    made = federation({("oslo", 1): fault}, quorum=3)
    assert is_without(made.fit(PIPELINE), "oslo")
    assert [each.client for each in made.run.left_out] == [called]
    assert made.run.clients == ("bergen", "lund", "turku")


class Renamed(Addressed):
    """One client gives another name in its replies."""

    name = "bergen"

    def exchange(self, messages):
        for client, data in super().exchange(messages):
            reply = decode(data, Reply, client)
            name = self.name if reply.client == "oslo" else reply.client
            yield client, encode(structs.replace(reply, client=name))


@pytest.mark.parametrize("name", ["bergen", HERE["bergen"]], ids=["name", "address"])
def test_two_of_one_name(name):
    transport = Renamed(Faulty(local(CLIENTS)), HERE)
    transport.name = name
    with pytest.raises(fedps.errors.Disagreement, match=f"both call themselves '{name}'"):
        fedps.Federation(transport, quorum=2).fit(PIPELINE)


@pytest.mark.parametrize("addresses", [HERE, ELSEWHERE], ids=["same addresses", "other addresses"])
def test_a_server_that_starts_again(addresses, tmp_path):
    expected, run = total(CLIENTS, PIPELINE)
    for done in range(run.rounds):
        with pytest.raises(ServerDies):
            federation(crash_after=done).fit(PIPELINE, checkpoint=tmp_path / "file")
        after = federation(addresses=addresses)
        assert bits(after.fit(PIPELINE, checkpoint=tmp_path / "file")) == bits(expected)
        assert after.run.resumed == done
        asked_for_names = addresses is ELSEWHERE and done > 0
        assert after._session.transport.inner.exchanges == run.rounds - done + asked_for_names


@pytest.mark.parametrize("addresses", [HERE, ELSEWHERE], ids=["same addresses", "other addresses"])
@pytest.mark.parametrize("done", [2, 3], ids=["one round", "two rounds"])
@pytest.mark.parametrize("lost", [1, 2], ids=["before its name", "after its name"])
def test_a_server_that_starts_again_without_someone(lost, done, addresses, tmp_path):
    """Whoever was left out stays left out, and what the others answered is not asked again."""
    dying = federation({("oslo", lost): DIES}, crash_after=lost + done - 1, quorum=3)
    with pytest.raises(ServerDies):
        dying.fit(PIPELINE, checkpoint=tmp_path / "file")
    after = federation(addresses=addresses, quorum=3)
    assert is_without(after.fit(PIPELINE, checkpoint=tmp_path / "file"), "oslo")
    assert after.run.resumed == done - 1
    assert after.run.clients == ("bergen", "lund", "turku")
    assert {each.client for each in after.run.left_out} <= {"oslo", OSLO}


def test_it_starts_again_before_the_others_have_answered(tmp_path):
    dying = federation({("oslo", 2): DIES}, crash_after=2, quorum=3)
    with pytest.raises(ServerDies):
        dying.fit(PIPELINE, checkpoint=tmp_path / "file")
    after = federation(quorum=3)
    assert is_without(after.fit(PIPELINE, checkpoint=tmp_path / "file"), "oslo")
    assert [(each.client, each.round) for each in after.run.left_out] == [("oslo", 2)]
    assert set(after._session.transport.inner.heard) == {"bergen", "lund", "turku"}


@pytest.mark.parametrize("lost", ["lund", "oslo"])
def test_one_that_is_gone_when_the_server_asks_for_names(lost, tmp_path):
    with pytest.raises(ServerDies):
        federation(crash_after=2).fit(PIPELINE, checkpoint=tmp_path / "file")
    faults = {(lost, 1): DIES}
    with pytest.raises(fedps.TransportError, match=f"client '{ELSEWHERE[lost]}' did not answer"):
        federation(faults, ELSEWHERE).fit(PIPELINE, checkpoint=tmp_path / "file")
    after = federation(faults, ELSEWHERE, quorum=2)
    assert is_without(after.fit(PIPELINE, checkpoint=tmp_path / "file"), lost)


# Results that ask ---------------------------------------------------------------------------------


@pytest.mark.parametrize("wrap", [False, True], ids=["names", "addresses"])
def test_a_model_asks_only_those_that_it_was_fitted_on(wrap):
    whole = {name: table.fillna(1.0) for name, table in CLIENTS.items()}
    inner = LocalTransport(
        {n: Responder(n, open_table(t, target="c"), Policy.open()) for n, t in whole.items()}
    )
    transport = Faulty(inner, {("oslo", 1): SILENT})
    made = fedps.Federation(Addressed(transport, HERE) if wrap else transport, quorum=3)
    model = made.fit(KNeighborsRegressor(3))
    queries = whole["oslo"][["a", "b"]]
    found = made.predict(model, queries)
    assert made.run.clients == ("bergen", "lund", "turku")
    left = fedps.Federation({n: t for n, t in whole.items() if n != "oslo"}, target="c")
    np.testing.assert_array_equal(found, left.predict(left.fit(KNeighborsRegressor(3)), queries))


# Everything at once -------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_clients_and_servers_that_come_and_go(seed, tmp_path):
    """Servers start again until one gets through; what it has is the fit of those that it names."""
    chance = random.Random(seed)
    estimator = FITS[chance.choice(["pipeline", "selector", "drawn", "clusters"])]
    addresses, path = HERE, tmp_path / "file"
    for attempt in range(10):
        if chance.random() < 0.5:
            addresses = {name: f"node {chance.randrange(10**6)}" for name in CLIENTS}
        some = [(chance.choice(list(CLIENTS)), chance.randint(1, 4)) for _ in range(2)]
        faults = {} if attempt == 9 else {at: chance.choice(FAULTS) for at in some}
        crash = None if attempt == 9 else chance.randint(0, 5)
        made = federation(faults, addresses, chance.randint(1, 3), crash_after=crash, seed=seed)
        np.random.seed(99 if path.exists() else 5)  # noqa: NPY002 - another process is elsewhere
        try:
            fitted = made.fit(estimator, checkpoint=path)
        except (ServerDies, fedps.TransportError, fedps.PeerError, fedps.Refused):
            continue
        took_part = {name: CLIENTS[name] for name in made.run.clients}
        assert bits(fitted) == bits(total(took_part, estimator)[0])
        assert not {each.client for each in made.run.left_out} & set(took_part)
        return
    raise AssertionError("no server got through")
