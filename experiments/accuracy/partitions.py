"""How training rows come to clients: evenly, skewed by label, or skewed by a feature."""

from __future__ import annotations

import numpy as np

Parts = list[np.ndarray]
"""The positions of each client's rows."""

# the continuous feature that tells most about the label (mutual information)
SORTED_BY = {"adult": "capital-gain", "bank": "duration", "covertype": "Elevation"}
ALPHA = 0.5
DRAW = 42  # the seed that the authors' code draws shares from, in every one of its runs
FEWEST = 10  # rows: a draw that gives a client fewer is made again


def iid(rows: int, clients: int, rng: np.random.Generator) -> Parts:
    """Return shuffled rows in equal parts."""
    return np.array_split(rng.permutation(rows), clients)


def label_skew(labels: np.ndarray, clients: int) -> Parts:
    """Return parts that have a share of each label that is drawn from a Dirichlet distribution.

    The draw is always the same one: that of the paper's own code, since all depends on it.
    """
    rng = np.random.default_rng(DRAW)
    while True:
        parts: list[list[np.ndarray]] = [[] for _ in range(clients)]
        for label in np.unique(labels):
            rows = np.flatnonzero(labels == label)
            shares = rng.dirichlet(np.full(clients, ALPHA))
            cuts = (np.cumsum(shares)[:-1] * len(rows)).astype(int)
            for part, share in zip(parts, np.split(rows, cuts), strict=True):
                part.append(share)
        whole = [np.concatenate(part) for part in parts]
        if min(map(len, whole)) >= FEWEST:
            return whole


def feature_skew(feature: np.ndarray, clients: int, rng: np.random.Generator) -> Parts:
    """Return equal parts of the rows sorted by a feature; ties fall as they are drawn."""
    drawn = rng.permutation(len(feature))
    return np.array_split(drawn[np.argsort(feature[drawn], kind="stable")], clients)
