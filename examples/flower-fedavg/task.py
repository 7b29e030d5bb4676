"""What is learned, and from what: the sex of penguins, by their measures and species."""

from __future__ import annotations

from typing import Any

import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from fedps.demo import MEASURES, load

LABEL = "sex"
ISLANDS = ("Biscoe", "Dream", "Torgersen")


def preprocessing() -> Any:
    """Return an ordinary scikit-learn pipeline; it is fitted across the islands."""
    return make_column_transformer(
        (make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), MEASURES),
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), ["species"]),
    )


def model() -> SGDClassifier:
    """Return a logistic regression that a client trains by one pass over its rows."""
    return SGDClassifier(
        loss="log_loss", learning_rate="constant", eta0=0.01, max_iter=1, tol=None, random_state=0
    )


def rows(node: dict[str, Any]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return a node's rows to train and to test with.

    A node of a deployment says in its config where its file is; a simulated one is an island.
    """
    if "data" in node:
        table = pd.read_parquet(str(node["data"]))
    else:
        penguins = load()
        table = penguins[penguins["island"] == ISLANDS[int(node["partition-id"]) % len(ISLANDS)]]
    table = table[[*MEASURES, "species", LABEL]].dropna(subset=[LABEL])
    train, test = train_test_split(table, test_size=0.25, random_state=0)
    return train, test
