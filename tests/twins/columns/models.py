"""Tables of numbers whose columns have several owners, for models and imputers."""

from __future__ import annotations

import warnings
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import fedps
from benchmarks import data
from benchmarks.downloads import DataMissing


def cut(X, ends):
    """Return the columns of a table up to each end."""
    take = (lambda a, b: X.iloc[:, a:b]) if hasattr(X, "iloc") else (lambda a, b: X[:, a:b])
    return [take(a, b) for a, b in pairwise([0, *ends, X.shape[1]])]


def owned(X, ends, y=None, at=0, **options):
    """Return a federation of owners of some columns each; the one at a place has the target."""
    parts = cut(X, ends)
    if y is not None:
        parts[at] = (parts[at], y)
    return fedps.Federation(parts, split="columns", **options)


def quietly(function, *args):
    """Return what a function gives, without its warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*args)


def related(rows=120, width=7, seed=0):
    """Return columns that have much in common, and a target."""
    rng = np.random.default_rng(seed)
    hidden = rng.normal(size=(rows, 3))
    X = hidden @ rng.normal(size=(3, width)) + 0.4 * rng.normal(size=(rows, width))
    return X, hidden @ rng.normal(size=3) + 0.3 * rng.normal(size=rows) + 5


def with_gaps(X, share=0.1, seed=0, columns=slice(None)):
    """Return a table with some cells missing."""
    X = np.array(X, dtype=float)
    lost = np.random.default_rng(seed).random(X.shape) < share
    kept = np.ones(X.shape[1], dtype=bool)
    kept[columns] = False
    X[lost & ~kept] = np.nan
    return X


def heart():
    """Return the numbers of the heart disease files, with their own missing cells."""
    return _loaded(data.heart_disease).drop(columns="hospital")


def adult():
    """Return Adult with its texts as numbers."""
    frame = data.encoded(_loaded(data.adult))
    return frame.astype(float)


def _loaded(load) -> pd.DataFrame:
    try:
        return load(download=False)
    except DataMissing as error:
        pytest.skip(str(error))
