"""Made-up tables have exactly the dtypes and names of the tables they stand for."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from fedps.assembly.dummy_rows.dummy_row import dummy_row, like, pooled_dtypes
from fedps.client.tables import open_table

NAN = float("nan")
SOURCES = {
    "f8": np.ones((2, 3)),
    "f4": np.ones((2, 3), dtype=np.float32),
    "i8": np.ones((2, 3), dtype=np.int64),
    "u1": np.ones((2, 3), dtype=np.uint8),
    "bool": np.ones((2, 3), dtype=bool),
    "text": np.array([["abcde", "é", "x"]]),
    "object": np.array([["a", 1, None]], dtype=object),
    "dates": np.array([["2020-01-01"]], dtype="M8[D]"),
    "sparse": sparse.csr_array(np.eye(3)),
    "sparse32": sparse.csc_matrix(np.eye(3), dtype=np.float32),
    "nameless": pd.DataFrame(np.ones((2, 3))),
    "pandas": pd.DataFrame(
        {
            "float64": [1.0],
            "float32": np.float32([1]),
            "int64": [1],
            "uint8": np.uint8([1]),
            "bool": [True],
            "object": pd.Series(["x"], dtype=object),
            "str": ["x"],
            "string": pd.Series(["x"], dtype="string"),
            "Int64": pd.Series([1], dtype="Int64"),
            "boolean": pd.Series([True], dtype="boolean"),
            "arrow": pd.Series([1.0], dtype="double[pyarrow]"),
            "arrow text": pd.Series(["x"], dtype="string[pyarrow]"),
            "category": pd.Series(["x"], dtype="category"),
            "numbers": pd.Series([1], dtype="category"),
            "date": pd.to_datetime(["2020-01-01"]),
            "zoned": pd.to_datetime(["2020-01-01"], utc=True),
            "delta": pd.to_timedelta(["1D"]),
            "period": pd.period_range("2020", periods=1, freq="M"),
            "sparse": pd.arrays.SparseArray([0.0]),
        }
    ),
    "polars": pl.DataFrame(
        {
            "f": [1.0],
            "i": [1],
            "u": pl.Series([1], dtype=pl.UInt8),
            "b": [True],
            "s": ["x"],
            "c": pl.Series(["x"], dtype=pl.Categorical),
            "e": pl.Series(["a"], dtype=pl.Enum(["a"])),
            "n": [None],
            "d": pl.Series(["2020-01-01"]).str.to_date(),
            "t": pl.Series(["2020-01-01 00:00"]).str.to_datetime(),
            "z": pl.Series(["2020-01-01 00:00"]).str.to_datetime().dt.replace_time_zone("UTC"),
            "l": [["x"]],
            "m": pl.Series([1], dtype=pl.Decimal(10, 2)),
        }
    ),
}


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_template_has_the_same_schema(source):
    schema = open_table(source).schema()
    made = dummy_row(schema.container, schema.names, schema.width, schema.dtypes)
    again = open_table(made).schema()
    assert again.rows == 1
    assert (again.container, again.names, again.width) == (
        schema.container,
        schema.names,
        schema.width,
    )
    assert again.dtypes == schema.dtypes


def test_template_cells():
    assert dummy_row("numpy", None, 2, ["|O"]).tolist() == [["x", "x"]]
    assert dummy_row("numpy", None, 2, ["|b1"]).tolist() == [[True, True]]
    assert dummy_row("sparse", None, 2, ["<f8"]).nnz == 2
    frame = dummy_row("pandas", ["a", "b"], 2, ["category:|O", "category:<i8"])
    assert frame["a"].cat.categories.dtype == object
    assert frame["b"].tolist() == [1]
    assert dummy_row("pandas", None, 0, []).shape == (1, 0)


@pytest.mark.parametrize("dtype", ["nonsense", "", "f8,f8", "(1000000000,)f8", "<U999999999", "V8"])
def test_absurd_dtypes_become_objects(dtype):
    assert dummy_row("numpy", None, 1, [dtype]).tolist() == [["x"]] or dtype == ""
    assert dummy_row("pandas", ["a"], 1, [dtype]).shape == (1, 1)
    assert dummy_row("pandas", ["a"], 1, ["category:" + dtype]).shape == (1, 1)
    assert dummy_row("polars", ["a"], 1, [dtype]).dtypes == [pl.Object]


@pytest.mark.parametrize(
    ("dtypes", "container", "expected"),
    [
        ([["<f8"], ["<f8"]], "numpy", ["<f8"]),
        ([["<i8"], ["<f4"]], "numpy", ["<f8"]),
        ([["<U3"], ["<U9"], ["<U1"]], "numpy", ["<U9"]),
        ([["<U3"], ["<f8"]], "numpy", ["|O"]),
        ([["|O"], ["<f8"]], "numpy", ["|O"]),
        ([["|b1"], ["<i8"]], "numpy", ["<i8"]),
        ([["<M8[D]"], ["<f8"]], "numpy", ["|O"]),
        ([["<f4"], ["<i8"]], "sparse", ["<f8"]),
        ([["int64"], ["float64", "object"]], "pandas", ["float64", "object"]),
        ([["bool"], ["float64"]], "pandas", ["object"]),
        ([["Int64"], ["int64"]], "pandas", ["Int64"]),
        ([["category:|O"], ["category:|O"]], "pandas", ["category:|O"]),
        ([["category:|O"], ["category:<i8"]], "pandas", ["category:|O"]),
        ([["category:<i8"], ["category:<f8"]], "pandas", ["category:<f8"]),
        ([["category:|O"], ["object"]], "pandas", ["object"]),
        ([["Int64"], ["Float64"]], "polars", ["Float64"]),
        ([["Int8"], ["Int64"]], "polars", ["Int64"]),
        ([["Categorical"], ["Categorical"]], "polars", ["Categorical"]),
        ([["Date"], ["List(Int64)"]], "polars", ["Object"]),
    ],
)
def test_pooled_dtypes(dtypes, container, expected):
    assert pooled_dtypes(dtypes, container) == expected


PAIRS = [
    ("int64", "float64"),
    ("float32", "float64"),
    ("int8", "int64"),
    ("bool", "int64"),
    ("str", "object"),
    ("Int64", "Float64"),
    ("Int64", "float64"),
    ("boolean", "bool"),
    ("string", "object"),
]


@pytest.mark.parametrize("pair", PAIRS)
def test_pooled_pandas_dtypes_are_those_of_concat(pair):
    cells = {"str": "x", "object": "x", "string": "x"}
    parts = [pd.DataFrame({"a": pd.Series([cells.get(d, True)], dtype=d)}) for d in pair]
    dtypes = [list(open_table(part).schema().dtypes) for part in parts]
    pooled = open_table(pd.concat(parts)).schema().dtypes
    assert tuple(pooled_dtypes(dtypes, "pandas")) == pooled


@pytest.mark.parametrize(
    ("dtype", "columns", "expected"),
    [
        (np.float64, [[1, 2], [3.5, NAN]], np.float64),
        (np.float32, [[1, 2], [3.5, NAN]], np.float32),
        (np.int64, [[1.0, 2.0], [3, 2**60]], np.int64),
        (np.int64, [[1, NAN]], np.float64),
        (np.int64, [["x", "y"]], object),
        (np.uint8, [[1, 255]], np.uint8),
        (np.uint8, [[1, 256]], np.int64),
        (bool, [[True, False]], bool),
        (bool, [[1.0, NAN]], np.float64),
        ("<U2", [["a", "abcdef"]], "<U6"),
        ("<U2", [np.array(["a", "abcdef"], dtype=object)], "<U6"),
        ("<U9", [["a", "é"]], "<U9"),
        (object, [["a", None], [1, NAN]], object),
    ],
)
def test_arrays_like(dtype, columns, expected):
    found = like(np.empty((1, len(columns)), dtype=dtype), columns)
    assert found.dtype == expected
    assert found.shape == (2, len(columns))
    for j, column in enumerate(columns):
        if np.asarray(column).dtype.kind == "f":
            np.testing.assert_array_equal(np.asarray(found[:, j], dtype=float), column)
        else:
            assert found[:, j].tolist() == list(column)


def test_objects_like_are_python_scalars():
    found = like(np.empty((1, 1), dtype=object), [np.array([1, 2])])
    assert type(found[0, 0]) is int


def test_sparse_like():
    found = like(sparse.csr_array(np.eye(2)), [[1.0, 0.0], [0.0, 2.0]])
    assert found.format == "csr"
    assert found.toarray().tolist() == [[1.0, 0.0], [0.0, 2.0]]


@pytest.mark.parametrize(
    ("dtype", "cells", "expected"),
    [
        ("float64", [1, NAN], "float64"),
        ("float32", [1.5, 2], "float32"),
        ("int64", [1.0, 2.0], "int64"),
        ("int64", [1.0, NAN], "float64"),
        ("bool", [True, False], "bool"),
        ("bool", [1.0, NAN], "float64"),
        ("str", ["a", "b"], str(pd.Series(["a"], dtype="str").dtype)),
        ("object", ["a", None], "object"),
        ("string", ["a", None], "object"),
        ("Int64", [1, None], "Int64"),
        ("Int64", [1.5, 2.0], "Float64"),
        ("boolean", [True, None], "object"),
        ("int64[pyarrow]", [1, 2], "int64[pyarrow]"),
        ("category", ["x", "q"], "category"),
        ("category", ["x", NAN], "category"),
        ("datetime64[ns]", ["2020-01-01", "2021-01-01"], "datetime64[ns]"),
        ("datetime64[ns]", ["x", "y"], "object"),
    ],
)
def test_frames_like(dtype, cells, expected):
    text = dtype in ("str", "object", "string", "category")
    table = pd.DataFrame({"é": pd.Series(["x"] if text else [1], dtype=dtype)})
    found = like(table, [cells])
    assert list(found.columns) == ["é"]
    assert str(found["é"].dtype) == expected
    if expected != "datetime64[ns]":
        assert [None if pd.isna(c) else c for c in found["é"].tolist()] == [
            None if pd.isna(c) else c for c in cells
        ]


def test_categories_are_kept_where_they_suffice():
    table = pd.DataFrame({"a": pd.Categorical(["x"], categories=["z", "x"], ordered=True)})
    assert like(table, [["x", "z"]])["a"].dtype == table["a"].dtype
    assert like(table, [["q", "x"]])["a"].cat.categories.tolist() == ["q", "x"]
    numbers = pd.DataFrame({"a": pd.Categorical([1])})
    assert like(numbers, [np.array([3, 2])])["a"].cat.categories.dtype == np.int64


@pytest.mark.parametrize(
    ("dtype", "cells", "expected"),
    [
        (pl.Float64, [1, 2], pl.Float64),
        (pl.Float32, [1.5, NAN], pl.Float32),
        (pl.Int64, [1.0, 2.0], pl.Int64),
        (pl.Int64, [1.5, NAN], pl.Float64),
        (pl.Int8, [1, None], pl.Int8),
        (pl.String, ["a", None], pl.String),
        (pl.Int64, ["a", "b"], pl.String),
        (pl.Categorical, ["a", "b"], pl.Categorical),
        (pl.Enum(["a", "b"]), ["b", "a"], pl.Enum(["a", "b"])),
        (pl.Enum(["a", "b"]), ["q", "a"], pl.Enum(["a", "q"])),
        (pl.Boolean, [True, None], pl.Boolean),
    ],
)
def test_polars_like(dtype, cells, expected):
    found = like(pl.DataFrame({"a": []}, schema={"a": dtype}), [cells])
    assert found.dtypes == [expected]
    np.testing.assert_array_equal(found["a"].to_list(), cells)


def test_no_rows():
    for source in SOURCES.values():
        width = source.shape[1]
        assert like(source, [[] for _ in range(width)]).shape == (0, width)
