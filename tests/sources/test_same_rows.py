"""Every source is the same rows in memory, to the bit."""

import numpy as np
import pandas as pd
import pytest

import fedps
from fedps.client.tables.sources import source_table
from tests.sources import rows
from tests.sources.same_fit import ESTIMATORS, NEED_ORDER, fit_both, same

NEEDS = {"relation": "duckdb", "duckdb": "adbc_driver_duckdb"}


def need(kind):
    """Skip where a library is missing, or too old."""
    pytest.importorskip(NEEDS.get(kind, "pyarrow"))
    if kind == "lazy":
        pl = pytest.importorskip("polars")
        if not hasattr(pl.LazyFrame, "collect_batches"):
            pytest.skip("this polars cannot collect in batches")


@pytest.fixture(scope="module")
def table():
    return rows.hostile()


@pytest.fixture(scope="module")
def other():
    return rows.in_memory(rows.hostile(150, 1))


@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.parametrize("kind", rows.HERE)
def test_the_same_fit(kind, name, table, other, tmp_path):
    need(kind)
    source = rows.HERE[kind](table, tmp_path)
    same(*fit_both(name, source, rows.expected(kind, table), other))


@pytest.mark.parametrize("name", ["scalers", "imputers", "powers", "sample", "target"])
def test_the_same_fit_from_sqlite(name, table, other, tmp_path):
    pytest.importorskip("adbc_driver_sqlite")
    source = rows.sqlite_file(table, tmp_path)
    memory = rows.drop_times(rows.in_memory(table).assign(nan=lambda f: f["nan"]))
    same(*fit_both(name, source, memory, rows.drop_times(other)))


@pytest.mark.parametrize("name", ESTIMATORS)
def test_the_same_fit_from_postgresql(name, table, other, postgres):
    postgres.ingest("visits", table)
    source = fedps.SQL(postgres.uri(), "SELECT * FROM visits ORDER BY id")
    same(*fit_both(name, source, rows.in_memory(table), other))


@pytest.mark.parametrize("name", [name for name in ESTIMATORS if name not in NEED_ORDER])
def test_a_query_without_an_order_is_fitted_all_the_same(name, table, other, postgres):
    postgres.ingest("visits", table)
    source = fedps.SQL(postgres.uri(), "SELECT * FROM visits")
    same(*fit_both(name, source, rows.in_memory(table), other))


@pytest.mark.parametrize("kind", rows.HERE)
def test_in_small_chunks(kind, table, tmp_path, monkeypatch):
    """The schema and the rows of many chunks are those of one."""
    need(kind)
    monkeypatch.setattr(source_table, "CHUNK_ROWS", 37)
    opened = fedps.client.open_table(rows.HERE[kind](table, tmp_path), target="label")
    memory = fedps.client.open_table(rows.expected(kind, table), target="label")
    assert opened.schema() == memory.schema()
    assert opened.target_schema() == memory.target_schema()
    parts = [chunk.X for chunk in opened.chunks()]
    assert len(parts) == -(-rows.ROWS // 37)
    (all_,) = memory.chunks()
    if kind == "lazy":
        import polars as pl

        assert pl.concat(parts).equals(all_.X)
    else:
        pd.testing.assert_frame_equal(pd.concat(parts, ignore_index=True), all_.X)


def test_a_folder_with_partitions(tmp_path):
    frame = pd.DataFrame({"x": np.arange(9.0), "year": [2020, 2021, 2022] * 3, "site": ["a"] * 9})
    frame.to_parquet(tmp_path / "visits", partition_cols=["year", "site"])
    (chunk,) = fedps.client.open_table(tmp_path / "visits").chunks()
    assert chunk.X["year"].dtype == np.int64
    assert chunk.X["site"].unique().tolist() == ["a"]
    expected = frame.sort_values("year", kind="stable").reset_index(drop=True)
    assert chunk.X[["x", "year"]].to_numpy().tolist() == expected[["x", "year"]].to_numpy().tolist()


def test_an_excel_sheet(tmp_path):
    pytest.importorskip("openpyxl")
    frame = pd.DataFrame({"age": [61.0, None, 40.0], "zip": ["01234", "00001", "99999"]})
    with pd.ExcelWriter(tmp_path / "oslo.xlsx") as writer:
        frame.assign(age=0).to_excel(writer, sheet_name="other", index=False)
        frame.to_excel(writer, sheet_name="visits", index=False)
    source = fedps.Excel(tmp_path / "oslo.xlsx", sheet="visits", dtypes={"zip": "str"})
    (chunk,) = fedps.client.open_table(source).chunks()
    assert chunk.X["zip"].tolist() == ["01234", "00001", "99999"]
    assert chunk.X["age"].tolist()[::2] == [61.0, 40.0]
    (first,) = fedps.client.open_table(str(tmp_path / "oslo.xlsx")).chunks()
    assert first.X["age"].tolist() == [0, 0, 0]
    with pytest.raises(fedps.UsageError, match="Is 'none' one of its sheets"):
        fedps.client.open_table(fedps.Excel(tmp_path / "oslo.xlsx", sheet="none"))
