"""Categories, targets and partitions for TargetEncoder, and the comparison with pooled."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.preprocessing import TargetEncoder

import fedps
from fedps.errors import FedPSError
from tests.twins.compare import assert_same_fit
from tests.twins.partitions import pool, take

ROWS = 120


def frame():
    rng = np.random.default_rng(3)
    return pd.DataFrame(
        {
            "word": rng.choice(
                ["a", "b", "zoë", "日本", "rare"], ROWS, p=[0.4, 0.3, 0.2, 0.08, 0.02]
            ),
            "gaps": pd.Series(rng.choice(np.array(["x", "y", None], object), ROWS), dtype=object),
            "whole": rng.integers(-2, 3, ROWS),
            "real": np.where(rng.random(ROWS) < 0.2, np.nan, rng.choice([0.5, 2.25], ROWS)),
        }
    )


def targets():
    rng = np.random.default_rng(11)
    classes = rng.choice(["no", "yes"], ROWS, p=[0.7, 0.3])
    return {
        "text": classes,
        "text objects": classes.astype(object),
        "truth": classes == "yes",
        "whole": (classes == "yes").astype(np.int64) * 3 - 1,
        "three": rng.choice(["low", "mid", "high"], ROWS, p=[0.6, 0.3, 0.1]),
        "three whole floats": rng.choice([1.0, 2.0, 7.0], ROWS),
        "one": np.ones(ROWS, dtype=int),
        "numbers": rng.normal(size=ROWS),
        "far numbers": 1e9 + rng.normal(size=ROWS),
        "float32": rng.normal(size=ROWS).astype(np.float32),
    }


# Partitions of a frame with its target as one more column -----------------------------------


def split(table, cuts):
    edges = [0, *cuts, len(table)]
    return [take(table, np.arange(a, b)) for a, b in pairwise(edges)]


def thirds(table):
    return split(table, [ROWS // 3, 2 * ROWS // 3])


def empty_and_single(table):
    return split(table, [0, 1, 2, 50, 50])


def by_class(table):
    """No two clients have the same class, or the same range of numbers."""
    return thirds(table.iloc[np.argsort(table["y"].astype(str), kind="stable")])


def by_category(table):
    return thirds(table.iloc[np.argsort(table["word"], kind="stable")])


def other_columns(table):
    parts = thirds(table)
    return [parts[0], parts[1][parts[1].columns[::-1]], parts[2]]


PARTITIONS = [thirds, empty_and_single, by_class, by_category, other_columns]


def federation(parts):
    clients = {f"client {i}": part for i, part in enumerate(parts)}
    return fedps.Federation(clients, target="y")


def with_target(y, table=None):
    return (frame() if table is None else table).assign(y=y)


def seeded(**params):
    """Return an encoder whose folds are the same at every fit, in every scikit-learn."""
    return TargetEncoder(**{"random_state": 5, **params})


def check(encoder, parts, *, rtol=1e-13):
    """Compare fit and fit_transform with the pooled ones."""
    table = pool(parts)
    X, y = table.drop(columns="y"), table["y"]
    ours = federation(parts)
    try:
        pooled = clone(encoder)
        expected = pooled.fit_transform(X, y)
    except (ValueError, IndexError, TypeError) as error:
        with pytest.raises((FedPSError, type(error))):
            ours.fit_transform(encoder)
        return None
    fitted = ours.fit(encoder)
    assert_same_fit(*rounded(fitted, pooled, rtol))
    again, outputs = ours.fit_transform(encoder)
    assert_same_fit(*rounded(again, pooled, rtol))
    found = np.concatenate([np.asarray(rows) for rows in outputs.values()])
    np.testing.assert_allclose(found, np.asarray(expected), rtol=rtol, atol=rtol * 1e-2)
    return ours


def rounded(ours, pooled, rtol):
    """Return the encoders to be compared to the bit, once their rounded numbers are compared."""
    rtol = max(rtol, 1e-5) if np.asarray(pooled.target_mean_).dtype == np.float32 else rtol
    np.testing.assert_allclose(ours.target_mean_, pooled.target_mean_, rtol=rtol)
    assert type(ours.target_mean_) is type(pooled.target_mean_)
    assert len(ours.encodings_) == len(pooled.encodings_)
    for mine, theirs in zip(ours.encodings_, pooled.encodings_, strict=True):
        assert mine.dtype == theirs.dtype
        np.testing.assert_allclose(mine, theirs, rtol=rtol, atol=0)
    assert type(ours.cv) is type(pooled.cv)
    for name in (
        "encodings_",
        "target_mean_",
        "cv",
    ):  # splitters are equal to nothing but themselves
        setattr(ours, name, getattr(pooled, name))
    return ours, pooled
