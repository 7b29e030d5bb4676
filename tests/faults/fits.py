"""Estimators of which a fit takes one round or many, and fits on which nothing goes wrong."""

from __future__ import annotations

import numpy as np
from sklearn.cluster import KMeans
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    KBinsDiscretizer,
    MinMaxScaler,
    PowerTransformer,
    QuantileTransformer,
    StandardScaler,
)

import fedps
from tests.faults.faulty import Faulty, local

FITS = {
    "scaler": StandardScaler(),
    "pipeline": make_pipeline(SimpleImputer(strategy="median"), PowerTransformer(), MinMaxScaler()),
    "drawn": make_pipeline(
        SimpleImputer(), KBinsDiscretizer(3, subsample=50), QuantileTransformer(n_quantiles=5)
    ),
    "clusters": make_pipeline(
        SimpleImputer(), StandardScaler(), KMeans(2, init="random", n_init=1, max_iter=2)
    ),
    "selector": make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), make_column_selector("a|b")),
        (make_pipeline(SimpleImputer(), PowerTransformer()), [2]),
    ),
    "neighbours": make_pipeline(KNNImputer(n_neighbors=2), StandardScaler()),
}


def total(clients, estimator):
    transport = Faulty(local(clients))
    np.random.seed(5)  # noqa: NPY002 - what random_state=None draws from
    federation = fedps.Federation(transport)
    return federation.fit(estimator), federation.run
