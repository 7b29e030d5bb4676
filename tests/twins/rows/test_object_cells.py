"""Dates, times of day, decimals and other objects of Python as categories and labels."""

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from itertools import pairwise
from uuid import UUID

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.compose import make_column_transformer
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.preprocessing import (
    LabelEncoder,
    MultiLabelBinarizer,
    OneHotEncoder,
    OrdinalEncoder,
    StandardScaler,
    TargetEncoder,
)

import fedps
from tests.twins.compare import assert_same_fit, assert_same_transform
from tests.twins.partitions import interleaved
from tests.twins.quiet import quiet
from tests.twins.twin import check, fit_pooled

CELLS = {
    "dates": [date(2020, 1, 2), date(2019, 5, 6), date(1, 1, 1), date(9999, 12, 31)],
    "times": [time(1, 2), time(5, 6, 7, 8), time(0), time(23, 59, 59, 999_999)],
    "decimals": [Decimal("2.0"), Decimal("-1E+30"), Decimal("2.00"), Decimal("0.1")],
    "lengths": [timedelta(1), timedelta(hours=5), timedelta(-3), timedelta.max],
    "moments": [datetime(2020, 1, 2, 3), datetime(1, 1, 1), datetime(1969, 1, 1), datetime.max],  # noqa: DTZ001, DTZ901
    "uuids": [UUID(int=5), UUID(int=2**128 - 1), UUID(int=0), UUID(int=7)],
    "decimals-and-numbers": [Decimal("2.5"), 2.5, 3, Decimal(3)],
}
ARROW = ["dates", "times", "decimals"]


def cells_of(kind, gap=0):
    """Return twelve cells: each occurs, with some more often than others; perhaps a gap."""
    cells = [CELLS[kind][i] for i in (0, 1, 2, 3, 0, 0, 2, 1, 0, 3, 2, 0)]
    return cells if gap == 0 else [*cells[:6], gap, *cells[7:]]


def column(cells):
    objects = np.empty(len(cells), dtype=object)
    objects[:] = cells
    return objects


def frame(kind, gap=0):
    return pd.DataFrame({"x": pd.Series(column(cells_of(kind, gap)), dtype=object)})


def arrow(kind):
    cells = [Decimal(i) / 4 for i in range(12)] if kind == "decimals" else cells_of(kind)
    cells = [*cells[:5], cells[0], *cells[6:]]
    return pa.table({"x": pa.array(cells)})


ESTIMATORS = [
    OneHotEncoder(),
    OneHotEncoder(min_frequency=3, handle_unknown="infrequent_if_exist"),
    OneHotEncoder(drop="first", sparse_output=False),
    OrdinalEncoder(),
    SimpleImputer(strategy="most_frequent"),
]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
@pytest.mark.parametrize("kind", CELLS)
def test_of_columns(kind, estimator):
    check(estimator, interleaved(frame(kind)))
    check(estimator, interleaved(frame(kind).to_numpy()))


@pytest.mark.parametrize("gap", [None, np.nan], ids=str)
@pytest.mark.parametrize("kind", CELLS)
def test_gaps(kind, gap):
    clients = interleaved(frame(kind, gap))
    check(OrdinalEncoder(), clients)
    check(SimpleImputer(strategy="most_frequent", missing_values=gap), clients)
    check(
        SimpleImputer(strategy="constant", missing_values=gap, fill_value=CELLS[kind][0]), clients
    )
    if gap is None:
        check(MissingIndicator(missing_values=gap), clients)


@pytest.mark.parametrize("kind", CELLS)
def test_given(kind):
    values = sorted(set(CELLS[kind]))
    clients = interleaved(frame(kind))
    check(OneHotEncoder(categories=[values], sparse_output=False), clients)
    check(OneHotEncoder(drop=values[:1], sparse_output=False), clients)
    check(OrdinalEncoder(categories=[values[::-1]]), clients)
    check(SimpleImputer(missing_values=values[0], strategy="most_frequent"), clients)


@pytest.mark.parametrize("kind", CELLS)
@pytest.mark.parametrize("used", [False, True], ids=["fit", "fit_transform"])
def test_target_encoder(kind, used):
    X, y = frame(kind), np.tile([0, 1, 1, 0], 3)
    federation = fedps.Federation([(X[:5], y[:5]), (X[5:], y[5:])])
    encoder = TargetEncoder(random_state=0) if used else TargetEncoder()
    pooled = fit_pooled(encoder, X, y)
    with quiet():
        if used:
            ours, outputs = federation.fit_transform(encoder)
            theirs = TargetEncoder(random_state=0).fit_transform(X, y)
            np.testing.assert_allclose(np.concatenate(outputs), theirs)
        else:
            ours = federation.fit(encoder)
    assert_same_fit(ours, pooled)
    assert_same_transform(ours, pooled, X)


@pytest.mark.parametrize("kind", CELLS)
def test_labels(kind):
    y = column(cells_of(kind))
    clients = [(np.zeros((len(part), 1)), part) for part in (y[:5], y[5:])]
    assert_same_fit(fedps.fit(LabelEncoder(), clients), fit_pooled(LabelEncoder(), y))
    sets = list(pairwise(y))
    clients = [(np.zeros((len(part), 1)), part) for part in (sets[:5], sets[5:])]
    ours = fedps.fit(MultiLabelBinarizer(), clients)
    assert_same_fit(ours, fit_pooled(MultiLabelBinarizer(), sets))


def test_equal_decimals_are_one_category_as_first_seen():
    cells = [Decimal("1.0"), Decimal("1.00"), Decimal(1)]
    for first in range(3):
        rows = column(cells[first:] + cells[:first])[:, None]
        (found,) = fedps.fit(OrdinalEncoder(), [rows[:1], rows[1:2], rows[2:]]).categories_
        (pooled,) = OrdinalEncoder().fit(rows).categories_
        assert list(map(str, found)) == list(map(str, pooled)) == [str(rows[0, 0])]


@pytest.mark.parametrize("estimator", [OneHotEncoder(), OrdinalEncoder()], ids=repr)
@pytest.mark.parametrize("kind", ARROW)
def test_arrow_and_polars(kind, estimator, tmp_path):
    table = arrow(kind)
    check(estimator, interleaved(table.to_pandas(types_mapper=pd.ArrowDtype)))
    check(estimator, interleaved(pl.from_arrow(table)))
    check(estimator, interleaved(pl.from_arrow(table).with_columns(y=pl.lit("a"))))
    paths = [str(tmp_path / f"{i}.parquet") for i in range(2)]
    for path, part in zip(paths, (table[:5], table[5:]), strict=True):
        pq.write_table(part, path)
    pooled = fit_pooled(estimator, table.to_pandas())
    with quiet():
        assert_same_fit(fedps.fit(estimator, paths), pooled)


@pytest.mark.parametrize("kind", ARROW[1:])
def test_imputers_of_arrow(kind):
    check(
        SimpleImputer(strategy="most_frequent"),
        interleaved(arrow(kind).to_pandas(types_mapper=pd.ArrowDtype)),
    )


def test_dates_of_pandas_beside_days_of_polars():
    table = arrow("dates")
    pooled = fit_pooled(OrdinalEncoder(), table.to_pandas())
    ours = fedps.fit(OrdinalEncoder(), [table[:5].to_pandas(), pl.from_arrow(table[5:])])
    assert_same_fit(ours, pooled)


def test_decimals_are_numbers():
    X = frame("decimals").assign(y=frame("dates"))
    model = make_column_transformer((StandardScaler(), ["x"]), (OneHotEncoder(), ["y"]))
    check(model, interleaved(X))


@pytest.mark.parametrize(
    "cell",
    [
        datetime(2020, 1, 1, tzinfo=UTC),
        time(12, tzinfo=UTC),
        Decimal("nan"),
        Decimal("1" * 1001),
        (1, 2),
        pd.Timestamp("2020-01-01"),
    ],
    ids=repr,
)
def test_what_is_not_sent(cell):
    rows = column([cell, cell])[:, None]
    with pytest.raises(fedps.ClientError, match="Python objects which are not sent"):
        fedps.fit(OrdinalEncoder(), [rows[:1], rows[1:]])


def test_two_kinds():
    tables = {name: frame(kind) for name, kind in (("oslo", "dates"), ("bergen", "times"))}
    with pytest.raises(
        fedps.ClientError, match=r"'x' holds dates at client 'oslo' and times of day at"
    ):
        fedps.fit(OrdinalEncoder(), tables)
