"""Fifty fits on which things go wrong by chance: each ends in the right result or the right error."""

from __future__ import annotations

import random
import signal

import pytest
from sklearn.cluster import KMeans
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PowerTransformer, QuantileTransformer, StandardScaler

import fedps
from tests.conformance.scenario import bits
from tests.faults.faulty import (
    CUT,
    DIES,
    FAULTS,
    GARBAGE,
    GONE,
    IMPOSTOR,
    LATE,
    OLD,
    OTHER_FIT,
    REFUSES,
    SILENT,
    TWICE,
    Faulty,
    local,
)
from tests.faults.tables import NAMES, tables

LONGEST = 60  # seconds; none takes more than a few

ESTIMATORS = (
    StandardScaler(),
    make_pipeline(SimpleImputer(strategy="median"), StandardScaler()),
    make_pipeline(SimpleImputer(), PowerTransformer(), StandardScaler()),
    make_pipeline(
        SimpleImputer(), QuantileTransformer(n_quantiles=8, subsample=60, random_state=3)
    ),
    make_pipeline(SimpleImputer(), StandardScaler(), KMeans(2, random_state=0, max_iter=3)),
)

SAYS = {
    DIES: (fedps.TransportError, GONE),
    SILENT: (fedps.TransportError, GONE),
    LATE: (fedps.TransportError, GONE),
    TWICE: (fedps.TransportError, "twice"),
    OLD: (fedps.TransportError, "answered round"),
    GARBAGE: (fedps.PeerError, "sent"),
    CUT: (fedps.PeerError, "sent"),
    REFUSES: (fedps.Refused, "refused to take part: the policy there (min_rows) needs 99 rows"),
    IMPOSTOR: (fedps.PeerError, "in the name of 'nobody'"),
    OTHER_FIT: (fedps.TransportError, "of another fit"),
}


@pytest.fixture(autouse=True)
def _no_hang():
    def stop(*_):
        raise TimeoutError(f"not done after {LONGEST} seconds")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(LONGEST)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("seed", range(50))
def test_a_schedule(seed):
    rng = random.Random(seed)
    clients = tables(seed, rng.randint(2, len(NAMES)))
    estimator = rng.choice(ESTIMATORS)
    quorum = rng.choice([None, 1, len(clients) - 1, len(clients)])
    faults = {}
    for _ in range(rng.randint(0, 3)):
        faults[rng.choice(list(clients)), rng.randint(1, 4)] = rng.choice(FAULTS)
    transport = Faulty(local(clients), faults, seed=seed)
    federation = fedps.Federation(transport, quorum=quorum, progress=False)

    try:
        fitted = federation.fit(estimator)
    except fedps.FedPSError as error:
        ended_rightly(error, transport, quorum, len(clients))
    else:
        gave_the_right_result(fitted, federation.run, transport, clients, estimator)


def ended_rightly(error, transport, quorum, clients):
    """It names the clients that had a fault in the last round, that round, and what the fault was."""
    last = transport.happened[-1][1]
    assert error.round == last
    named = [each for each in transport.happened if each[0] in error.clients and each[1] == last]
    assert {client for client, *_ in named} == set(error.clients)
    for client, _, fault in named:
        kind, says = SAYS[fault]
        assert repr(client) in str(error)
        assert says in str(error) or len(named) > 1
        assert isinstance(error, kind) or len(named) > 1
    assert f"[round {last}]" in str(error)
    lost = {client for client, *_ in transport.happened}
    assert quorum is None or clients - len(lost) < quorum


def gave_the_right_result(fitted, run, transport, clients, estimator):
    """It is the fit on those that had no fault, to the bit, and the run says who had one."""
    lost = {client for client, *_ in transport.happened}
    left = {name: table for name, table in clients.items() if name not in lost}
    assert {each.client for each in run.left_out} == lost
    assert run.clients == tuple(left)
    alone = fedps.Federation(left, progress=False)
    assert bits(fitted) == bits(alone.fit(estimator))
    for each in run.left_out:
        assert each.client in str(run)
        assert repr(each.client) in each.reason


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("message", [1, 2])
def test_each_fault_without_a_quorum(fault, message):
    transport = Faulty(local(tables(1, 3)), {("bergen", message): fault})
    kind, says = SAYS[fault]
    with pytest.raises(kind) as caught:
        fedps.Federation(transport).fit(ESTIMATORS[2])
    text = str(caught.value)
    assert "client 'bergen'" in text
    assert says in text
    assert text.endswith(f"[round {message}]")
    assert caught.value.clients == ("bergen",)


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("message", [1, 2])
def test_each_fault_with_a_quorum(fault, message):
    clients = tables(1, 3)
    transport = Faulty(local(clients), {("bergen", message): fault})
    federation = fedps.Federation(transport, quorum=2)
    fitted = federation.fit(ESTIMATORS[2])
    del clients["bergen"]
    alone = fedps.Federation(clients)
    assert bits(fitted) == bits(alone.fit(ESTIMATORS[2]))
    assert federation.run.rounds == message + alone.run.rounds
    (left,) = federation.run.left_out
    assert (left.client, left.round) == ("bergen", message)


def test_all_faults_of_a_round_are_said_at_once():
    faults = {("oslo", 1): DIES, ("turku", 1): GARBAGE}
    transport = Faulty(local(tables(2, 4)), faults)
    with pytest.raises(fedps.FedPSError) as caught:
        fedps.Federation(transport).fit(StandardScaler())
    assert set(caught.value.clients) == {"oslo", "turku"}
    assert "'oslo'" in str(caught.value)
    assert "'turku'" in str(caught.value)


def test_a_client_that_is_lost_in_one_fit_takes_part_in_the_next():
    clients = tables(3, 3)
    transport = Faulty(local(clients), {("oslo", 1): SILENT})
    federation = fedps.Federation(transport, quorum=2)
    federation.fit(StandardScaler())
    assert federation.run.clients == ("bergen", "turku")
    fitted = federation.fit(StandardScaler())
    assert federation.run.left_out == []
    assert bits(fitted) == bits(fedps.Federation(clients).fit(StandardScaler()))


def test_too_few_are_left():
    transport = Faulty(local(tables(4, 3)), {("oslo", 1): DIES, ("turku", 2): DIES})
    with pytest.raises(fedps.TransportError, match="fewer clients than quorum=2"):
        fedps.Federation(transport, quorum=2).fit(ESTIMATORS[1])
