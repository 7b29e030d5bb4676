"""Opening whatever a person would call a table."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from fedps.client.tables import open_table
from fedps.errors import UsageError

NAN = float("nan")
FRAME = pd.DataFrame({"age": [1.0, NAN, 3.0], "sex": ["f", None, "ü"], "label": [1, 0, 1]})


def only_chunk(table):
    (chunk,) = table.chunks()
    return chunk


@pytest.mark.parametrize(
    ("source", "container"),
    [
        (FRAME, "pandas"),
        (pl.from_pandas(FRAME), "polars"),
        (pa.Table.from_pandas(FRAME), "pandas"),
        (np.ones((3, 3)), "numpy"),
        (np.array([["a", "b", None]] * 3, dtype=object), "numpy"),
        ([[1, 2, 3]] * 3, "numpy"),
        (sparse.csr_array(np.eye(3)), "sparse"),
        (sparse.coo_matrix(np.eye(3)), "sparse"),
    ],
)
def test_what_a_table_may_be(source, container):
    table = open_table(source)
    schema = table.schema()
    assert table.container == schema.container == container
    assert (schema.rows, schema.width) == (3, 3)
    assert table.schema() is schema
    assert table.target_schema() is None
    chunk = only_chunk(table)
    assert chunk.y is None
    if not isinstance(source, (list, pa.Table)):
        assert chunk.X is source


def test_schema_of_pandas():
    frame = pd.DataFrame(
        {
            "f": [1.0],
            "i": pd.Series([1], dtype="Int64"),
            "b": [True],
            "o": pd.Series([1], dtype=object),
            "s": pd.Series(["x"], dtype="string"),
            "c": pd.Series(["x"], dtype="category"),
            "n": pd.Series([1], dtype="category"),
            "a": pd.Series([1.0], dtype="double[pyarrow]"),
        }
    )
    assert open_table(frame).schema().dtypes == (
        *("float64", "Int64", "bool", "object", "string", "category:|O", "category:<i8"),
        "double[pyarrow]",
    )
    assert open_table(frame[["f"]].assign(g=2.0)).schema().dtypes == ("float64",)


def test_schema_of_other_containers():
    assert open_table(np.array([["ab"]])).schema().dtypes == ("<U2",)
    assert open_table(np.array([[1]], dtype=np.uint8)).schema().dtypes == ("|u1",)
    assert open_table(sparse.eye_array(2, dtype=np.float32)).schema().dtypes == ("<f4",)
    frame = pl.DataFrame(
        {"a": [1], "c": ["x"], "e": ["x"], "s": ["x"]},
        schema={"a": pl.Int64, "c": pl.Categorical, "e": pl.Enum(["x", "secret"]), "s": pl.String},
    )
    assert open_table(frame).schema().dtypes == ("Int64", "Categorical", "Enum", "String")


@pytest.mark.parametrize(
    ("source", "empty"),
    [
        (np.array([[NAN, NAN], [1.0, NAN]]), (1,)),
        (np.array([[None, NAN, "x"], [None, pd.NA, None]], dtype=object), (0, 1)),
        (np.zeros((0, 2)), (0, 1)),
        (np.array([["a"]]), ()),
        (sparse.csr_array(np.array([[NAN, 0.0], [NAN, NAN]])), (0,)),
        (sparse.csr_array((0, 2)), (0, 1)),
        (pd.DataFrame({"a": [None, None], "b": pd.Series([None, 1], dtype="Int64")}), (0,)),
        (pd.DataFrame({"a": [], "b": []}), (0, 1)),
        (pl.DataFrame({"a": [None, None], "b": [NAN, None], "c": [None, 1.0]}), (0, 1)),
    ],
)
def test_wholly_missing_columns(source, empty):
    assert open_table(source).schema().empty == empty


@pytest.mark.parametrize("source", [np.zeros((0, 2)), FRAME.iloc[:0], pl.from_pandas(FRAME)[:0]])
def test_no_rows_no_chunks(source):
    assert list(open_table(source).chunks()) == []
    assert open_table(source).schema().rows == 0


@pytest.mark.parametrize("source", [FRAME, pl.from_pandas(FRAME), pa.Table.from_pandas(FRAME)])
def test_target_by_name(source):
    table = open_table(source, target="label")
    chunk = only_chunk(table)
    assert list(chunk.X.columns) == ["age", "sex"]
    assert chunk.y.tolist() == [1, 0, 1]
    assert chunk.column("label").tolist() == [1.0, 0.0, 1.0]
    np.testing.assert_array_equal(chunk.column("age"), [1.0, NAN, 3.0])
    assert table.schema().names == ("age", "sex")
    target = table.target_schema()
    assert (target.container, target.names, target.dtypes, target.rows) == (
        "numpy",
        None,
        ("<i8",),
        3,
    )


def test_column_errors_quote_no_cell():
    chunk = only_chunk(open_table(FRAME.assign(sex="secret")))
    with pytest.raises(UsageError, match="'sex' does not hold numbers") as caught:
        chunk.column("sex")
    assert "secret" not in str(caught.value)
    with pytest.raises(UsageError, match="Did you mean 'age'"):
        chunk.column("agee")
    with pytest.raises(UsageError, match="no column names"):
        only_chunk(open_table(np.ones((1, 1)))).column("w")
    assert "secret" not in repr(chunk)


@pytest.mark.parametrize(
    ("y", "expected", "dtype"),
    [
        (np.array([1, 2, 3]), [1, 2, 3], "<i8"),
        (pd.Series([1, 2, None], dtype="Int64").fillna(3), [1, 2, 3], "Int64"),
        (pd.Series(["a", "b", "c"], dtype="category"), ["a", "b", "c"], "|O"),
        (pd.Series(["a", "b", "c"]), ["a", "b", "c"], "|O"),
        (pl.Series([1, 2, 3]), [1, 2, 3], "<i8"),
        (pl.Series(["a", "b", "c"]), ["a", "b", "c"], "<U1"),
        (["a", "b", "cc"], ["a", "b", "cc"], "<U2"),
        (pa.array([1, 2, 3]), [1, 2, 3], "<i8"),
        (pd.DataFrame({"y": [1, 2, 3]}), [1, 2, 3], "<i8"),
        (np.eye(3, dtype=np.int64), np.eye(3).tolist(), "<i8"),
    ],
)
def test_pairs(y, expected, dtype):
    table = open_table((np.ones((3, 2)), y))
    chunk = only_chunk(table)
    assert chunk.y.tolist() == expected
    target = table.target_schema()
    assert target.dtypes == (dtype,)
    assert target.width == (3 if chunk.y.ndim == 2 else 1)


def test_pairs_of_label_sets_and_sparse_indicators():
    sets = [("a",), (), {"b"}]
    table = open_table((None, sets))
    assert only_chunk(table).y is sets
    assert (table.schema().rows, table.schema().width) == (3, 0)
    assert table.target_schema().dtypes == ("|O",)
    lists = pl.Series([["a"], [], ["b"]])
    assert only_chunk(open_table((None, lists))).y == [["a"], [], ["b"]]
    indicators = sparse.csr_array(np.eye(3))
    assert open_table((None, indicators)).target_schema().container == "sparse"
    assert only_chunk(open_table((None, np.array(["a"])))).X.shape == (1, 0)


@pytest.mark.parametrize(
    ("source", "target", "words"),
    [
        (5, None, "int is not a table. Pass a pandas"),
        (np.ones(3), None, "2 dimensions"),
        ([1, 2], None, "2 dimensions"),
        ([[1], [1, 2]], None, "differ in length"),
        (pd.DataFrame([[1, 2]], columns=["a", 0]), None, "some column names are strings"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), None, "two columns have the name 'a'"),
        (pa.table([[1], [2]], names=["a", "a"]), None, "two columns have the name 'a'"),
        (FRAME, "labell", "no column 'labell'. Did you mean 'label'"),
        (np.ones((1, 1)), "label", "no column names"),
        ((FRAME, [1, 2, 3]), "label", "is already a pair"),
        ((FRAME, [1, 2]), None, "3 rows, but y has 2"),
        ((None, None), None, "None"),
        ((FRAME, 7), None, "target of type int"),
        ((FRAME, np.ones((1, 1, 1))), None, "1 or 2 dimensions"),
        ((None, [1, [2]]), None, "target of type list"),
    ],
)
def test_refusals(source, target, words):
    with pytest.raises(UsageError, match=words):
        open_table(source, target=target)


def test_names_that_are_no_strings_are_none():
    assert open_table(pd.DataFrame([[1, 2]])).schema().names is None
