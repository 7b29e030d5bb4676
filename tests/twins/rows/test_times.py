"""Times as categories: of any unit and container, with and without gaps and time zones."""

from datetime import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    RobustScaler,
    SplineTransformer,
    StandardScaler,
    TargetEncoder,
)

import fedps
from tests.twins.compare import assert_same_fit, assert_same_transform
from tests.twins.partitions import interleaved, pool
from tests.twins.quiet import quiet
from tests.twins.twin import check, fit_pooled

DAYS = ["2020-01-01", "2021-03-05", "2020-01-01", "1969-07-20", "2021-03-05", "2020-01-01"]
GAPS = [*DAYS[:4], None, "2020-01-01"]
ENCODERS = [OneHotEncoder(), OneHotEncoder(min_frequency=2), OrdinalEncoder()]


def times(unit, days=DAYS, zone=None):
    column = pd.Series(pd.to_datetime(days)).astype(f"datetime64[{unit}]")
    return pd.DataFrame({"x": column if zone is None else column.dt.tz_localize(zone)})


def in_polars(kind, days=DAYS):
    column = pl.Series("x", [d and datetime.fromisoformat(d) for d in days])
    return column.cast(kind).to_frame()


TABLES = {
    **{unit: times(unit) for unit in ("s", "ms", "us", "ns")},
    "gaps": times("us", GAPS),
    "zone": times("us", zone="UTC"),
    "other-zone": times("ns", zone="Europe/Oslo"),
    "category": times("us").astype("category"),
    "arrow": times("us").astype(pd.ArrowDtype(pa.timestamp("us"))),
    "array": times("us").to_numpy(),
    "array-gaps": times("s", GAPS).to_numpy(),
    "lengths": times("us") - pd.Timestamp("2020-01-01"),
    "beside-text": times("us").assign(y=list("abcabc")),
    "polars": in_polars(pl.Datetime("us")),
    "polars-gaps": in_polars(pl.Datetime("ms"), GAPS),
    "polars-days": in_polars(pl.Date),
    "polars-lengths": in_polars(pl.Datetime("us")).select(pl.col("x") - datetime(2020, 1, 1)),  # noqa: DTZ001
    "polars-beside-text": in_polars(pl.Datetime("us")).with_columns(y=pl.lit("a")),
}


@pytest.mark.parametrize("encoder", ENCODERS, ids=repr)
@pytest.mark.parametrize("table", TABLES)
def test_encoders(table, encoder):
    check(encoder, interleaved(TABLES[table]))


@pytest.mark.parametrize(
    "units", [("s", "ns"), ("ns", "s"), ("us", "ms"), ("ms", "us", "ns")], ids="-".join
)
def test_other_units(units):
    check(OrdinalEncoder(), [times(unit) for unit in units])


@pytest.mark.parametrize("table", ["us", "zone", "array", "lengths", "polars", "polars-days"])
def test_target_encoder(table):
    X, y = TABLES[table], np.array([0, 1, 1, 0, 1, 0])
    parts = interleaved(X)
    order = np.concatenate([np.arange(6)[k::4] for k in range(4)])
    federation = fedps.Federation([(part, y[k::4]) for k, part in enumerate(parts)])
    pooled = fit_pooled(TargetEncoder(), pool(parts), y[order])
    with quiet():
        ours = federation.fit(TargetEncoder())
    assert_same_fit(ours, pooled)
    assert_same_transform(ours, pooled, X)


def refused(estimator, *tables, y=None):
    """Return why clients with such tables are refused; nothing of their cells is in it."""
    clients = dict(zip(("oslo", "bergen"), tables, strict=False))
    if y is not None:
        clients = {name: (table, y) for name, table in clients.items()}
    with quiet(), pytest.raises(fedps.ClientError) as caught:
        fedps.Federation(clients).fit(estimator)
    assert "2020" not in str(caught.value)
    return str(caught.value)


def test_a_zone_beside_none():
    text = refused(OrdinalEncoder(), times("us"), times("us", zone="UTC"))
    assert text == (
        "column 'x' holds times without a time zone at client 'oslo' (datetime64[us]) and times in the zone "
        "UTC at client 'bergen' (datetime64[us, UTC]). Write all of them in UTC without a zone. At client "
        "'bergen': table['x'] = table['x'].dt.tz_convert(\"UTC\").dt.tz_localize(None). [round 1]"
    )


def test_other_zones_text_and_numbers():
    oslo = times("us", zone="Europe/Oslo")
    assert "in the zone Europe/Oslo" in refused(OneHotEncoder(), times("us", zone="UTC"), oslo)
    words = pd.DataFrame({"x": pd.Series(DAYS, dtype="string")})
    assert "pandas.to_datetime(table['x'])" in refused(OneHotEncoder(), times("us"), words)
    numbers = pd.DataFrame({"x": [1.0, 2.0]})
    assert "numbers at client 'bergen'" in refused(OneHotEncoder(), times("us"), numbers)
    lengths = TABLES["lengths"]
    assert "lengths of time at client 'bergen'" in refused(OneHotEncoder(), times("us"), lengths)


@pytest.mark.parametrize("table", ["us", "gaps", "category", "array", "polars", "polars-days"])
@pytest.mark.parametrize(
    "imputer",
    [
        SimpleImputer(strategy="most_frequent"),
        SimpleImputer(strategy="constant", fill_value="?"),
        MissingIndicator(),
    ],
    ids=repr,
)
def test_imputers_take_no_times(imputer, table):
    assert isinstance(fit_pooled(imputer, TABLES[table]), ValueError)
    assert "take numbers and text" in refused(imputer, TABLES[table])


def test_what_scikit_learn_orders_at_random():
    y = np.array([0, 1, 1, 0, 1, 0])
    zoned = times("us", GAPS, zone="UTC")
    assert "which has a time zone" in refused(OrdinalEncoder(), zoned)
    assert "TargetEncoder takes for another" in refused(TargetEncoder(), times("us", GAPS), y=y)


def test_large_integers():
    table = pd.DataFrame({"x": pd.Series([2**70, 2020], dtype=object)})
    assert fedps.fit(OneHotEncoder(), [table]).categories_[0].tolist() == [2020, 2**70]


READ_AS_NUMBERS = [StandardScaler(), MinMaxScaler(), RobustScaler(), PolynomialFeatures()]


@pytest.mark.parametrize("estimator", READ_AS_NUMBERS, ids=repr)
@pytest.mark.parametrize(
    "other",
    [times("ns"), in_polars(pl.Datetime("ms")), times("s").astype("category")],
    ids=["pandas", "polars", "category"],
)
def test_other_units_are_other_numbers(estimator, other):
    """The number of a time depends on its unit, so that clients have to agree on one."""
    if isinstance(other, pd.DataFrame) and isinstance(other["x"].dtype, pd.CategoricalDtype):
        assert "not numbers" in refused(estimator, times("us"), other)
        return
    text = refused(estimator, times("us"), other)
    assert "column 'x' counts times in other units at client 'oslo' (datetime64[us])" in text
    assert "dtypes={'x': 'datetime'}" in text
    federation = fedps.Federation([times("us"), other], dtypes={"x": "datetime"})
    with quiet():
        fitted = federation.fit(estimator)
    assert_same_fit(fitted, fit_pooled(estimator, pd.concat([times("us"), times("us")])), 1e-9)


def test_lengths_of_other_units():
    lengths = [
        (times("s") - pd.Timestamp("2020-01-01")).astype(f"timedelta64[{unit}]")
        for unit in ("us", "s")
    ]
    text = refused(MinMaxScaler(), *lengths)
    assert text.endswith("At client 'bergen': table['x'] = table['x'].dt.as_unit('us'). [round 1]")
    lengths[1] = lengths[1].assign(x=lengths[1]["x"].dt.as_unit("us"))
    fitted = fedps.fit(MinMaxScaler(), lengths)
    assert fitted.data_min_ == fit_pooled(MinMaxScaler(), pd.concat(lengths)).data_min_


def test_functions_see_times_of_any_unit():
    def year(frame):
        return frame.assign(x=frame["x"].dt.year)

    check(make_pipeline(FunctionTransformer(year), MinMaxScaler()), [times("us"), times("s")])


@pytest.mark.parametrize("knots", ["uniform", "quantile"])
def test_splines(knots):
    spline = SplineTransformer(n_knots=3, knots=knots)
    for table in (times("us", GAPS), TABLES["array-gaps"], TABLES["polars-gaps"]):
        with quiet(), pytest.raises(fedps.UsageError, match="cannot fit SplineTransformer"):
            fedps.fit(spline, interleaved(table))
    if knots == "quantile":
        assert isinstance(fit_pooled(spline, times("us")), TypeError)
        with pytest.raises(fedps.UsageError, match="knots at quantiles are computed for numbers"):
            fedps.fit(spline, interleaved(times("us")))


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("estimator", [MinMaxScaler(), StandardScaler()], ids=repr)
def test_units_of_lengths(estimator, unit):
    lengths = (times("s") - pd.Timestamp("2020-01-01")).astype(f"timedelta64[{unit}]")
    fitted = fedps.fit(estimator, interleaved(lengths))
    assert_same_fit(fitted, fit_pooled(estimator, lengths), 1e-9)
