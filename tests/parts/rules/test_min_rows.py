"""min_rows: the fewest rows, or people, that a number may be computed from."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.preprocessing import (
    MinMaxScaler,
    OneHotEncoder,
    QuantileTransformer,
    StandardScaler,
    TargetEncoder,
)

from fedps import Federation, Refused, UsageError
from fedps.client.tables.sources import source_table
from tests.parts.rules.limits import fit, numbers, on, only, people, refused

PEOPLE = only(min_rows=10, unit="person")
FEW_PEOPLE = "needs rows of 10 different 'person' and there are fewer"
SCALER = on(StandardScaler(), "x")


def test_rows():
    fit(SCALER, people(*[1] * 10), only(min_rows=10))
    refused(
        "min_rows",
        "needs 10 rows and there are fewer",
        SCALER,
        people(*[1] * 9),
        only(min_rows=10),
    )


@pytest.mark.parametrize(
    "step", [StandardScaler(), MinMaxScaler(), QuantileTransformer(n_quantiles=2)]
)
def test_cells_of_a_column(step):
    table = people(*[1] * 30)
    table.loc[10:, "x"] = np.nan
    fit(on(step, "x"), table, only(min_rows=10))
    table.loc[9, "x"] = np.nan
    refused("min_rows", "needs 10 values in a column", on(step, "x"), table, only(min_rows=10))


def test_people():
    fit(SCALER, people(*[3] * 10), PEOPLE)
    refused("min_rows", FEW_PEOPLE, SCALER, people(*[30] * 9), PEOPLE)


@pytest.mark.parametrize("nobody", [None, np.nan])
def test_rows_of_nobody_are_those_of_one_person(nobody):
    table = people(*[3] * 9, 6)
    unknown = table["person"] == "p09"
    table.loc[unknown, "person"] = nobody
    fit(SCALER, table, PEOPLE)
    table.loc[table["person"] == "p08", "person"] = None
    refused("min_rows", FEW_PEOPLE, SCALER, table, PEOPLE)


def test_cells_of_people():
    table = people(*[3] * 12)
    kept = table["person"].isin([f"p{who:02}" for who in range(10)])
    fit(SCALER, table.assign(x=table["x"].where(kept)), PEOPLE)
    kept &= table["person"] != "p09"
    few = table.assign(x=table["x"].where(kept))
    text = refused("min_rows", "needs 10 different 'person' in a column", SCALER, few, PEOPLE)
    assert "on column 'x'" in text


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_people_in_the_chunks_of_a_file(kind, tmp_path, monkeypatch):
    monkeypatch.setattr(source_table, "CHUNK_ROWS", 7)
    for number, fits in ((10, True), (9, False)):
        path = tmp_path / f"{number}.{kind}"
        table = people(*[4] * number).assign(person=lambda t: t["person"].str[1:].astype(int))
        table.to_csv(path, index=False) if kind == "csv" else table.to_parquet(path)
        if fits:
            fit(SCALER, path, PEOPLE)
        else:
            refused("min_rows", FEW_PEOPLE, SCALER, path, PEOPLE)


def test_the_unit_is_kept_back():
    federation = Federation({"oslo": people(*[3] * 10)}, policy=PEOPLE)
    federation.fit(StandardScaler())
    assert federation.ledgers["oslo"].entries[0].columns == ("x",)
    text = "the policy counts by unit = 'patient', and the table has no such column"
    with pytest.raises(UsageError, match=text):
        Federation({"oslo": people(*[3] * 10)}, policy=only(min_rows=10, unit="patient"))


# Samples and folds ------------------------------------------------------------------------------

FEW_DRAWN = "needs 10 rows in each sample or fold"


@pytest.mark.parametrize(("size", "fits"), [(10, True), (9, False), (30, True), (31, False)])
def test_samples(size, fits):
    """Neither the sample nor the rest of forty rows may be too small."""
    step = on(QuantileTransformer(n_quantiles=2, subsample=size, random_state=0), "x")
    if fits:
        fit(step, people(*[1] * 40), only(min_rows=10))
    else:
        refused("min_rows of samples", FEW_DRAWN, step, people(*[1] * 40), only(min_rows=10))


@pytest.mark.parametrize(("size", "fits"), [(19, True), (18, False)])
def test_samples_of_people(size, fits):
    """Any 19 rows are those of ten people, if each has two."""
    step = on(QuantileTransformer(n_quantiles=2, subsample=size, random_state=0), "x")
    if fits:
        fit(step, people(*[2] * 40), PEOPLE)
    else:
        refused("min_rows of samples", FEW_DRAWN, step, people(*[2] * 40), PEOPLE)


@pytest.mark.parametrize(("rows", "fits"), [(30, True), (29, False)])
def test_folds(rows, fits):
    table = pd.DataFrame(
        {"town": ["a"] * rows, "y": ["no", "yes", "yes"] * 9 + ["no"] * (rows - 27)}
    )
    federation = Federation({"oslo": table}, target="y", policy=only(min_rows=10))
    encoder = TargetEncoder(cv=3, random_state=0)
    if fits:
        federation.fit_transform(encoder)
        return
    with pytest.raises(Refused, match=FEW_DRAWN):
        federation.fit_transform(encoder)


@pytest.mark.parametrize(("rows", "fits"), [(10, True), (9, False)])
def test_sums_of_a_category(rows, fits):
    table = pd.DataFrame({"town": ["a"] * 20 + ["b"] * rows, "y": numbers(20 + rows)})
    limit = "needs 10 rows in each category"
    if fits:
        fit(TargetEncoder(), table, only(min_rows=10), target="y")
    else:
        rules = only(min_rows=10)
        refused("min_rows of sums", limit, TargetEncoder(), table, rules, target="y")


def test_categories_of_few_people_are_not_a_matter_of_rows():
    table = people(*[3] * 10).assign(town=["a", "b"] * 15)
    fit(on(OneHotEncoder(), "town"), table, PEOPLE)
