"""What the clients hold: some random rows of a data set each, and their labels where these are read."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from benchmarks import data
from experiments.paper import FOLDS, labels_of, table_of


class Part(NamedTuple):
    """One client's rows, their labels, and in which fold of a TargetEncoder each of them is."""

    X: pd.DataFrame
    y: Any = None
    folds: Any = None

    @property
    def client(self) -> Any:
        """The rows as a federation takes them."""
        return self.X if self.y is None else (self.X, self.y)


def parts_of(where: str, columns: str, clients: int, rows: int, seed: int) -> list[Part]:
    """Return what each client holds."""
    table = table_of(where, columns)
    if columns == "all":
        return [Part(X) for X in data.split(table, clients, rows, seed)]
    labels: Any = labels_of(where)
    if columns == "labelled" and labels.dtype.kind not in "iuf":
        labels = pd.factorize(labels, sort=True)[0]
    split = data.split(table.assign(label=labels), clients, rows, seed)
    parts = [(part.drop(columns="label"), part["label"].to_numpy()) for part in split]
    if columns == "labelled":
        return [Part(X, y) for X, y in parts]
    folds = np.array_split(_folds(np.concatenate([y for _, y in parts])), clients)
    return [Part(X, y, own) for (X, y), own in zip(parts, folds, strict=True)]


def _folds(labels: Any) -> Any:
    folds = np.empty(len(labels), dtype=int)
    for number, (_, rows) in enumerate(FOLDS.split(labels, labels)):
        folds[rows] = number
    return folds
