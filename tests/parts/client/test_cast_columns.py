"""Columns read as another dtype, in every container and file."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import fedps
from fedps.client import open_table
from fedps.client.tables.cast_columns import read_dtypes
from fedps.engines.client_settings import read_settings
from fedps.errors import UsageError
from tests.mistakes.mistake import NAME, SECRETS

LETTERS = pd.DataFrame({"zip": ["A1", "01234", "99"], "age": [1.0, 2.0, 3.0]})
DIGITS = pd.DataFrame({"zip": [1234, 99, 1234], "age": [4.0, 5.0, 6.0]})


def categories(table, **options):
    federation = fedps.Federation(
        {"oslo": LETTERS, "bergen": table}, dtypes={"zip": "str"}, **options
    )
    return federation.fit(OneHotEncoder()).categories_[0].tolist()


@pytest.mark.parametrize(
    "digits",
    [
        DIGITS,
        DIGITS.astype({"zip": float}),
        DIGITS.astype({"zip": "Int64"}),
        DIGITS.astype({"zip": object}),
        DIGITS.astype({"zip": "category"}),
        pl.from_pandas(DIGITS),
        pl.from_pandas(DIGITS).cast({"zip": pl.Float64}),
        pa.Table.from_pandas(DIGITS),
        (DIGITS, [0, 1, 0]),
    ],
    ids=["int", "float", "Int64", "object", "category", "polars", "polars float", "arrow", "pair"],
)
def test_codes_that_are_all_digits_at_one_client(digits):
    assert categories(digits) == ["01234", "1234", "99", "A1"]


@pytest.mark.parametrize("missing", [np.nan, None, pd.NA])
def test_gaps_stay_gaps(missing):
    gaps = DIGITS.astype({"zip": object})
    gaps.loc[1, "zip"] = missing
    assert categories(gaps)[:-1] == ["01234", "1234", "99", "A1"]
    assert categories(pl.DataFrame({"zip": [1234, None], "age": [1.0, 2.0]}))[:3] == [
        "01234",
        "1234",
        "99",
    ]


def test_a_csv_file_keeps_leading_zeros(tmp_path):
    path = tmp_path / "bergen.csv"
    path.write_text("zip,age\n00501,1\n,2\n01234,3\n")
    assert categories(str(path))[:-1] == ["00501", "01234", "99", "A1"]


def test_a_parquet_file(tmp_path):
    DIGITS.to_parquet(tmp_path / "bergen.parquet")
    assert categories(str(tmp_path / "bergen.parquet")) == ["01234", "1234", "99", "A1"]


def test_by_columns(tmp_path):
    federation = fedps.Federation(
        {"oslo": DIGITS, "bergen": LETTERS[["age"]].rename(columns={"age": "dose"})},
        split="columns", dtypes={"dose": "str"},
    )  # fmt: skip
    fitted = federation.fit(OneHotEncoder())
    assert fitted["bergen"].categories_[0].tolist() == ["1", "2", "3"]


@pytest.mark.parametrize(
    ("cells", "dtype", "expected"),
    [
        (["1", "2"], "float", np.float64),
        (["1", "2"], "int", np.int64),
        ([1.0, 2.0], "int", np.int64),
        ([0, 1], "bool", np.bool_),
        (["a", "b"], "category", None),
        (["2020-01-02", None], "datetime", None),
    ],
)
@pytest.mark.parametrize("kind", ["pandas", "polars", "csv"])
def test_what_a_column_becomes(cells, dtype, expected, kind, tmp_path):
    frame = pd.DataFrame({"x": cells})
    path = tmp_path / "x.csv"
    frame.to_csv(path, index=False)
    source = {"pandas": frame, "polars": pl.from_pandas(frame), "csv": str(path)}[kind]
    (chunk,) = open_table(source, dtypes={"x": dtype}).chunks()
    made = chunk.X["x"]
    if expected is not None:
        assert np.asarray(made).dtype == expected
    else:
        words = {"category": "cat", "datetime": "datetime"}
        assert words[dtype] in str(made.dtype).lower()


@pytest.mark.parametrize(
    ("cells", "dtype"),
    [
        ([NAME, "1"], "float"),
        ([NAME, "1"], "int"),
        ([1.5, 2.0], "int"),
        ([2, 1], "bool"),
        ([NAME, "2020-01-01"], "datetime"),
    ],
)
@pytest.mark.parametrize("kind", ["pandas", "polars", "csv"])
def test_what_cannot_be_read_so(cells, dtype, kind, tmp_path):
    frame = pd.DataFrame({"x": cells})
    path = tmp_path / "x.csv"
    frame.to_csv(path, index=False)
    source = {"pandas": frame, "polars": pl.from_pandas(frame), "csv": str(path)}[kind]
    with pytest.raises(UsageError, match="column 'x' cannot be read as") as caught:
        fedps.Federation({"oslo": source}, dtypes={"x": dtype})
    assert not any(secret in str(caught.value) for secret in SECRETS)


@pytest.mark.parametrize(
    ("dtypes", "said"),
    [
        ({"zpi": "str"}, "dtypes: no client has a column 'zpi'. Did you mean 'zip'?"),
        ({"zip": "stri"}, "dtypes: 'zip' cannot be read as 'stri'. Did you mean 'str'? Use str, "),
        ({0: "str"}, "dtypes names columns; 0 is not the name of one."),
        (["zip"], "dtypes is a list: give a dict, {'zip': 'str'}."),
    ],
)
def test_wrong_dtypes(dtypes, said):
    with pytest.raises(UsageError) as caught:
        fedps.Federation({"oslo": DIGITS}, dtypes=dtypes)
    assert said in str(caught.value)


def test_arrays_have_no_names():
    with pytest.raises(UsageError, match="this table has no names: give a data frame"):
        fedps.Federation([np.ones((3, 2))], dtypes={"zip": "str"})


def test_the_owner_says_it_in_a_file(tmp_path):
    DIGITS.to_parquet(tmp_path / "a.parquet")
    for given in ({"zip": "str"}, json.dumps({"zip": "str"})):
        config = {
            "data": str(tmp_path / "a.parquet"),
            "ledger": str(tmp_path / "l.jsonl"),
            "dtypes": given,
        }
        opened = read_settings(config, "fedps.toml", "").open("oslo")
        assert opened.table.schema().dtypes[0] in ("str", "object")
    with pytest.raises(UsageError, match="'dtypes' of fedps.toml is not JSON"):
        read_settings({"data": "a", "dtypes": "zip=str"}, "fedps.toml", "")


def test_names_of_types():
    assert read_dtypes({"a": str, "b": "Int64", "c": "boolean", "d": np.float64}) == {
        "a": "str", "b": "int", "c": "bool", "d": "float",
    }  # fmt: skip


def test_the_target_and_what_is_fitted_are_untouched():
    before = DIGITS.copy()
    federation = fedps.Federation({"oslo": DIGITS}, target="zip", dtypes={"zip": "str"})
    federation.fit(StandardScaler())
    pd.testing.assert_frame_equal(DIGITS, before)
