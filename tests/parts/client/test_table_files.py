"""Opening tables in files: CSV and Parquet, in chunks, and what is wrong with some."""

from __future__ import annotations

import gzip

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fedps.client.tables import open_table
from fedps.client.tables.files import csv_files, parquet_files
from fedps.client.tables.sources import arrow_frames as frames
from fedps.client.tables.sources import source_table
from fedps.engines.client_settings import read_settings
from fedps.errors import UsageError

NAN = float("nan")


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(source_table, "CHUNK_ROWS", 7)
    monkeypatch.setattr(csv_files, "BLOCK_BYTES", 64)
    monkeypatch.setattr(parquet_files, "BATCH_ROWS", 5)


@pytest.fixture(params=["pandas", "polars"])
def library(request, monkeypatch):
    if request.param == "polars":
        real = frames.find_spec
        monkeypatch.setattr(
            frames, "find_spec", lambda name: None if name == "pandas" else real(name)
        )
    return request.param


def same(found, expected, library):
    """Compare frames; polars text comes back to pandas 2 with None for NaN."""
    if library == "polars":
        found, expected = (part.astype(object).map(_plain) for part in (found, expected))
    pd.testing.assert_frame_equal(found, expected)


def _plain(cell):
    return None if pd.isna(cell) else cell


def whole(table):
    parts = [chunk.X for chunk in table.chunks()]
    if table.container == "polars":
        return pl.concat(parts).to_pandas()
    assert len({tuple(map(str, part.dtypes)) for part in parts}) == 1
    return pd.concat(parts, ignore_index=True)


def mixed_frame(rows=20):
    return pd.DataFrame(
        {
            "int": range(rows),
            "gaps": [float(j) if j != 15 else NAN for j in range(rows)],
            "text": [f"é{j}" if j % 3 else None for j in range(rows)],
            "flag": [j % 2 == 0 for j in range(rows)],
            "label": [j % 4 for j in range(rows)],
        }
    )


def test_parquet_in_chunks(tmp_path, small, library):
    frame = mixed_frame()
    table = pa.Table.from_pandas(frame.drop(columns="gaps"), preserve_index=False)
    gaps = pa.array([None if j == 15 else j for j in range(20)], type=pa.int64())
    table = table.add_column(1, "gaps", gaps)
    pq.write_table(table.slice(0, 12), tmp_path / "a.parquet", row_group_size=3)
    pq.write_table(table.slice(12), tmp_path / "b.pq", write_statistics=False)
    opened = open_table(tmp_path, target="label")
    schema = opened.schema()
    assert (opened.container, schema.rows, schema.names) == (
        library,
        20,
        ("int", "gaps", "text", "flag"),
    )
    assert schema.dtype(0) == ("int64" if library == "pandas" else "Int64")
    assert schema.dtype(1) == ("float64" if library == "pandas" else "Float64")
    assert schema.empty == ()
    assert opened.target_schema().dtypes == ("<i8",)
    chunks = list(opened.chunks())
    assert [chunk.X.shape[0] for chunk in chunks] == [7, 7, 6]
    same(whole(opened), frame.drop(columns="label"), library)
    assert np.concatenate([chunk.y for chunk in chunks]).tolist() == frame["label"].tolist()
    assert np.concatenate([chunk.column("label") for chunk in chunks]).sum() == frame["label"].sum()


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz"])
def test_csv_in_chunks(tmp_path, small, library, suffix):
    frame = mixed_frame()
    path = tmp_path / f"rows{suffix}"
    frame.to_csv(path, index=False)
    opened = open_table(str(path))
    assert opened.schema().rows == 20
    assert opened.schema().dtype(1) in ("float64", "Float64")
    same(whole(opened), pd.read_csv(path), library)
    assert [chunk.X.shape[0] for chunk in opened.chunks()] == [7, 7, 6]


def test_csv_types_widen_wherever_the_surprise_comes(tmp_path, small):
    rows = [f"{j},{j},{j},,true,1" for j in range(40)]
    rows[30] = "30,1.5,x,7,maybe,"
    rows[35] = "30,1e5,x,7.5,false,"
    (tmp_path / "1.csv").write_text("a,b,c,d,e,f\n" + "\n".join(rows))
    (tmp_path / "2.csv").write_text("b,a,c,d,e,f\n1,late,1,1,true,1\n")
    opened = open_table(tmp_path / "*.csv")
    frame = whole(opened)
    expected = pd.concat(
        [
            pd.read_csv(tmp_path / f"{j}.csv", dtype={"a": "str", "c": "str", "e": "str"})
            for j in (1, 2)
        ],
        ignore_index=True,
    )
    pd.testing.assert_frame_equal(frame, expected)
    assert opened.schema().rows == 41


def test_csv_bools_with_gaps_and_empty_columns(tmp_path, small):
    rows = ["true,,2020-01-01"] * 30 + [",,2020-01-02"]
    (tmp_path / "a.csv").write_text("flag,none,day\n" + "\n".join(rows))
    schema = open_table(tmp_path / "a.csv").schema()
    assert schema.dtypes[:2] == ("object", "float64")
    assert schema.empty == (1,)
    frame = whole(open_table(tmp_path / "a.csv"))
    assert isinstance(frame["day"].iloc[0], str)
    assert isinstance(frame["flag"].iloc[30], float)  # NaN, as from pandas.read_csv


def test_parquet_of_nan_only_columns(tmp_path, small):
    table = pa.table(
        {"nan": [NAN] * 20, "late": [NAN] * 19 + [1.0], "null": pa.array([None] * 20, pa.int64())}
    )
    for told in (True, False):
        pq.write_table(table, tmp_path / "a.parquet", row_group_size=6, write_statistics=told)
        assert open_table(tmp_path / "a.parquet").schema().empty == (0, 2)


def test_a_parquet_file_is_described_by_its_footer(tmp_path, monkeypatch):
    table = pa.table({"late": [NAN, 1.0], "text": ["a", None], "none": pa.nulls(2, pa.float64())})
    pq.write_table(table, tmp_path / "a.parquet")
    opened = open_table(tmp_path / "a.parquet")
    monkeypatch.setattr(parquet_files.ParquetFiles, "tables", None)
    assert opened.schema().empty == (2,)


def test_parquet_types_are_unified(tmp_path):
    pq.write_table(pa.table({"a": [1, 2]}), tmp_path / "1.parquet")
    pq.write_table(pa.table({"a": [1.5]}), tmp_path / "2.parquet")
    assert whole(open_table(tmp_path))["a"].tolist() == [1.0, 2.0, 1.5]
    pq.write_table(pa.table({"a": ["secret"]}), tmp_path / "3.parquet")
    with pytest.raises(UsageError, match="3.parquet: column 'a' is string") as caught:
        open_table(tmp_path)
    assert "secret" not in str(caught.value)


def test_parquet_keeps_what_pandas_wrote(tmp_path, small):
    frame = pd.DataFrame(
        {
            "i": pd.Series([1, None] * 10, dtype="Int64"),
            "c": pd.Series(["x", "y"] * 10, dtype="category"),
            "u": np.arange(20, dtype=np.uint8),
            "f": np.arange(20, dtype=np.float32),
        },
        index=range(5, 25),
    )
    frame.to_parquet(tmp_path / "a.parquet")
    opened = open_table(tmp_path / "a.parquet")
    assert opened.schema().dtypes == ("Int64", "category:|O", "uint8", "float32")
    assert [str(d) for d in next(opened.chunks()).X.dtypes] == [
        "Int64",
        "category",
        "uint8",
        "float32",
    ]


def test_files_without_rows(tmp_path, library):
    (tmp_path / "a.csv").write_text("a,b\n")
    opened = open_table(tmp_path / "a.csv", target="b")
    assert list(opened.chunks()) == []
    assert (opened.schema().rows, opened.schema().empty) == (0, (0,))
    assert opened.target_schema().rows == 0
    mixed_frame(0).to_parquet(tmp_path / "a.parquet")
    opened = open_table(tmp_path / "a.parquet")
    assert list(opened.chunks()) == []
    assert opened.schema().width == 5


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "a.csv cannot be read as CSV"),
        ("a,b\n1,2\nsecret,2,3\n", "a.csv cannot be read as CSV"),
        ("a,a\n1,2\n", "two columns have the name 'a'"),
    ],
)
def test_bad_csv_quotes_no_cell(tmp_path, text, words):
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(UsageError, match=words) as caught:
        open_table(tmp_path / "a.csv")
    assert "secret" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


def test_bad_files(tmp_path):
    with pytest.raises(UsageError, match="there is no file"):
        open_table(tmp_path / "no.csv")
    with pytest.raises(UsageError, match="matches no"):
        open_table(tmp_path / "*.csv")
    with pytest.raises(UsageError, match="matches no"):
        open_table(tmp_path)
    (tmp_path / "a.txt").write_text("a\n1\n")
    with pytest.raises(UsageError, match="unknown kind of file"):
        open_table(tmp_path / "a.txt")
    (tmp_path / "a.parquet").write_text("no")
    with pytest.raises(UsageError, match="cannot be read as Parquet"):
        open_table(tmp_path / "a.parquet")
    (tmp_path / "b.csv").write_bytes(b"a\ncaf\xe9\n")
    with pytest.raises(UsageError, match="must be UTF-8"):
        open_table(tmp_path / "b.csv")
    with pytest.raises(UsageError, match="cannot be one table"):
        open_table(tmp_path)
    with pytest.raises(UsageError, match="in memory"):
        open_table((tmp_path / "b.csv", [1]))


def test_files_must_have_the_same_columns(tmp_path):
    (tmp_path / "1.csv").write_text("a,b\n1,2\n")
    (tmp_path / "2.csv").write_text("a,c\n1,2\n")
    with pytest.raises(UsageError, match="2.csv has no column 'b'"):
        open_table(tmp_path)
    (tmp_path / "2.csv").write_text("a,b,c\n1,2,3\n")
    with pytest.raises(UsageError, match="2.csv has a column 'c'"):
        open_table(tmp_path)
    with pytest.raises(UsageError, match="Did you mean 'a'"):
        open_table(tmp_path / "1.csv", target="aa")


def test_no_frame_library(monkeypatch, tmp_path):
    monkeypatch.setattr(frames, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match="Install pandas or polars"):
        open_table(pa.table({"a": [1]}))


def test_compressed_csv_is_recognised(tmp_path):
    with gzip.open(tmp_path / "a.csv.gz", "wt") as file:
        file.write("a\n1\n")
    assert whole(open_table(tmp_path))["a"].tolist() == [1]


@pytest.mark.parametrize("target", [2, "2", -1], ids=repr)
def test_a_target_by_position(target, tmp_path):
    path = tmp_path / "oslo.csv"
    pd.DataFrame({"age": [1.0], "sex": [0], "sick": [1]}).to_csv(path, index=False)
    with pytest.raises(UsageError) as caught:
        open_table(str(path), target=target)
    assert str(caught.value) == (
        f"target: there is no column '{target}', and this table goes by name. At position {target} it has "
        "'sick': target='sick'."
    )
    settings = read_settings({"data": str(path), "target": target}, "fedps.toml", "")
    with pytest.raises(UsageError, match="it has 'sick': target='sick'"):
        settings.open("oslo")


def test_a_column_whose_name_is_a_number(tmp_path):
    path = tmp_path / "oslo.csv"
    pd.DataFrame({"0": [1.0, 2.0], "6": [0, 1]}).to_csv(path, index=False)
    assert open_table(str(path), target=6).target_name == "6"
    assert read_settings({"data": str(path), "target": 6}, "fedps.toml", "").target == "6"
