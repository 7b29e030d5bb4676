"""Tables of many rows whose columns have shapes that are hard for quantiles."""

from __future__ import annotations

import numpy as np
import pandas as pd
import scipy.sparse as sp

from tests.twins.tables import random, with_holes

ROWS = 1500


def shapes():
    rng = random(31)
    return pd.DataFrame(
        {
            "whole": rng.integers(0, 40, ROWS),
            "normal": rng.normal(size=ROWS),
            "cauchy": rng.standard_cauchy(ROWS),
            "ties": np.where(rng.random(ROWS) < 0.6, 0.0, rng.lognormal(size=ROWS)),
            "offset": 1e9 + rng.normal(size=ROWS),
            "tiny": 3.0 + rng.normal(size=ROWS) * 1e-6,
            "money": rng.integers(0, 10**7, ROWS) / 100,
            "signs": np.where(rng.random(ROWS) < 0.5, -0.0, rng.normal(size=ROWS)),
        }
    )


def shapes_holes():
    table = shapes().astype(float)
    return pd.DataFrame(with_holes(table.to_numpy()), columns=table.columns)


def extremes():
    """Columns at the ends of what a double can hold."""
    rng = random(32)
    sign = rng.choice([-1.0, 1.0], ROWS)
    return pd.DataFrame(
        {
            "huge": sign * 10.0 ** rng.uniform(290, 307, ROWS),
            "denormal": sign * rng.integers(0, 50, ROWS) * 5e-324,
            "all": sign * 10.0 ** rng.uniform(-300, 300, ROWS),
            "two": rng.choice([1.5, 2.5], ROWS),
        }
    )


def float32_shapes():
    return shapes()[["normal", "cauchy", "ties", "money"]].astype(np.float32)


def array_shapes():
    return shapes_holes().to_numpy()


def sparse_shapes():
    rng = random(33)
    cells = np.where(rng.random((ROWS, 4)) < 0.8, 0.0, rng.lognormal(size=(ROWS, 4)))
    return sp.csr_array(np.round(cells, 3))


def sparse_shapes_holes():
    table = sparse_shapes()
    table.data[::7] = np.nan
    return table


def sparse_like():
    """Dense columns of which most cells are zero: many bins coincide."""
    return pd.DataFrame(sparse_shapes().toarray(), columns=list("abcd"))


def wide():
    """Columns without ties, so that knots are apart."""
    return shapes()[["normal", "cauchy", "money"]]
