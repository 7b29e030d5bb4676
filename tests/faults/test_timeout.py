"""Clients in process that take too long, and settings that cannot be."""

from __future__ import annotations

import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import fedps
from tests.faults.tables import tables

SLOW = "turku"  # the only one with so many rows


def clients():
    found = tables(1, 3)
    found[SLOW] = found[SLOW].iloc[np.arange(500) % len(found[SLOW])].reset_index(drop=True)
    return {name: table.fillna(1.0) for name, table in found.items()}


WAIT = 1.5  # seconds: many times what the others need
awake = threading.Event()


def dawdle(X):
    if len(X) > 100:
        awake.wait(60)
    return X


@pytest.fixture
def asleep():
    """One client sleeps until the test has ended."""
    awake.clear()
    yield
    awake.set()


SLEEPY = make_pipeline(FunctionTransformer(dawdle), StandardScaler())


@pytest.mark.usefixtures("asleep")
def test_a_client_that_takes_too_long():
    started = time.monotonic()
    with pytest.raises(fedps.TransportError) as caught:
        fedps.Federation(clients(), timeout=WAIT).fit(SLEEPY)
    assert time.monotonic() - started < 30
    assert str(caught.value) == "client 'turku' did not answer within 1.5 seconds. [round 1]"
    assert caught.value.clients == (SLOW,)


@pytest.mark.usefixtures("asleep")
def test_a_quorum_goes_on_without_it():
    federation = fedps.Federation(clients(), timeout=WAIT, quorum=2)
    fitted = federation.fit(SLEEPY)
    assert federation.run.clients == ("oslo", "bergen")
    rest = {name: table for name, table in clients().items() if name != SLOW}
    alone = fedps.Federation(rest).fit(SLEEPY)
    np.testing.assert_array_equal(fitted[-1].mean_, alone[-1].mean_)
    assert "Went on without" in str(federation.run)
    assert federation.run.to_dict()["left_out"][0]["client"] == SLOW


def test_time_enough():
    fedps.Federation(clients(), timeout=60).fit(StandardScaler())


def test_a_client_that_never_ends_does_not_keep_the_program():
    program = """
import threading, numpy as np, fedps
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
def never(X):
    while threading.current_thread() is not threading.main_thread(): pass
    return X
federation = fedps.Federation([np.ones((3, 1))] * 2, timeout=0.5)
try:
    federation.fit(make_pipeline(FunctionTransformer(never), StandardScaler()))
except fedps.TransportError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=180, check=True
    )
    assert "did not answer within 0.5 seconds" in done.stdout


@pytest.mark.parametrize("timeout", [0, -1, "soon", True, float("nan")])
def test_no_timeout(timeout):
    with pytest.raises(fedps.UsageError, match="timeout must be a number of seconds above 0"):
        fedps.Federation(clients(), timeout=timeout)


@pytest.mark.parametrize("quorum", [0, 4, -1, 2.0, "all", True])
def test_no_quorum(quorum):
    with pytest.raises(fedps.UsageError, match="from 1 to 3"):
        fedps.Federation(clients(), quorum=quorum)


def test_no_quorum_of_columns():
    whole = {"a": clients()["oslo"][["a"]], "b": clients()["oslo"][["b"]]}
    with pytest.raises(fedps.UsageError, match="quorum= cannot be used"):
        fedps.Federation(whole, split="columns", quorum=1)


def test_a_transport_has_its_own_timeout():
    federation = fedps.Federation(clients())
    with pytest.raises(fedps.UsageError, match="give it to the transport"):
        fedps.Federation(federation._session.transport, timeout=3)
