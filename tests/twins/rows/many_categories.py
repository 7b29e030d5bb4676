"""Columns of many categories, and encoders that put the rare ones together."""

import numpy as np
from sklearn.preprocessing import OneHotEncoder


def one_hot(**params):
    return OneHotEncoder(handle_unknown="infrequent_if_exist", **params)


def split(encoder):
    """Return the frequent and the infrequent categories of each column."""
    found = []
    for categories, rare in zip(encoder.categories_, encoder._infrequent_indices, strict=True):
        often = np.delete(categories, [] if rare is None else rare)
        found.append((often.tolist(), None if rare is None else categories[rare]))
    return found


def zipf(rows, rng, values=3000):
    weight = 1 / np.arange(1, values + 1) ** 1.1
    return rng.choice(values, rows, p=weight / weight.sum())
