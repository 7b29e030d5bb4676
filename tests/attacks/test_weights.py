"""A server that names a column as row weights, of which all rows but a few have none."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import BayesianRidge
from sklearn.preprocessing import SplineTransformer, StandardScaler

import fedps

ROWS = 200
SECRET = 123.456


def table(weights):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"a": rng.normal(size=ROWS), "b": rng.normal(size=ROWS), "y": rng.normal(size=ROWS)}
    )
    frame.loc[17, "a"] = SECRET
    frame["w"] = weights
    return frame


def one_row():
    weights = np.zeros(ROWS)
    weights[17] = 1.0
    return weights


def heavy_row():
    weights = np.ones(ROWS)
    weights[17] = 1e12
    return weights


def all_but_one():
    weights = np.ones(ROWS)
    weights[17] = 0.0
    return weights


HOSTILE = [one_row, heavy_row, all_but_one]
ESTIMATORS = [
    StandardScaler(),
    StandardScaler(with_std=False),
    BayesianRidge(),
    SplineTransformer(),
]


@pytest.mark.parametrize("weights", HOSTILE)
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_weights_pick_no_rows(estimator, weights):
    clients = {"oslo": table(weights()), "bergen": table(np.ones(ROWS))}
    federation = fedps.Federation(clients, target="y", policy=fedps.Policy(min_count=0))
    with pytest.raises(fedps.Refused, match="min_rows"):
        federation.fit(estimator, sample_weight="w")


@pytest.mark.parametrize("weights", HOSTILE)
def test_a_unit_makes_no_difference(weights):
    frame = table(weights())
    frame["person"] = np.arange(ROWS)
    policy = fedps.Policy(min_count=0, unit="person")
    with pytest.raises(fedps.Refused, match="min_rows"):
        fedps.fit(StandardScaler(), [frame.drop(columns="y")], sample_weight="w", policy=policy)


def test_honest_weights_are_taken():
    rng = np.random.default_rng(1)
    for weights in (
        np.ones(ROWS),
        rng.uniform(0.5, 2, ROWS),
        rng.integers(0, 3, ROWS).astype(float),
    ):
        frame = table(weights).drop(columns="y")
        found = fedps.fit(
            StandardScaler(), [frame], sample_weight="w", policy=fedps.Policy(min_count=0)
        )
        wanted = StandardScaler().fit(frame[["a", "b"]], sample_weight=weights)
        np.testing.assert_allclose(found.mean_, wanted.mean_)
