"""Mistakes with clients and their tables."""

import numpy as np
import pyarrow as pa
from sklearn.preprocessing import StandardScaler

import fedps
from tests.mistakes.mistake import NAME, NUMBER, on, table, told


def test_empty_federation():
    with told(fedps.UsageError, "a federation needs at least one client; none was given."):
        fedps.Federation({})


def test_duplicate_names():
    with told(fedps.UsageError, "two clients are called 'oslo'. Give each a name of its own."):
        fedps.Federation([("oslo", table()), ("oslo", table())])


def test_one_table_instead_of_clients():
    with told(
        fedps.UsageError,
        "clients is a DataFrame: give a dict of tables, a list of tables, or a transport.",
    ):
        fedps.Federation(table())


def test_wrong_split():
    with told(
        fedps.UsageError,
        "split='cells' is not known: use 'rows' (each client holds some rows of the same columns) or "
        "'columns' (each client holds some columns of the same rows).",
    ):
        fedps.Federation({"oslo": table()}, split="cells")


def test_no_rows_anywhere():
    with told(
        fedps.Disagreement,
        "no client has any rows: 'oslo', 'bergen'. Check what was loaded there.",
    ):
        fedps.fit(on(["age"]), {"oslo": table()[:0], "bergen": table()[:0]})


def test_a_reader_that_gives_its_rows_once():
    with told(
        fedps.UsageError,
        "client 'oslo': a RecordBatchReader gives its rows once, and a fit may read them several times. Pass a "
        "function that returns a new reader each time, or reader.read_all() if the rows fit in memory.",
    ):
        fedps.Federation({"oslo": pa.table({"age": [NUMBER]}).to_reader()})


def test_what_is_not_a_table():
    with told(
        fedps.UsageError,
        "client 'oslo': dict is not a table. Pass a pandas or polars DataFrame, a pyarrow Table, a "
        "2-D NumPy array or list of lists, a scipy sparse matrix, the path of Parquet, CSV, Feather or "
        "Excel files, fedps.CSV(...), fedps.SQL(...), a polars LazyFrame, a pyarrow Dataset, a DuckDB relation, or a "
        "pair (X, y).",
    ):
        fedps.Federation({"oslo": {"age": [NUMBER], "city": [NAME]}})


def test_file_that_does_not_exist():
    with told(fedps.UsageError, "client 'oslo': there is no file 'nowhere.csv'."):
        fedps.Federation({"oslo": "nowhere.csv"})


def test_names_at_one_client_only():
    with told(
        fedps.Disagreement,
        "client 'client 2' has column names and client 'client 1' has none. Give all clients data "
        "frames, or all of them arrays.",
    ):
        fedps.fit(StandardScaler(), [np.full((2, 1), NUMBER), table()[["age"]]])
