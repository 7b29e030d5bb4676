"""What a person reads whose table has more columns than a message has room for."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, PolynomialFeatures

import fedps
from fedps.statistics.cells.schema import MOST_COLUMNS, MOST_NAMED
from tests.mistakes.mistake import told


def test_a_table_that_is_too_wide():
    with told(
        fedps.UsageError,
        "client 'client 1': this table has 262,145 columns. A client answers with some numbers about each "
        "column, and a message has room for 262,144 columns. Choose columns first, or hash them into fewer.",
    ):
        fedps.fit(MaxAbsScaler(), [sparse.csr_array((2, MOST_COLUMNS + 1))])


def test_a_frame_that_is_too_wide():
    frame = pd.DataFrame(np.zeros((1, MOST_NAMED + 1))).rename(columns=str)
    with told(
        fedps.UsageError,
        "client 'client 1': this table has 100,001 columns. A client answers with some numbers about each "
        "column, and a message has room for 100,000 columns with names. Choose columns first, or hash them "
        "into fewer.",
    ):
        fedps.fit(MaxAbsScaler(), [frame])


def test_a_step_that_makes_too_many_columns():
    X = sparse.csr_array(([2.0], ([0], [1023])), shape=(2, 1024))
    with told(
        fedps.ClientError,
        "clients 'client 1' and 'client 2' would have to answer with some numbers about each column that a "
        "step makes, and a message has room for 262,144 columns. Select fewer before this step, or give an "
        "encoder before it max_categories=.",
    ):
        fedps.fit(make_pipeline(PolynomialFeatures(2), MaxAbsScaler()), [X, X])


@pytest.mark.parametrize("columns", [120_000, MOST_NAMED + 1])
def test_as_many_columns_as_there_is_room_for(columns):
    X = sparse.csr_array(([2.0, -3.0], ([0, 1], [0, columns - 1])), shape=(2, columns))
    fitted = fedps.fit(MaxAbsScaler(), [X[:1], X[1:]])
    np.testing.assert_array_equal(fitted.max_abs_, MaxAbsScaler().fit(X).max_abs_)
