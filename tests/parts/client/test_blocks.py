"""Reading native tables: each answer is what scikit-learn itself would see."""

from __future__ import annotations

from collections import Counter
from datetime import date, time

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.preprocessing import MultiLabelBinarizer, OrdinalEncoder
from sklearn.utils import check_array

from fedps.client import tables as t
from fedps.client.tables.cells import distinct_in_arrays as uniques

NAN = float("nan")
FLOATS = (np.float64, np.float32)


def pandas_of(cells, dtype):
    return pd.DataFrame({"a": pd.Series(cells, dtype=dtype)})


NUMERIC = {
    "float64": np.array([[1.5, NAN], [0.0, -2.0]]),
    "float32": np.array([[1.5, NAN], [0.0, -2.0]], dtype=np.float32),
    "float16": np.array([[1.5, NAN]], dtype=np.float16),
    "big endian": np.array([[1.5, NAN]], dtype=">f8"),
    "int64": np.array([[2**53 + 1, 1], [0, -5]]),
    "uint8": np.array([[255, 1]], dtype=np.uint8),
    "bool": np.array([[True, False]]),
    "object": np.array([[1, None], [2.5, NAN]], dtype=object),
    "text": np.array([["1.5", "2"]]),
    "pandas float": pd.DataFrame({"a": [1.0, NAN], "b": [2.0, 3.0]}),
    "pandas float32": pd.DataFrame({"a": [1.0, NAN]}, dtype=np.float32),
    "pandas mixed": pd.DataFrame({"a": [1, 2], "b": [2.5, NAN], "c": [True, False]}),
    "pandas float32 bool": pd.DataFrame({"a": np.float32([1, 2]), "b": [True, False]}),
    "pandas float32 int8": pd.DataFrame({"a": np.float32([1, 2]), "b": np.int8([1, 2])}),
    "pandas float32 int64": pd.DataFrame({"a": np.float32([1, 2]), "b": [1, 2]}),
    "pandas bool": pd.DataFrame({"a": [True, False]}),
    "Int64": pandas_of([1, None], "Int64"),
    "Float32": pandas_of([1, None], "Float32"),
    "boolean": pandas_of([True, None], "boolean"),
    "arrow": pandas_of([1, None], "int64[pyarrow]"),
    "arrow double": pandas_of([1.5, None], "double[pyarrow]"),
    "Int64 and float": pd.DataFrame({"a": pd.Series([1, None], dtype="Int64"), "b": [1.5, NAN]}),
    "category": pandas_of([1, 2, 1], "category"),
    "category gaps": pandas_of([1, None, 1], "category"),
    "pandas object": pandas_of([1, None, 2.5], object),
    "pandas digits": pandas_of(["1", None], "str"),
    "polars": pl.DataFrame({"a": [1.0, None], "b": [NAN, 2.0]}),
    "polars ints": pl.DataFrame({"a": [1, None], "b": [1, 2]}),
    "polars bool": pl.DataFrame({"a": [True, None], "b": [1.5, 2]}),
    "polars float32": pl.DataFrame({"a": [1.0, 2.0]}, schema={"a": pl.Float32}),
    "polars null": pl.DataFrame({"a": [None, None]}),
    "polars digits": pl.DataFrame({"a": ["1", "2"]}),
}


@pytest.mark.parametrize("X", NUMERIC.values(), ids=NUMERIC)
def test_numbers_are_those_of_scikit_learn(X):
    expected = check_array(X, dtype=FLOATS, ensure_all_finite=False)
    found = t.numbers(X)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_numbers_of_floats_are_no_copy(kind):
    A = np.ones((5, 3), dtype=kind)
    assert t.numbers(A) is A
    frame = pd.DataFrame(A)
    assert np.shares_memory(t.numbers(frame), frame.to_numpy())


@pytest.mark.parametrize("make", [sparse.csr_array, sparse.csc_matrix, sparse.coo_array])
@pytest.mark.parametrize("dtype", [np.float32, np.int64, bool])
def test_numbers_of_sparse_tables(make, dtype):
    dense = np.array([[0, 1], [1, 0]], dtype=dtype)
    found = t.numbers(make(dense))
    assert found.format == "csc"
    assert found.dtype == (np.float32 if dtype is np.float32 else np.float64)
    np.testing.assert_array_equal(found.toarray(), dense.astype(float))


@pytest.mark.parametrize(
    "X",
    [
        np.array([[1, "secret"]], dtype=object),
        np.array([["1", "secret"]]),
        pd.DataFrame({"a": [1.0], "b": ["secret"]}),
        pd.DataFrame({"a": [1.0], "b": pd.Series(["secret"], dtype="category")}),
        pd.DataFrame({"a": [1.0], "b": pd.Series([pd.NA], dtype=object)}),
        pl.DataFrame({"a": [1.0], "b": ["secret"]}),
    ],
)
def test_not_numbers_names_the_column_and_no_cell(X):
    with pytest.raises(t.NotNumbers) as caught:
        t.numbers(X)
    assert caught.value.position == 1
    assert "secret" not in str(caught.value)
    assert caught.value.__context__ is None


def test_complex_numbers_are_refused():
    with pytest.raises(t.NotNumbers):
        t.numbers(np.array([[1j]]))


def test_numbers_of_no_rows():
    for X in (np.empty((0, 2)), pd.DataFrame({"a": [], "b": []}), pl.DataFrame({"a": [], "b": []})):
        assert t.numbers(X).shape == (0, 2)


CELLS = {
    "text": ["b", "a", "b", "é", "日本", "z"],
    "text gaps": ["b", None, "a", "b", NAN],
    "ints": [3, 1, 3, 2**60 + 1],
    "floats": [0.5, -0.0, 0.0, NAN, 2.5, 2.5],
    "bools": [True, False, True],
    "bools gaps": [True, None, False],
    "one": ["x"],
}
MAKERS = {
    "object": lambda cells: np.array(cells, dtype=object).reshape(-1, 1),
    "object wide": lambda cells: np.array([cells, cells], dtype=object).T.copy()[:, :1],
    "numpy": lambda cells: np.array(cells).reshape(-1, 1),
    "pandas": lambda cells: pd.DataFrame({"a": cells}),
    "pandas object": lambda cells: pandas_of(cells, object),
    "category": lambda cells: pandas_of(cells, "category"),
    "polars": lambda cells: pl.DataFrame({"a": pl.Series(cells, strict=False)}),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
@pytest.mark.parametrize("cells", CELLS.values(), ids=CELLS)
@pytest.mark.parametrize("counts", [True, False])
def test_distinct_values_are_the_categories_of_scikit_learn(make, cells, counts):
    if make is MAKERS["polars"] and any(c is NAN for c in cells) and isinstance(cells[0], str):
        cells = [None if c is NAN else c for c in cells]
    X = make(cells)
    check_against_encoder(X, counts=counts)


def check_against_encoder(X, *, counts):
    expected = OrdinalEncoder().fit(X).categories_[0]
    found = t.distinct(X, 0, counts=counts)
    known = [c for c in expected.tolist() if c is not None and c == c]
    assert found.values.tolist() == known
    if expected.dtype.kind not in "OU":
        # truth values of a category are floats for scikit-learn: whoever fits on them makes them so
        kept = expected.dtype if found.values.dtype.kind != "b" else np.dtype(bool)
        assert found.values.dtype == kept
    assert (found.none > 0) == any(c is None for c in expected.tolist())
    assert (found.nan > 0) == any(c != c for c in expected.tolist())
    assert (found.counts is not None) == counts
    if counts:
        assert found.counts.dtype == np.int64
        assert found.counts.sum() + found.none + found.nan == X.shape[0]
        seen = Counter(np.asarray(X).ravel().tolist())
        assert found.counts.tolist() == [seen[value] for value in found.values.tolist()]


@pytest.mark.parametrize(
    "series",
    [
        pd.Series(["b", "a", None, "b"], dtype="string[python]"),
        pd.Series(["b", "a", None, "b"], dtype="string[pyarrow]"),
        pd.Series(["b", "a", None, "b"], dtype=pd.ArrowDtype(pa.string())),
        pd.Series(["b", "a", pd.NA, "b"], dtype=object),
        pd.Series(["b", "a", None, "b"], dtype="str"),
        pd.Series(["b", "a", None, "b"], dtype="category").cat.set_categories(["q", "b", "a"]),
    ],
)
@pytest.mark.parametrize("counts", [True, False])
def test_missing_text_is_nan(series, counts):
    if series.dtype == object and series.iloc[2] is None:
        pytest.skip("pandas 2 keeps None here")
    found = t.distinct(series.to_frame(), 0, counts=counts)
    assert found.values.tolist() == ["a", "b"]
    assert found.values.dtype == object
    assert (found.none, found.nan) == (0, 1)
    if counts:
        assert found.counts.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("cells", "dtype"),
    [
        ([1, 2, 2], "Int64"),
        ([1, None, 2], "Int64"),
        ([True, None], "boolean"),
        ([1.5, None], "Float32"),
        ([1, None, 2], "int64[pyarrow]"),
        ([True, False], "bool[pyarrow]"),
    ],
)
def test_nullable_numbers_are_what_they_are(cells, dtype):
    """scikit-learn makes floats of them, and leaves them as they are beside a column of objects."""
    X = pandas_of(cells, dtype)
    expected = OrdinalEncoder().fit(X).categories_[0]
    found = t.distinct(X, 0, counts=True)
    assert found.values.dtype.kind == X.dtypes.iloc[0].kind
    np.testing.assert_array_equal(found.values, expected[~np.isnan(expected)])
    assert found.nan == sum(cell is None for cell in cells)


@pytest.mark.parametrize(
    ("dtype", "low", "high"),
    [
        (np.int8, -128, 127),
        (np.uint8, 0, 255),
        (np.int64, -(2**63), -(2**63) + 50),
        (np.int64, 2**53, 2**53 + 9),
        (np.uint64, 2**64 - 50, 2**64 - 1),
        (np.int32, -(2**31), 2**31 - 1),
        (np.int64, -(2**62), 2**62),
    ],
)
def test_distinct_integers_of_every_width(dtype, low, high):
    column = np.random.default_rng(0).integers(low, high, 3000, dtype=dtype, endpoint=True)
    found = t.distinct(column.reshape(-1, 1), 0, counts=True)
    values, counts = np.unique(column, return_counts=True)
    assert found.values.dtype == dtype
    np.testing.assert_array_equal(found.values, values)
    np.testing.assert_array_equal(found.counts, counts)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_distinct_floats_treat_both_zeros_as_one(dtype):
    column = np.array([[0.0], [-0.0], [NAN], [np.inf], [-np.inf], [0.0]], dtype=dtype)
    found = t.distinct(column, 0, counts=True)
    assert found.values.dtype == dtype
    assert found.values.tolist() == [-np.inf, 0.0, np.inf]
    assert found.counts.tolist() == [1, 3, 1]
    assert found.nan == 1


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        ([2, 1, np.int32(2)], [1, 2]),
        ([True, np.bool_(False), NAN], [False, True]),
        ([2, 1.5, None], [1.5, 2]),
        ([2**60 + 1, NAN], [2**60 + 1]),
        ([float("nan"), float("nan"), pd.NA], []),
        ([None, None], []),
        (["a", float("nan"), float("nan")], ["a"]),
    ],
)
def test_distinct_objects(cells, values):
    X = np.array(cells, dtype=object).reshape(-1, 1)
    for counts in (True, False):
        found = t.distinct(X, 0, counts=counts)
        assert found.values.dtype == object
        assert found.values.tolist() == values
        assert list(map(type, found.values)) == list(map(type, values))
    nans = sum(cell is pd.NA or (cell is not None and cell != cell) for cell in cells)
    found = t.distinct(X, 0, counts=True)
    assert (found.none, found.nan) == (sum(c is None for c in cells), nans)
    assert found.counts.sum() == len(cells) - found.none - found.nan


BAD = {
    "mixed": np.array([["secret"], [1]], dtype=object),
    "bool and int": np.array([[True], [1]], dtype=object),
    "bool and float": np.array([[True], [1.0], [NAN]], dtype=object),
    "date and time": np.array([[date(2020, 1, 1)], [time(12)]], dtype=object),
    "tuple": pd.DataFrame({"a": pd.Series([("secret",)], dtype=object)}),
    "list": pd.DataFrame({"a": pd.Series([["secret"]], dtype=object)}),
    "huge": np.array([[2**70_000]], dtype=object),
    "complex": np.array([[1j]]),
    "mixed categories": pandas_of(["secret", 1], "category"),
    "polars list": pl.DataFrame({"a": [["secret"]]}),
    "arrow list": pandas_of([["secret"]], pd.ArrowDtype(pa.list_(pa.string()))),
}


@pytest.mark.parametrize("X", BAD.values(), ids=BAD)
@pytest.mark.parametrize("counts", [True, False])
def test_not_categories_quotes_no_cell(X, counts):
    with pytest.raises(t.NotCategories) as caught:
        t.distinct(X, 0, counts=counts)
    assert caught.value.position == 0
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("dtype", [pl.String, pl.Categorical, pl.Enum(["z", "b", "a", "é"])])
@pytest.mark.parametrize("counts", [True, False])
def test_distinct_polars_text(dtype, counts):
    X = pl.DataFrame({"a": pl.Series(["b", None, "é", "a", "b", None], dtype=dtype)})
    check_against_encoder(X, counts=counts)


def test_distinct_text_in_code_point_order():
    words = ["𐐀", "\uffff", "z", "Z", "é", "", "a\x00b", "\U0010ffff"]
    for X in (
        pandas_of(words, "str"),
        pandas_of(words, object),
        pl.DataFrame({"a": words}),
        pandas_of(words, "category"),
    ):
        assert t.distinct(X, 0, counts=False).values.tolist() == sorted(words)


@pytest.mark.parametrize("make", [sparse.csr_array, sparse.csc_array, sparse.coo_matrix])
def test_distinct_of_sparse_counts_zeros(make):
    dense = np.array([[0.0, 2.0], [-1.0, 2.0], [0.0, 0.0], [NAN, 2.0]])
    found = t.distinct(make(dense), 0, counts=True)
    assert found.values.tolist() == [-1.0, 0.0]
    assert found.counts.tolist() == [1, 2]
    assert found.nan == 1
    explicit = sparse.csc_array(([0.0, 1.0], ([0, 1], [0, 0])), shape=(3, 1))
    found = t.distinct(explicit, 0, counts=True)
    assert (found.values.tolist(), found.counts.tolist()) == ([0.0, 1.0], [2, 1])


def test_distinct_of_no_rows():
    for X in (np.empty((0, 1)), np.empty((0, 1), dtype=object), pd.DataFrame({"a": []})):
        found = t.distinct(X, 0, counts=True)
        assert (found.values.size, found.counts.size, found.none, found.nan) == (0, 0, 0, 0)


def test_narrow_and_wide_integers_agree(monkeypatch):
    column = np.array([[5], [3], [5], [4]])
    plain = t.distinct(column, 0, counts=True)
    monkeypatch.setattr(uniques, "FEW_CELLS", 0)
    narrow = t.distinct(column, 0, counts=True)
    assert plain.values.tolist() == narrow.values.tolist() == [3, 4, 5]
    assert plain.counts.tolist() == narrow.counts.tolist() == [1, 1, 2]


SETS = [("b", "a"), (), ("a", "ü")]


@pytest.mark.parametrize(
    "y",
    [
        SETS,
        [set(cell) for cell in SETS],
        [list(cell) for cell in SETS],
        pd.Series([list(cell) for cell in SETS]),
        pl.Series([list(cell) for cell in SETS]),
        pd.Series([list(cell) for cell in SETS], dtype=pd.ArrowDtype(pa.list_(pa.string()))),
    ],
)
def test_labels_of_sets_are_taken_apart(y):
    found = t.distinct_labels(y, counts=True)
    assert found.values.tolist() == MultiLabelBinarizer().fit(SETS).classes_.tolist()
    assert found.counts.tolist() == [2, 1, 1]


@pytest.mark.parametrize(
    "y", [[3, 1, 3], np.array([3, 1, 3]), pd.Series([3, 1, 3]), pl.Series([3, 1, 3])]
)
def test_plain_labels(y):
    found = t.distinct_labels(y, counts=True)
    assert found.values.tolist() == [1, 3]
    assert found.counts.tolist() == [1, 2]


def test_labels_that_are_none():
    with pytest.raises(t.NotCategories):
        t.distinct_labels([("a",), 1], counts=True)
    with pytest.raises(t.NotCategories):
        t.distinct_labels([1, "a"], counts=False)
    assert t.distinct_labels(np.array([[0, 1], [1, 1]]), counts=True).counts.tolist() == [1, 3]
    assert t.distinct_labels([], counts=True).values.size == 0
