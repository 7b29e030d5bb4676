"""Looks as data frames: pandas' own names and layouts, and NA where something is kept back."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pandas.io.formats.format import format_percentiles

from fedps.looks import Correlation, Crosstab, Description
from fedps.looks.column_facts import ColumnFacts
from fedps.looks.description import Group
from fedps.looks.percentile_labels import percentile_labels
from tests.parts.looks.made_up import made_up_crosstab, made_up_description

STATISTICS = ["count", "missing", "unique", "top", "freq", "mean", "std", "min"]


def facts_of(name, series, percentiles):
    """Return what a plan would find out about one column of a data frame."""
    if series.dtype == object or isinstance(series.dtype, pd.StringDtype):
        told = series.describe()
        return ColumnFacts(
            name,
            "categories",
            "str",
            int(told["count"]),
            int(series.isna().sum()),
            unique=int(told["unique"]),
            top=told["top"],
            freq=int(told["freq"]),
        )
    dates = series.dtype.kind == "M"
    numbers = series.astype("int64") / 1e6 if dates else series.astype("float64")
    if dates:
        numbers = numbers.where(series.notna())
    return ColumnFacts(
        name,
        "dates" if dates else "numbers",
        str(series.dtype),
        int(series.count()),
        int(series.isna().sum()),
        mean=float(numbers.mean()),
        std=float(numbers.std()),
        minimum=float(numbers.min()),
        quantiles=tuple(float(numbers.quantile(p)) for p in percentiles),
        maximum=float(numbers.max()),
    )


def table():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "age": rng.normal(40, 9, 60),
            "sex": rng.choice(["f", "m", "x"], 60),
            "seen": pd.to_datetime(rng.integers(1.5e9, 1.6e9, 60), unit="s").astype(
                "datetime64[us]"
            ),
            "ward": rng.choice(["a", "b"], 60),
        }
    )
    frame.loc[:4, "age"] = np.nan
    return frame


def described(frame, percentiles=(0.25, 0.5, 0.75), by=None):
    def columns(part):
        return tuple(facts_of(name, part[name], percentiles) for name in part if name != by)

    groups = ()
    if by is not None:
        parts = frame.groupby(by)
        groups = tuple(Group(value, len(part), columns(part)) for value, part in parts)
    return Description({"all": len(frame)}, columns(frame), percentiles, by, groups)


@pytest.mark.parametrize("percentiles", [(0.25, 0.5, 0.75), (0.05, 0.999), ()])
def test_a_row_per_column_is_what_pandas_describes(percentiles):
    frame = table()
    ours = described(frame, percentiles).to_pandas()
    theirs = frame.describe(include="all", percentiles=list(percentiles) or [0.5]).T
    labels = percentile_labels(percentiles)
    assert list(ours.columns) == [*STATISTICS, *labels, "max"]
    assert list(ours.index) == list(frame.columns)
    assert list(ours["missing"]) == [5, 0, 0, 0]
    for name in ours.columns.drop("missing"):
        for column in frame:
            mine, pandas_own = ours.loc[column, name], theirs.loc[column, name]
            if pd.isna(pandas_own):
                assert pd.isna(mine)
            elif isinstance(pandas_own, pd.Timestamp):
                assert abs(mine - pandas_own) < pd.Timedelta("2us")
            elif isinstance(pandas_own, str):
                assert mine == pandas_own
            else:
                assert mine == pytest.approx(pandas_own, rel=1e-12)


def test_groups_are_laid_out_as_groupby_describe():
    frame = table()
    ours = described(frame, by="ward").to_pandas()
    theirs = frame.groupby("ward")[["age"]].describe()
    pd.testing.assert_frame_equal(
        ours[theirs.columns], theirs, check_dtype=False, check_column_type=False
    )
    assert ours.loc["a", ("sex", "top")] == frame.loc[frame.ward == "a", "sex"].describe()["top"]
    pooled = described(frame, by="ward").to_pandas(groups=False)
    assert list(pooled.index) == ["age", "sex", "seen"]


@given(st.sets(st.floats(0.0001, 0.9999), min_size=1, max_size=6))
def test_quantiles_are_named_as_pandas_names_them(shares):
    percentiles = sorted(shares)
    assert percentile_labels(percentiles) == format_percentiles(percentiles)


@given(st.sets(st.integers(0, 1000), min_size=2, max_size=6))
def test_round_quantiles_are_named_as_pandas_names_them(thousandths):
    percentiles = [k / 1000 for k in sorted(thousandths)]
    assert percentile_labels(percentiles) == format_percentiles(percentiles)


def test_what_is_kept_back_is_missing_and_never_zero():
    found = made_up_description(12)
    frame = found.to_pandas(groups=False)
    assert frame.loc["work_8", "unique"] is pd.NA
    assert found.to_pandas().isna().loc["male", ("age_0", "mean")]
    count = replace(
        found.columns[0], marks={"count": "< 5", "quantiles": "kept"}, quantiles=(None,) * 3
    )
    hidden = replace(found, columns=(count, *found.columns[1:])).to_pandas(groups=False)
    assert hidden["count"].dtype == "Int64"
    assert hidden.loc["age_0", "count"] is pd.NA
    assert np.isnan(hidden.loc["age_0", "50%"])


def test_dates_are_timestamps_in_their_zone():
    facts = ColumnFacts("seen", "dates", "datetime64[us]", 2, 0, mean=0.5, minimum=0.0, maximum=1.0)
    zoned = replace(facts, name="there", zone="Europe/Oslo")
    frame = Description({"a": 2}, (facts, zoned), ()).to_pandas()
    assert frame.loc["seen", "mean"] == pd.Timestamp("1970-01-01 00:00:00.5")
    assert frame.loc["there", "min"] == pd.Timestamp("1970-01-01 01:00", tz="Europe/Oslo")


def test_a_crosstab_is_laid_out_as_pandas_lays_it_out():
    frame = table()
    theirs = pd.crosstab(frame.sex, frame.ward)
    ours = Crosstab(
        "sex",
        "ward",
        tuple(theirs.index),
        tuple(theirs.columns),
        theirs.to_numpy(),
        np.zeros(theirs.shape, dtype=bool),
    )
    pd.testing.assert_frame_equal(ours.to_pandas(), theirs)
    pooled = pd.crosstab(frame.sex, frame.ward, margins=True)
    pd.testing.assert_frame_equal(ours.to_pandas(margins=True), pooled)


def test_totals_with_hidden_cells_are_missing():
    found = made_up_crosstab()
    frame = found.to_pandas(margins=True)
    assert set(frame.dtypes) == {pd.Int64Dtype()}
    assert frame.isna().to_numpy()[:-1, :-1].tolist() == found.hidden.tolist()
    assert frame["All"].isna().tolist() == [False, True, False, False, True, False, True]
    assert frame.loc["All"].isna().tolist() == [False, False, True, True, False, True]


def test_correlations_are_laid_out_as_pandas_lays_them_out():
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(20, 3)), columns=list("abc"))
    theirs = frame.corr()
    ours = Correlation(tuple("abc"), theirs.to_numpy(), np.full((3, 3), 20), np.ones(3), 20)
    pd.testing.assert_frame_equal(ours.to_pandas(), theirs)
    assert ours.vif_to_pandas().to_dict() == {"a": 1.0, "b": 1.0, "c": 1.0}
    hidden = replace(ours, marks={(0, 1): "< 5"}).to_pandas()
    assert hidden.isna().sum().tolist() == [1, 1, 0]


def test_numbers_of_numpy_are_numbers():
    facts = ColumnFacts("x", "numbers", "int64", np.int64(3), np.int64(0), mean=np.float32(2))
    frame = Description({"a": 3}, (facts,), ()).to_pandas()
    assert frame["count"].tolist() == [3]
    assert frame["mean"].tolist() == [2.0]
