"""Honest pipelines under the default preset: they pass, or a refusal's way out makes them pass."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.preprocessing import LabelEncoder
from sklearn.utils._testing import assert_allclose

import fedps
from benchmarks.downloads import given_folder
from fedps.demo import load, preprocessing
from tests.honest.pipelines import HONEST

MOST_REFUSALS = 12
# a soil type of few cells at a site; more products of columns than a small hospital has rows for
REFUSED_AT_FIRST = ("scale terrain", "impute hospitals")
needs_data = pytest.mark.skipif(
    not given_folder().is_dir(), reason="set FEDPS_DATA to the folder of adult.data.gz"
)


def tried(honest, tables, policy):
    """Return the fitted pipeline and its run, or the refusal."""
    federation = fedps.Federation(tables, policy=policy, target=honest.target)
    try:
        columns = list(next(iter(tables.values())))
        return federation.fit(honest.make(columns)), federation.run, None
    except fedps.Refused as refused:
        return None, None, str(refused)


def followed(refused, tables, policy):
    """Return tables and policy after doing what a refusal says."""
    if "(budget)" in refused:
        assert "ask the data owner to raise budget in the policy" in refused
        return tables, fedps.Policy(budget=2 * policy.budget)
    assert "Leave the column out" in refused
    column = re.search(r"on column '([^']+)'", refused)[1]
    return {name: table.drop(columns=column) for name, table in tables.items()}, policy


@needs_data
@pytest.mark.parametrize("honest", HONEST, ids=[honest.name for honest in HONEST])
def test_they_pass(honest):
    tables, policy, refusals = honest.tables(), fedps.Policy(), []
    for _ in range(MOST_REFUSALS):
        found, run, refused = tried(honest, tables, policy)
        if refused is None:
            break
        refusals.append(refused)
        tables, policy = followed(refused, tables, policy)
    assert refused is None, refused
    assert bool(refusals) == (honest.name in REFUSED_AT_FIRST), refusals
    exact, *_ = tried(honest, tables, fedps.Policy.open())
    assert all(one.bound not in ("", "not known") for one in run.limitations)
    if all("exact" in one.bound or one.bound.startswith("none") for one in run.limitations):
        rows = pd.concat(tables.values(), ignore_index=True).head(500)
        X = rows.drop(columns=honest.target) if honest.target else rows
        assert_allclose(*(dense(each.transform(X)) for each in (found, exact)))


def dense(rows):
    return rows.toarray() if hasattr(rows, "toarray") else np.asarray(rows)


def test_the_demo_passes():
    penguins = load()
    islands = {name: table.drop(columns="island") for name, table in penguins.groupby("island")}
    federation = fedps.Federation(islands, target="species", policy=fedps.Policy())
    for estimator in (preprocessing(), LabelEncoder()):
        federation.fit(estimator)
        assert federation.run.limitations == []
