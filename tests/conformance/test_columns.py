"""The scenario of owners of columns in process: what engines are measured against, and the pooled fit against it."""

from __future__ import annotations

import numpy as np

import fedps
from tests.conformance import columns


def test_it_is_the_pooled_fit(tmp_path):
    told = columns.here(tmp_path)
    every = columns.people()
    expected = columns.simple().fit(every, every[columns.TARGET])
    clients = {
        name: columns.table(name).rename(columns={columns.KEYS[name]: "customer"})
        for name in columns.CLIENTS
    }
    federation = fedps.Federation(clients, progress=False, **columns.HOW)
    found = federation.predict(federation.fit(columns.simple()))
    np.testing.assert_allclose(found, expected.predict(every), rtol=1e-9)
    assert told["refusal"].startswith(columns.REFUSAL)
    assert told["error"] == columns.ERROR
    assert told["fit"][:2] == [4, 1]


def test_it_is_the_same_twice(tmp_path):
    assert columns.here(tmp_path) == columns.here(tmp_path)
