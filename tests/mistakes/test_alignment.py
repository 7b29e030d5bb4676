"""Clients that hold different columns must hold the same rows in the same order."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.compose import make_column_transformer
from sklearn.preprocessing import OrdinalEncoder, StandardScaler

import fedps
from tests.mistakes.mistake import without_round
from tests.twins.columns.owners import federation, people, split


def told(clients, text, **options):
    with pytest.raises(fedps.FedPSError) as caught:
        fedps.Federation(clients, split="columns", **options)
    assert without_round(caught.value) == text


def test_rows_in_another_order():
    clients = split(people())
    clients["shop"] = clients["shop"].iloc[::-1]
    told(
        clients,
        "clients 'bank' and 'shop' hold the same rows in different orders, according to their key "
        "'id'. Sort both tables by 'id'.",
        key="id",
    )


def test_other_rows():
    clients = split(people())
    clients["shop"] = clients["shop"].assign(id=clients["shop"]["id"] + 1)
    told(
        clients,
        "clients 'bank' and 'shop' hold different rows, according to their key 'id'. Keep the rows "
        "that both hold, and sort both tables by 'id'.",
        key="id",
    )


def test_fewer_rows():
    clients = {name: part.drop(columns="id") for name, part in split(people()).items()}
    clients["clinic"] = clients["clinic"].iloc[:50]
    told(
        clients,
        "client 'bank' has 60 rows and client 'clinic' has 50. With split='columns', all clients "
        "must hold the same rows in the same order: keep the rows that all of them hold, sorted by a "
        "key.",
    )


def test_a_column_at_two_clients():
    clients = split(people())
    clients["shop"] = clients["shop"].assign(age=1.0)
    told(
        clients,
        "clients 'bank' and 'shop' both have a column 'age'. Drop or rename it at one of them, or "
        "name it as key= if it identifies rows.",
        key="id",
    )


def test_a_key_that_is_not_there():
    told(
        split(people()),
        "client 'bank': key: the table has no column 'idd'. Did you mean 'id'?",
        key="idd",
    )


def test_a_key_with_gaps():
    clients = split(people())
    clients["shop"] = clients["shop"].assign(id=[None, *clients["shop"]["id"][1:]])
    told(
        clients,
        "client 'shop': the key column 'id' has missing values. Every row needs a key.",
        key="id",
    )


def test_two_targets():
    clients = split(people())
    clients["shop"] = clients["shop"].assign(label="yes")
    told(
        clients,
        "clients 'bank' and 'shop' both have a target. With split='columns', exactly one client "
        "holds it: drop it at the other.",
        key="id",
        target="label",
    )


def test_a_key_where_rows_are_split():
    with pytest.raises(fedps.UsageError, match="use it with split='columns'"):
        fedps.Federation(split(people()), key="id")


@pytest.mark.parametrize("kind", ["float", "text", "nullable", "polars", "big"])
def test_keys_mean_the_same_however_they_are_stored(kind):
    clients = split(people())
    shop = clients["shop"]
    if kind == "big":
        clients = {name: part.assign(id=part["id"] + 2**60) for name, part in clients.items()}
    elif kind == "polars":
        clients["shop"] = pl.from_pandas(shop)
    else:
        dtype = {"float": float, "text": str, "nullable": "Int64"}[kind]
        clients["shop"] = shop.assign(id=shop["id"].astype(dtype))
    assert fedps.Federation(clients, split="columns", key="id").run.rounds == 1


def test_big_keys_that_differ_in_the_last_digit():
    clients = {name: part.assign(id=part["id"] + 2**60) for name, part in split(people()).items()}
    clients["shop"] = clients["shop"].assign(id=clients["shop"]["id"] + 1)
    with pytest.raises(fedps.Disagreement, match="different rows"):
        fedps.Federation(clients, split="columns", key="id")


def test_a_digest_is_no_key():
    run = federation().run
    (row,) = run.asks
    assert (row.statistic, row.level) == ("RowKeys", "AGGREGATE")
    assert set(row.bytes.values()) == {96}  # whatever the number of rows


def test_files_lists_and_pairs(tmp_path):
    table = people()
    paths = []
    for name, part in split(table).items():
        paths.append(tmp_path / f"{name}.parquet")
        part.to_parquet(paths[-1])
    made = fedps.Federation(paths, split="columns", key="id", target="label")
    assert made.run.rows == len(table)
    assert [output.shape[1] for output in made.fit_transform(OrdinalEncoder())[1]] == [2, 2, 2]
    arrays = [(np.ones((5, 2)), np.arange(5)), np.zeros((5, 3))]
    fitted = fedps.Federation(arrays, split="columns").fit(StandardScaler())
    assert [part.n_features_in_ for part in fitted.values()] == [2, 3]


def test_a_client_with_nothing_but_the_target():
    table = people()
    clients = {"clinic": table[["id", "age"]], "registry": table[["id", "label"]]}
    made = fedps.Federation(clients, split="columns", key="id", target="label")
    fitted, outputs = made.fit_transform(StandardScaler())
    assert list(fitted) == ["clinic"]
    assert outputs["registry"].shape == (60, 0)
    assert made.transform(fitted)["registry"].shape == (60, 0)


def test_a_column_kept_back_does_not_exist():
    made = federation(policy={"bank": fedps.Policy(deny=["age"])})
    assert "age" not in str(made.run)
    with pytest.raises(fedps.UsageError, match="no client has a column 'age'"):
        made.fit(make_column_transformer((StandardScaler(), ["age"])))
    assert made.fit(OrdinalEncoder())["bank"].feature_names_in_.tolist() == ["city"]


def test_what_stands_in_the_frame_is_left_as_it_was():
    table = people()
    before = table.copy()
    federation(table)
    pd.testing.assert_frame_equal(table, before)


def dated(times):
    """Return two tables whose key is dates, as pandas has them, and as texts or otherwise."""
    days = pd.date_range("2024-02-27", periods=12, freq="D") + pd.to_timedelta(times)
    return pd.DataFrame({"day": days, "a": range(12)}), pd.DataFrame({"day": days, "b": range(12)})


@pytest.mark.parametrize("times", ["0s", "12h", "1500ms"])
@pytest.mark.parametrize("kind", ["text", "polars", "zone", "objects"])
def test_days_and_times_as_keys(times, kind):
    left, right = dated(times)
    if kind == "text":
        right["day"] = [str(day).removesuffix(" 00:00:00") for day in right["day"]]
    elif kind == "polars":
        right = pl.from_pandas(right)
    elif kind == "zone":
        right["day"] = right["day"].dt.tz_localize("UTC").dt.tz_convert("Europe/Oslo")
    else:
        right["day"] = [day.to_pydatetime() for day in right["day"]]
    assert fedps.Federation([left, right], split="columns", key="day").run.rounds == 1


def test_a_key_that_does_not_tell_rows_apart():
    clients = split(people())
    clients["shop"] = clients["shop"].assign(id=7)
    told(
        clients,
        "client 'shop': the key column 'id' has the same key in several rows, so it does not identify "
        "them. Make one key from several columns, or leave key= out: then all clients must have the "
        "rows in the same order.",
        key="id",
    )


def test_names_that_are_wrong():
    table = split(people())
    told(
        table,
        "target: no client has a column 'lable'. Did you mean 'label'?",
        target="lable",
        key="id",
    )
    told(table, "key is a int: give the name of a column.", key=0)
    told(
        table,
        "the key and the target are both 'id': they must be two columns.",
        key="id",
        target="id",
    )


@pytest.mark.parametrize("kind", ["polars", "csv", "parquet"])
def test_a_client_with_nothing_but_the_key(kind, tmp_path):
    """It still has its rows, whatever its table is."""
    table = people()
    only = table[["id"]]
    path = str(tmp_path / f"only.{kind}")
    if kind == "csv":
        only.to_csv(path, index=False)
    elif kind == "parquet":
        only.to_parquet(path)
    clients = {
        "all": table[["id", "age"]],
        "only": pl.from_pandas(only) if kind == "polars" else path,
    }
    made = fedps.Federation(clients, split="columns", key="id")
    assert made.fit_transform(StandardScaler())[1]["only"].shape == (60, 0)
    clients["all"] = table[["id"]]
    nothing = fedps.Federation(clients, split="columns", key="id")
    with pytest.raises(fedps.UsageError, match="no client has a column besides the key"):
        nothing.fit(StandardScaler())
