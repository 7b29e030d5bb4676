"""What models may ask: k-means, ridge regression, nearest neighbours."""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np

from fedps.questions.imputers import MOST_CHUNKS
from fedps.questions.metrics import metric_of
from fedps.questions.question import FitSetting, Question, Questions
from fedps.statistics import (
    FarthestRows,
    Finite,
    Gram,
    Moments,
    Neighbours,
    PickedRows,
    Potentials,
    RowClusters,
    RowCounts,
)
from fedps.statistics.base import Array

RUNS_OF_RANDOM = 10  # with n_init="auto", as in scikit-learn


def runs_of(kmeans: Any) -> int:
    """Return how many runs there are to choose from; one where the user gives the first centres."""
    init = getattr(kmeans, "init", None)
    if not isinstance(init, str):
        return 1
    if kmeans.n_init == "auto":
        return RUNS_OF_RANDOM if init == "random" else 1
    return int(kmeans.n_init)


def trials_of(kmeans: Any) -> int:
    """Return how many rows k-means++ tries for each centre, as in scikit-learn."""
    return 2 + int(log(int(kmeans.n_clusters)))


def k_means_questions(kmeans: Any, setting: FitSetting) -> Questions:
    """Ask for sums over the clusters of some centres, and for the rows that centres start from."""
    clusters, runs = int(kmeans.n_clusters), runs_of(kmeans)
    wanted = max(clusters * runs, trials_of(kmeans))

    def few(asked: Any) -> bool:
        candidates = getattr(asked, "candidates", asked.centres)
        fewest = max(clusters, trials_of(kmeans))
        return (
            _is_table(asked.centres, clusters)
            and _is_table(candidates, fewest)
            and getattr(asked, "wanted", 1) <= wanted
        )

    none, mean = np.empty((0, 0)), np.empty(0)
    picked, tried = PickedRows(none, mean, 1), Potentials(none, none, mean)
    times, steps = runs * clusters + 1, runs * (int(kmeans.max_iter) + 1)
    starts = [
        Question(picked, ("centres", "mean", "wanted"), times=times, within=few, given=True),
        Question(tried, ("centres", "candidates", "mean"), times=times, within=few),
    ]
    drawn = isinstance(getattr(kmeans, "init", None), str)
    return [
        Question(Moments()),
        Question(RowCounts()),
        Question(Finite()),
        *(starts if drawn else ()),
        Question(RowClusters(none, mean), ("centres", "mean"), times=steps, within=few),
        Question(
            FarthestRows(none, mean, 1), ("centres", "mean", "wanted"), times=steps, within=few
        ),
    ]


def _is_table(rows: Array, most: int) -> bool:
    return rows.ndim == 2 and len(rows) <= most


def bayesian_ridge_questions(ridge: Any, setting: FitSetting) -> Questions:
    """Ask for the inner products of the columns and the target."""
    return [Question(Gram(weight)) for weight in setting.weights]


def k_neighbors_regressor_questions(regressor: Any, setting: FitSetting) -> Questions:
    """Ask for the target of the rows that are most like some others."""
    metric, most = metric_of(regressor), int(regressor.n_neighbors)
    asked = Neighbours(np.empty((0, 0)), 1, metric.name, metric.p, metric.weights)

    def few(wanted: Neighbours) -> bool:
        return wanted.k <= max(most, 1)

    return [Question(asked, ("queries", "k"), times=MOST_CHUNKS, within=few)]
