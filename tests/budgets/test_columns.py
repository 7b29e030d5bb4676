"""What models and imputers cost across owners of columns: golden rounds and bytes, and how they grow."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.experimental import enable_iterative_imputer  # noqa: F401 - brings the class in
from sklearn.impute import IterativeImputer, KNNImputer
from sklearn.linear_model import BayesianRidge
from sklearn.neighbors import KNeighborsRegressor

from tests.twins.columns.models import cut, owned, quietly, related, with_gaps

ENDS = [4, 5]  # three owners of 4, 1 and 3 columns; the second has the target
# rounds, bytes up of each owner, bytes down of each: also of the delivery of what was learned
GOLDEN = {
    "BayesianRidge": (3, (13_937, 7216, 10_579), (685, 656, 677)),
    "BayesianRidge, more columns than rows": (3, (452, 330, 402), (318, 265, 301)),
    "KNeighborsRegressor": (1, (99, 99, 99), (158, 158, 158)),
    "KNNImputer": (2, (60_768, 24_375, 61_198), (405, 424, 209)),
    "IterativeImputer": (1, (6068, 1563, 4685), (276, 300, 100)),
}


def costs(name):
    X, y = related(6 if name.endswith("than rows") else 200, 8)
    estimator = {
        "BayesianRidge": BayesianRidge(),
        "BayesianRidge, more columns than rows": BayesianRidge(tol=1e-4),
        "KNeighborsRegressor": KNeighborsRegressor(),
        "KNNImputer": KNNImputer(),
        "IterativeImputer": IterativeImputer(),
    }[name]
    gaps = name.endswith("Imputer")
    made = owned(with_gaps(X, columns=[0, 4]) if gaps else X, ENDS, y, at=1)
    quietly(made.fit, estimator)
    run = made.run
    return run.rounds, tuple(run.bytes_up.values()), tuple(run.bytes_down.values())


@pytest.mark.parametrize("name", GOLDEN)
def test_costs_are_as_they_were(name):
    rounds, up, down = costs(name)
    was = GOLDEN[name]
    assert rounds == was[0]
    # versions of zlib differ by a little, and last bits of a rotation by processor
    np.testing.assert_allclose(up, was[1], rtol=0.03, atol=8)
    np.testing.assert_allclose(down, was[2], rtol=0.05, atol=8)


def test_predictions():
    X, y = related(200, 8)
    made = owned(X, ENDS, y, at=1)
    queries = cut(related(50, 8, seed=1)[0], ENDS)
    made.predict(made.fit(BayesianRidge()), queries)
    assert made.run.rounds == 2
    assert max(made.run.bytes_up.values()) < 50 * 16 + 200
    made.predict(made.fit(KNeighborsRegressor()), queries)
    assert made.run.rounds == 2
    assert max(made.run.bytes_up.values()) < 50 * 200 * 8 + 50 * 8 + 200


def sent(rows, width):
    """Return the bytes that an owner of so many columns sends for a regression."""
    X, y = related(rows, width + 1)
    made = owned(X, [1], y)
    made.fit(BayesianRidge(max_iter=1))
    return made.run.bytes_up["client 2"]


def test_a_regression_costs_rows_times_the_smaller_of_rows_and_columns():
    """The paper's Theorem for columns: n min(n, m) numbers for an owner of m columns."""
    for rows in (10, 40, 160):
        for width in (5, 20, 80, 320):
            numbers, every = rows * min(rows, width), width + 2
            if rows > every + 1:  # twice as long under masks, and products with the columns of all
                least = 16 * (numbers + width)
                assert least < sent(rows, width) < 16 * (numbers + width * every) + 900
            else:  # less than 8 bytes a number: the exponents of like numbers deflate
                assert 6 * numbers < sent(rows, width) < 8 * numbers + 400
