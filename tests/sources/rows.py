"""Rows with hostile types and gaps, and the same rows in every kind of source."""

import sqlite3
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.feather
import pyarrow.parquet as pq

import fedps

ROWS = 400


def hostile(rows=ROWS, seed=0):
    """Return rows as Arrow: large and tiny numbers, gaps, NaN, odd text, dates, decimals, truth values."""
    rng = np.random.default_rng(seed)
    gaps = rng.random(rows) < 0.1
    words = ["a", "é", "", "it's", '"quoted"', "new\nline", "漢字", "a;b,c"]
    money = [Decimal(int(cents)).scaleb(-2) for cents in rng.integers(-(10**6), 10**6, rows)]
    days = rng.integers(0, 20000, rows)
    return pa.table(
        {
            "id": pa.array(np.arange(rows), pa.int64()),
            "big": pa.array(rng.normal(1e9, 1e-3, rows)),
            "gap": pa.array(rng.normal(size=rows), mask=gaps),
            "nan": pa.array(np.where(gaps, np.nan, rng.gamma(2, 3, rows)), pa.float64()),
            "whole": pa.array(rng.integers(-5, 5, rows), pa.int64(), mask=rng.random(rows) < 0.1),
            "small": pa.array(rng.integers(0, 100, rows), pa.int16()),
            "flag": pa.array(rng.random(rows) < 0.5),
            "word": pa.array(rng.choice(words, rows), pa.string(), mask=gaps),
            "money": pa.array(money, pa.decimal128(12, 2)),
            "day": pa.array(days.astype("M8[D]"), pa.date32()),
            "at": pa.array((days * 86_400_000_000 + 123_456).astype("M8[us]"), pa.timestamp("us")),
            "zoned": pa.array((days * 86_400_000_000).astype("M8[us]"), pa.timestamp("us", "UTC")),
            "label": pa.array(rng.integers(0, 3, rows), pa.int64()),
        }
    )


def in_memory(table):
    """Return the frame that a client would have in memory."""
    return table.to_pandas()


def parquet(table, folder):
    half = table.num_rows // 2
    pq.write_table(table.slice(0, half), folder / "1.parquet", row_group_size=50)
    pq.write_table(table.slice(half), folder / "2.parquet")
    return str(folder)


def feather(table, folder):
    pa.feather.write_feather(table, folder / "rows.feather")
    return folder / "rows.feather"


def dataset(table, folder):
    return ds.dataset(feather(table, folder), format="feather")


def reader(table, _):
    return lambda: table.to_reader(max_chunksize=33)


def lazy(table, folder):
    import polars as pl

    pq.write_table(table, folder / "rows.parquet")
    return pl.scan_parquet(folder / "rows.parquet")


def relation(table, folder):
    import duckdb

    pq.write_table(table, folder / "rows.parquet")
    return duckdb.connect().read_parquet(f"{folder}/rows.parquet").order("id")


def duckdb_file(table, folder):
    import duckdb

    with duckdb.connect(str(folder / "rows.duckdb")) as made:
        made.register("given", table)
        made.execute("CREATE TABLE visits AS SELECT * FROM given")
    return fedps.SQL(f"duckdb:///{folder}/rows.duckdb", "SELECT * FROM visits ORDER BY id")


def sqlite_file(table, folder):
    """Return the rows of a SQLite file, which knows neither decimals nor dates nor truth values."""
    frame = drop_times(in_memory(table))
    with sqlite3.connect(folder / "rows.db") as made:
        frame.to_sql("visits", made, index=False)
    made.close()
    return fedps.SQL(f"sqlite:///{folder}/rows.db", "SELECT * FROM visits ORDER BY id")


HERE = {
    "parquet": parquet,
    "feather": feather,
    "dataset": dataset,
    "reader": reader,
    "lazy": lazy,
    "relation": relation,
    "duckdb": duckdb_file,
}


def expected(name, table):
    """Return the same rows in memory, in the library that the source's frames are of."""
    if name == "lazy":
        import polars as pl

        return pl.from_arrow(table)
    return in_memory(table)


def drop_times(frame):
    """Return the columns that SQLite has types for."""
    return pd.DataFrame(frame).drop(columns=["flag", "money", "day", "at", "zoned"])
