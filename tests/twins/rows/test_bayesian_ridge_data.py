"""BayesianRidge on real columns, as they are: badly scaled, collinear, of several hospitals."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.impute import SimpleImputer
from sklearn.linear_model import BayesianRidge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import fedps
from benchmarks import data
from benchmarks.downloads import DataMissing
from tests.twins.compare import assert_same_fit
from tests.twins.partitions import pool


@pytest.mark.parametrize(
    ("dataset", "of_coefficients"), [("adult", 1e-9), ("bank", 1e-9), ("covertype", 1e-6)]
)
def test_raw_columns_of_real_data(dataset, of_coefficients):
    """Condition numbers are 3e5, 2e4 and infinite: Covertype's areas and soils add up to ones."""
    try:
        table = data.LOADERS[dataset](download=False)
    except DataMissing as error:
        pytest.skip(str(error))
    label = data.TARGETS[dataset]
    X = data.encoded(table.drop(columns=label))
    labelled = X.assign(y=pd.factorize(table[label], sort=True)[0])
    parts = data.split(labelled, 10, 2000, seed=0)
    ours = fedps.Federation(parts, target="y")
    whole = pool(parts)
    X, y = whole.drop(columns="y"), whole["y"]
    fitted = ours.fit(BayesianRidge(compute_score=True))
    pooled = BayesianRidge(compute_score=True).fit(X, y)
    assert fitted.n_iter_ == pooled.n_iter_
    for name, rtol in (("coef_", of_coefficients), ("alpha_", 1e-12), ("scores_", 1e-12)):
        mine, theirs = np.asarray(getattr(fitted, name)), np.asarray(getattr(pooled, name))
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=rtol * np.abs(theirs).max())
    np.testing.assert_allclose(fitted.predict(X), pooled.predict(X), rtol=0, atol=1e-9)


def test_hospitals():
    """The four hospitals, imputed, under the policy that a deployed client has."""
    try:
        table = data.heart_disease(download=False)
    except DataMissing as error:
        pytest.skip(str(error))
    numbers = ["age", "trestbps", "chol", "thalach", "oldpeak"]
    table = table[[*numbers, "num", "hospital"]]
    parts = {name: part.drop(columns="hospital") for name, part in table.groupby("hospital")}
    pipe = make_pipeline(SimpleImputer(), StandardScaler(), BayesianRidge())
    ours = fedps.Federation(parts, target="num", policy=fedps.Policy())
    whole = pd.concat(parts.values())
    pooled = clone(pipe).fit(whole[numbers], whole["num"])
    fitted = ours.fit(pipe)
    assert_same_fit(fitted, pooled)
    found = np.concatenate(list(ours.predict(fitted).values()))
    np.testing.assert_allclose(found, pooled.predict(whole[numbers]), rtol=1e-9)
