"""Honest pipelines under the default preset: they pass, or a refusal's way out makes them pass."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.utils._testing import assert_allclose

import fedps
from benchmarks.downloads import given_folder
from tests.honest.pipelines import HONEST

MOST_COLUMNS_LEFT_OUT = 12
pytestmark = pytest.mark.skipif(
    not given_folder().is_dir(), reason="set FEDPS_DATA to the folder of adult.data.gz"
)


def fitted(honest, tables, policy):
    """Return the fitted pipeline, its run, and the columns that refusals said to leave out."""
    left_out = []
    while True:
        federation = fedps.Federation(tables, policy=policy, target=honest.target)
        try:
            return federation.fit(honest.make()), federation.run, left_out
        except fedps.Refused as refused:
            column = re.search(r"on column '([^']+)'", str(refused))
            assert "eave the column out" in str(refused) or "Leave out columns" in str(refused)
            assert column is not None, str(refused)
            assert len(left_out) < MOST_COLUMNS_LEFT_OUT, str(refused)
            left_out.append(column[1])
            tables = {k: t.drop(columns=column[1]) for k, t in tables.items()}


@pytest.mark.parametrize("honest", HONEST, ids=[honest.name for honest in HONEST])
def test_honest_pipelines_pass(honest):
    tables = honest.tables()
    found, run, left_out = fitted(honest, tables, fedps.Policy())
    kept = {k: t.drop(columns=left_out) for k, t in tables.items()}
    open_, *_ = fitted(honest, kept, fedps.Policy.open())
    assert all(one.bound for one in run.limitations)
    rows = pd.concat(kept.values(), ignore_index=True).head(500)
    X = rows.drop(columns=honest.target) if honest.target else rows
    one, other = found.transform(X), open_.transform(X)
    if not run.limitations:
        dense = (x.toarray() if hasattr(x, "toarray") else np.asarray(x) for x in (one, other))
        assert_allclose(*dense)
