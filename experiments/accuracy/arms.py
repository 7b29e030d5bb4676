"""The three arms: no preprocessing, each client's own, and one for all through the federation.

Each gives the rows as numbers, the training rows and the test rows in the order of the parts.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder, StandardScaler

import fedps
from benchmarks.data import texts
from experiments.accuracy.partitions import Parts


class Prepared(NamedTuple):
    """Rows as numbers, and what preparing them together cost: rounds, and bytes that a client sends."""

    train: np.ndarray
    test: np.ndarray
    rounds: int = 0
    bytes_up: float = 0.0


def prepare(
    arm: str, train: pd.DataFrame, test: pd.DataFrame, parts: Parts, test_parts: Parts
) -> Prepared:
    """Return the rows of all clients, part by part, as the arm prepares them."""
    ours = [train.iloc[rows] for rows in parts]
    theirs = [test.iloc[rows] for rows in test_parts]
    if arm == "local":
        fitted = [clone(_scaled(train)).fit(table) for table in ours]
        return Prepared(_together(fitted, ours), _together(fitted, theirs))
    estimator = _scaled(train) if arm == "federated" else _encoded(train)
    federation = fedps.Federation(ours, progress=False)
    for_all = [federation.fit(estimator)] * len(ours)
    run = federation.run
    up = sum(run.bytes_up.values()) / len(ours)
    return Prepared(_together(for_all, ours), _together(for_all, theirs), run.rounds, up)


def _encoded(table: pd.DataFrame) -> Any:
    """Return what turns categories into whole numbers, unknown ones into -1, and leaves the rest."""
    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    return make_column_transformer((encoder, texts(table)), remainder="passthrough")


def _scaled(table: pd.DataFrame) -> Any:
    """Return what encodes categories and then scales every column, encoded ones too."""
    if not texts(table):
        return StandardScaler()
    return make_pipeline(_encoded(table), StandardScaler())


def _together(fitted: list[Any], tables: list[pd.DataFrame]) -> np.ndarray:
    """Return the transformed tables one below the other, in the precision of training."""
    parts = [one.transform(table) for one, table in zip(fitted, tables, strict=True)]
    return np.concatenate([np.asarray(part, np.float32) for part in parts])
