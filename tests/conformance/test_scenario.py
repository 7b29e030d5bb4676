"""The scenario in process: what all engines are measured against, and the pooled fit against it."""

from __future__ import annotations

import pandas as pd
import pytest

import fedps
from tests.conformance.scenario import (
    CLIENTS,
    ERROR,
    POLICIES,
    REFUSAL,
    ROWS,
    SECRET,
    assert_conforms,
    bits,
    failing,
    in_process,
    outcome,
    pipeline,
    refused,
    tables,
)
from tests.twins.compare import assert_same_fit, assert_same_transform

MANY = 200


def federation(**options):
    policies = {name: fedps.Policy(**rules) for name, rules in POLICIES.items()}
    return fedps.Federation(tables(), policy=policies, progress=False, **options)


def test_it_is_the_pooled_fit(tmp_path):
    found = in_process(tmp_path)
    pooled = pd.concat(tables().values(), ignore_index=True)
    expected = pipeline().fit(pooled)
    assert_same_fit(found.fitted, expected)
    assert_same_transform(found.fitted, expected, pooled)


def test_it_is_the_same_twice(tmp_path):
    assert_conforms(in_process(tmp_path), in_process(tmp_path))


def test_frames_and_files_give_the_same_bits(tmp_path):
    assert bits(outcome(federation()).fitted) == bits(in_process(tmp_path).fitted)


def test_it_takes_few_rounds(tmp_path):
    found = in_process(tmp_path)
    assert found.rounds == 2
    assert tuple(found.bytes_up) == CLIENTS


def test_refusal():
    with pytest.raises(fedps.Refused) as caught:
        federation().fit(refused())
    assert str(caught.value) == REFUSAL
    assert (caught.value.clients, caught.value.round) == (("turku",), 1)


def test_error():
    with pytest.raises(fedps.ClientError) as caught:
        federation().fit(failing())
    assert str(caught.value) == ERROR
    assert caught.value.clients == CLIENTS
    assert SECRET not in repr(caught.value)


@pytest.mark.slow
def test_many_clients(tmp_path):
    rows = {f"client {i:03d}": 25 + i % 7 for i in range(MANY)}
    # each has few rows, and so rare categories, which the default policy does not name
    federation = fedps.Federation(tables(rows), policy=fedps.Policy(max_share=1.0, min_count=0))
    pooled = pd.concat(tables(rows).values(), ignore_index=True)
    assert_same_fit(federation.fit(pipeline()), pipeline().fit(pooled))
    assert federation.run.rounds == in_process(tmp_path, ROWS).rounds
