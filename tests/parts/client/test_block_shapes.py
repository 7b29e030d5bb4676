"""Shape, columns, gaps and infinities of native tables."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.utils._mask import _get_mask

from fedps.client import tables as t

NAN = float("nan")
A = np.arange(12.0).reshape(3, 4)
NAMES = ["a", "b", "c", "é"]
TABLES = {
    "numpy": A,
    "fortran": np.asfortranarray(A),
    "csr": sparse.csr_array(A),
    "csc": sparse.csc_matrix(A),
    "coo": sparse.coo_array(A),
    "pandas": pd.DataFrame(A, columns=NAMES),
    "nameless": pd.DataFrame(A),
    "polars": pl.DataFrame(A, schema=NAMES),
}


def dense(X):
    return X.toarray() if sparse.issparse(X) else np.asarray(X)


@pytest.mark.parametrize("X", TABLES.values(), ids=TABLES)
@pytest.mark.parametrize("positions", [[0, 1, 2, 3], [1, 2], [3, 0], [2], [], [1, 1]])
def test_take(X, positions):
    if isinstance(X, pl.DataFrame) and positions == [1, 1]:
        pytest.skip("polars has no two columns of one name")
    found = t.take(X, positions)
    # a polars frame without columns has no rows either: such a table is an array
    kind = np.ndarray if isinstance(X, pl.DataFrame) and not positions else type(X)
    assert type(found) is kind or (sparse.issparse(found) and sparse.issparse(X))
    np.testing.assert_array_equal(dense(found), A[:, positions])
    if positions == [0, 1, 2, 3]:
        assert found is X


@pytest.mark.parametrize("X", TABLES.values(), ids=TABLES)
def test_shape_names_and_first_rows(X):
    assert t.shape(X) == (3, 4)
    named = hasattr(X, "columns") and isinstance(X.columns[0], str)
    assert t.names_of(X) == (tuple(NAMES) if named else None)
    np.testing.assert_array_equal(dense(t.first_rows(X, 2)), A[:2])
    assert t.shape(t.first_rows(X, 9)) == (3, 4)
    if named:
        assert t.positions_of(X, ["é", "a"]) == [3, 0]
        with pytest.raises(KeyError, match="zz"):
            t.positions_of(X, ["a", "zz"])


def test_neighbouring_columns_are_a_view():
    assert np.shares_memory(t.take(A, [1, 2]), A)
    frame = TABLES["pandas"]
    assert np.shares_memory(t.take(frame, [1, 2]).to_numpy(), frame.to_numpy())


MARKED = [
    (np.array([[1.0, NAN], [NAN, NAN]]), NAN),
    (np.array([[1, 0], [0, 0]]), NAN),
    (np.array([[1, 0], [0, 0]]), 0),
    (np.array([[1, 0], [0, 0]]), None),
    (np.array([["a", NAN], [None, NAN]], dtype=object), NAN),
    (np.array([["a", NAN], [None, NAN]], dtype=object), None),
    (np.array([["a", NAN], [None, "a"]], dtype=object), "a"),
    (np.array([["a", 1], [None, 1]], dtype=object), 1),
    (np.array([["a", "b"], ["b", "b"]]), "b"),
    (np.array([["a", NAN], [None, pd.NA]], dtype=object), pd.NA),
    (np.array([[True, False]]), 1),
    (np.empty((0, 2)), NAN),
]


@pytest.mark.parametrize(("X", "marker"), MARKED)
def test_missing_follows_scikit_learn(X, marker):
    expected = np.asarray(_get_mask(X, marker)).sum(axis=0)
    np.testing.assert_array_equal(t.missing(X, marker), expected)
    assert t.missing(X, marker).dtype == np.int64
    frame = pd.DataFrame(X)
    if frame.dtypes.iloc[0] == X.dtype:
        np.testing.assert_array_equal(t.missing(frame, marker), expected)


@pytest.mark.parametrize(
    ("X", "marker", "expected"),
    [
        (pd.DataFrame({"a": pd.Series([1, None], dtype="Int64"), "b": ["x", NAN]}), NAN, [1, 1]),
        (pd.DataFrame({"a": pd.Series([1, None], dtype="Int64"), "b": ["x", "y"]}), pd.NA, [1, 0]),
        (pd.DataFrame({"a": pd.Series(["x", None], dtype="string")}), NAN, [1]),
        (pd.DataFrame({"a": pd.Series(["x", None], dtype="string")}), "x", [1]),
        (pd.DataFrame({"a": pd.Series(["x", None], dtype="category")}), NAN, [1]),
        (pd.DataFrame({"a": pd.Series(["x", None], dtype="category")}), "x", [1]),
        (pd.DataFrame({"a": [1, 2], "b": ["x", "1"]}), 1, [1, 0]),
        (pd.DataFrame({"a": [1, 2], "b": ["x", "1"]}), "x", [0, 1]),
        (pd.DataFrame({"a": pd.Series([None, NAN, "x"], dtype=object)}), NAN, [1]),
        (pd.DataFrame({"a": pd.Series([None, NAN, "x"], dtype=object)}), None, [1]),
        (pl.DataFrame({"a": [1, None], "b": ["x", None]}), NAN, [1, 0]),
        (pl.DataFrame({"a": [1, None], "b": ["x", None]}), None, [0, 1]),
        (pl.DataFrame({"a": [NAN, None], "b": ["x", None]}), NAN, [2, 0]),
        (sparse.csr_array(np.array([[0.0, NAN], [0.0, 3.0]])), NAN, [0, 1]),
        (sparse.csc_array(([0.0, 1.0], ([0, 1], [1, 1])), shape=(3, 2)), 0, [0, 1]),
        (sparse.csc_array((0, 2)), NAN, [0, 0]),
    ],
)
def test_missing_in_frames_and_sparse(X, marker, expected):
    assert t.missing(X, marker).tolist() == expected


@pytest.mark.parametrize("make", [np.array, np.asfortranarray, sparse.csr_array, sparse.csc_array])
def test_infinite(make):
    assert t.infinite(make(np.zeros((3, 2)))) is None
    assert t.infinite(make(np.array([[NAN, 1.0]]))) is None
    assert t.infinite(make(np.array([[1e308, 1e308]]))) is None
    assert t.infinite(make(np.array([[0.0, NAN], [0.0, np.inf]]))) == 1
    assert t.infinite(make(np.array([[0.0, np.inf], [-np.inf, 1.0]]))) == 0
    assert t.infinite(make(np.array([[0.0, 1.0, np.inf], [0.0, -np.inf, 1.0]]))) == 1
    assert t.infinite(make(np.empty((0, 2)))) is None
