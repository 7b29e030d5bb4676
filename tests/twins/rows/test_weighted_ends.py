"""Uniform bins and knots with row weights: rows of weight 0 do not count, across clients and pooled."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, SplineTransformer, StandardScaler

import fedps
from tests.twins.compare import assert_same_fit, assert_same_transform
from tests.twins.partitions import FEW, pool, thirds
from tests.twins.quiet import quiet
from tests.twins.twin import cross, fit_pooled

TAKES_GAPS = "handle_missing" in SplineTransformer().get_params()


def numbers(seed=0):
    """Return columns whose ends are at rows that do not count, and weights."""
    rng = np.random.default_rng(seed)
    cells = rng.normal(size=(60, 3)) * [1, 100, 0.01] + [0, 1e6, 5]
    weights = rng.choice([0.0, 0.5, 3.0, 1e-60], 60)
    weights[cells.argmax(axis=0)] = 0
    return pd.DataFrame(cells, columns=list("abc")).assign(weight=weights)


def whole():
    return numbers().round()


def narrow():
    """Weights of 1e-60 are 0 in 32 bits."""
    return numbers().astype(dict.fromkeys("abc", np.float32))


def with_gaps():
    table = numbers()
    table.loc[table.index % 7 == 0, "b"] = np.nan
    table.loc[table["weight"] > 0, "c"] = np.nan
    return table


def infinite():
    table = numbers()
    table.loc[table["weight"].argmin(), "a"] = np.inf  # its row does not count, and is looked at
    return table


UNIFORM = KBinsDiscretizer(strategy="uniform", encode="ordinal")
SETTINGS = {
    "bins": (UNIFORM, numbers),
    "bins-whole": (UNIFORM, whole),
    "bins-narrow": (UNIFORM, narrow),
    "bins-gaps": (UNIFORM, with_gaps),
    "bins-infinite": (UNIFORM, infinite),
    "bins-onehot": (KBinsDiscretizer([2, 3, 4], strategy="uniform", subsample=None), numbers),
    "knots": (SplineTransformer(), numbers),
    "knots-narrow": (SplineTransformer(), narrow),
    "knots-whole": (SplineTransformer(extrapolation="periodic", include_bias=False), whole),
    "knots-gaps": (SplineTransformer(), with_gaps),
    "knots-given": (SplineTransformer(knots=np.arange(12.0).reshape(4, 3)), numbers),
} | (
    {"knots-gaps-taken": (SplineTransformer(handle_missing="zeros"), with_gaps)}
    if TAKES_GAPS
    else {}
)


@pytest.mark.parametrize(("estimator", "table", "partition"), cross(SETTINGS, *FEW))
def test_with_weights(estimator, table, partition):
    clients = partition(table())
    rows = pool(clients)
    X, weights = rows.drop(columns="weight"), rows["weight"].to_numpy()
    pooled = fit_pooled(estimator, X, sample_weight=weights)
    federation = fedps.Federation(clients)
    if isinstance(pooled, Exception):
        with pytest.raises(fedps.FedPSError):
            federation.fit(estimator, sample_weight="weight")
        return
    with quiet():
        ours = federation.fit(estimator, sample_weight="weight")
    assert_same_fit(ours, pooled)
    assert_same_transform(ours, pooled, X)


@pytest.mark.parametrize("estimator", [UNIFORM, SplineTransformer()], ids=["bins", "knots"])
def test_a_later_step(estimator):
    """Rows beyond the ends, which did not count, go on to the next step as they are."""
    clients = thirds(numbers())
    rows = pool(clients)
    X, weights = rows.drop(columns="weight"), rows["weight"].to_numpy()
    with sklearn.config_context(enable_metadata_routing=True):
        asking = estimator.set_fit_request(sample_weight=True)
        pipeline = make_pipeline(asking, StandardScaler().set_fit_request(sample_weight=False))
        ours = fedps.Federation(clients).fit(pipeline, sample_weight="weight")
        pooled = fit_pooled(pipeline, X, sample_weight=weights)
    assert_same_fit(ours[-1], pooled[-1], 1e-10)


def test_rows_that_count_are_too_few():
    """A policy's min_rows is about the rows that count: others' ends are not shown."""
    table = numbers().assign(weight=[1.0, 1.0] + [0.0] * 58)
    clients = {"few": table, "many": numbers(1)}
    federation = fedps.Federation(clients, policy=fedps.Policy(min_rows=5))
    with pytest.raises(fedps.Refused, match="client 'few' refused Extremes.*min_rows"):
        federation.fit(UNIFORM, sample_weight="weight")
