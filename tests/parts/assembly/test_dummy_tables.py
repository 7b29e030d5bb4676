"""Made-up tables are like the row that they are made of, whatever their cells are."""

import numpy as np
import pandas as pd
import pytest

from fedps.assembly import copied_rows, dummy_row, dummy_table
from fedps.assembly.dummy_rows.dummy_cells import Flavour

PANDAS = [
    "int64",
    "uint8",
    "int8",
    "float32",
    "object",
    "bool",
    "datetime64[ns]",
    "datetime64[ns, UTC]",
    "timedelta64[ns]",
    "Int64",
    "boolean",
    "string",
]
POLARS = [
    "Int8",
    "UInt16",
    "Float32",
    "String",
    "Boolean",
    "Date",
    "Datetime('us', 'UTC')",
    "Duration('ms')",
    "Time",
    "Decimal(10, 2)",
    "Categorical",
    "List(Int64)",
]
ARRAYS = ["<f8", "<f4", "<i8", "|u1", "|b1", "|O", "<M8[D]", "<m8[s]"]


def row_of(container, dtypes):
    return dummy_row(container, [f"c{i}" for i in range(len(dtypes))], len(dtypes), dtypes)


@pytest.mark.parametrize("flavour", Flavour)
@pytest.mark.parametrize("gaps", [0.0, 0.4])
def test_dtypes_of_frames(flavour, gaps):
    for row in (row_of("pandas", PANDAS), row_of("polars", POLARS)):
        table = dummy_table(row, 30, flavour=flavour, gaps=gaps)
        assert table.shape == (30, row.shape[1])
        assert list(table.columns) == list(row.columns)
        assert list(table.dtypes) == list(row.dtypes)


@pytest.mark.parametrize("flavour", Flavour)
@pytest.mark.parametrize("dtype", ARRAYS)
def test_dtypes_of_arrays(flavour, dtype):
    row = dummy_row("numpy", None, 3, [dtype])
    table = dummy_table(row, 30, flavour=flavour, gaps=0.4)
    assert (table.shape, table.dtype) == ((30, 3), row.dtype)


def test_categories_have_their_dtype():
    table = dummy_table(row_of("pandas", ["category:|O", "category:<i8"]), 20)
    assert [str(dtype) for dtype in table.dtypes] == ["category", "category"]
    part = copied_rows(table, [3])
    assert part["c0"].cat.categories.tolist() == [table["c0"].iloc[3]]


def test_gaps_and_distinct_values():
    row = row_of("pandas", ["float64", "object", "int64", "datetime64[ns]"])
    full = dummy_table(row, 50)
    assert full.notna().all(axis=None)
    assert full.nunique().tolist() == [50, 50, 50, 50]
    assert dummy_table(row, 50, distinct=2).nunique().tolist() == [2, 2, 2, 2]
    holes = dummy_table(row, 50, gaps=0.3).isna().sum()
    assert holes["c2"] == 0
    assert (holes[["c0", "c1", "c3"]] > 5).all()


def test_columns_are_not_the_same():
    table = dummy_table(np.ones((1, 5)), 40)
    assert len({tuple(column) for column in table.T}) == 5
    assert (table.argmax(axis=0) == 7).all()


def test_the_same_each_time():
    row = row_of("pandas", PANDAS)
    pd.testing.assert_frame_equal(dummy_table(row, 9, gaps=0.2), dummy_table(row, 9, gaps=0.2))


def test_sparse():
    table = dummy_table(dummy_row("sparse", None, 3, ["<f8"]), 6)
    assert (table.shape, table.format) == ((6, 3), "csr")
    assert copied_rows(table, [4, 1]).shape == (2, 3)
