"""Quantiles under policies that keep cells back: near those of the pooled rows, and within stated bounds."""

import numpy as np
import pandas as pd
import pytest
from msgspec import structs
from scipy import sparse
from sklearn.base import clone
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import (
    KBinsDiscretizer,
    QuantileTransformer,
    RobustScaler,
    SplineTransformer,
)

import fedps
from fedps.plans.rows import bins, imputers, quantile_transforms
from fedps.plans.shared import quantiles
from tests.twins import partitions, shapes, tables

QUANTILE = {"strategy": "quantile", "quantile_method": "linear"}
AGGREGATE = fedps.Policy(level="AGGREGATE")
STRICT = structs.replace(fedps.Policy.preset("strict"), min_clients=1)
POLICIES = {
    "AGGREGATE": AGGREGATE,
    "strict": STRICT,
    "one of them": {"client 2": AGGREGATE},
    "no values": fedps.Policy(max_share=0.0),
    "few values": fedps.Policy(max_share=0.02),
    "the default": fedps.Policy(),
    "mixed": {"client 1": fedps.Policy(max_share=0.02), "client 3": AGGREGATE},
}
ESTIMATORS = {
    "robust": (RobustScaler(), shapes.shapes_holes),
    "robust-extremes": (RobustScaler(quantile_range=(0, 100)), shapes.extremes),
    "median-float32": (SimpleImputer(strategy="median"), shapes.float32_shapes),
    "median-marker": (SimpleImputer(missing_values=0, strategy="median"), shapes.shapes),
    "qt": (QuantileTransformer(n_quantiles=50, subsample=None), shapes.shapes_holes),
    "qt-sample": (
        QuantileTransformer(n_quantiles=20, subsample=500, random_state=0),
        shapes.shapes_holes,
    ),
    "bins": (KBinsDiscretizer(4, encode="ordinal", **QUANTILE), shapes.shapes),
    "spline": (SplineTransformer(knots="quantile"), shapes.shapes),
    "stored": (
        QuantileTransformer(n_quantiles=9, ignore_implicit_zeros=True),
        shapes.sparse_shapes,
    ),
}


def rows_of(table, column, estimator):
    """Return the sorted cells of one column that quantiles are taken of."""
    if sparse.issparse(table):
        cells = table.tocsc()[:, [column]]
        cells = (
            cells.data if getattr(estimator, "ignore_implicit_zeros", False) else cells.toarray()
        )
    else:
        cells = np.asarray(table, dtype=np.float64)[:, column]
    cells = np.ravel(cells)
    marker = getattr(estimator, "missing_values", np.nan)
    return np.sort(cells[~np.isnan(cells) & ~(cells == marker)]) + 0.0


@pytest.fixture
def found(monkeypatch):
    """Return the order statistics that fits find, with their bounds."""
    kept = []

    def order_statistics(*args, **more):
        columns = yield from quantiles.order_statistics(*args, **more)
        kept.append(columns)
        return columns

    for module in (bins, imputers, quantile_transforms):
        monkeypatch.setattr(module, "order_statistics", order_statistics)
    return kept


@pytest.mark.filterwarnings("ignore:Bins whose width are too small", "ignore:overflow encountered")
@pytest.mark.parametrize("partition", [partitions.thirds, partitions.sorted_rows])
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("name", ESTIMATORS)
def test_pooled_quantiles_are_within_the_bounds(found, name, policy, partition):
    estimator, builder = ESTIMATORS[name]
    table = builder()
    clients = partition(table)
    federation = fedps.Federation(clients, policy=POLICIES[policy])
    federation.fit(clone(estimator))
    (columns,) = found
    if name != "qt-sample":
        _check_bounds(columns, partitions.pool(clients), estimator)
    inexact = [(column.lower < column.upper).any() for column in columns]
    said = [one.bound for one in federation.run.limitations]
    assert any("ranks off" in bound for bound in said) == any(inexact)
    assert "not known" not in said


def _check_bounds(columns, table, estimator):
    for j, column in enumerate(columns):
        cells = rows_of(table, j, estimator)
        assert column.count == cells.size
        exact = cells[column.ranks]
        assert (column.lower <= exact).all()
        assert (exact <= column.upper).all()
        assert np.isfinite(column.values).all()
        assert (column.lower <= column.values).all()
        assert (column.values <= column.upper).all()
        assert (np.diff(column.values) >= 0).all()


def normal(rows=1000, clients=3):
    rng = tables.random(5)
    columns = {
        "age": rng.normal(50, 15, rows * clients),
        "income": rng.lognormal(10, 1, rows * clients),
    }
    table = pd.DataFrame(columns)
    return table, partitions.thirds(table)


@pytest.mark.parametrize("policy", [AGGREGATE, STRICT], ids=["level", "strict"])
def test_near_the_pooled_ones(policy):
    table, clients = normal()
    federation = fedps.Federation(clients, policy=policy)

    def both(estimator):
        ours = federation.fit(clone(estimator))
        assert federation.run.rounds == 2
        return ours, clone(estimator).fit(table)

    ours, pooled = both(RobustScaler())
    np.testing.assert_allclose(ours.center_, pooled.center_, rtol=0.02)
    np.testing.assert_allclose(ours.scale_, pooled.scale_, rtol=0.04)
    ours, pooled = both(SimpleImputer(strategy="median"))
    np.testing.assert_allclose(ours.statistics_, pooled.statistics_, rtol=0.02)
    ours, pooled = both(QuantileTransformer(n_quantiles=100))
    assert np.abs(ours.transform(table) - pooled.transform(table)).max() < 0.02
    ours, pooled = both(KBinsDiscretizer(5, encode="ordinal", **QUANTILE))
    assert (ours.transform(table) == pooled.transform(table)).mean() > 0.98
    ours, pooled = both(SplineTransformer(knots="quantile"))
    inner = [spline.t[4:-4] for spline in ours.bsplines_], [s.t[4:-4] for s in pooled.bsplines_]
    np.testing.assert_allclose(*inner, rtol=0.05)


def test_the_default_policy_keeps_quartiles_exact():
    table, clients = normal()
    federation = fedps.Federation(clients, policy=fedps.Policy())
    ours, pooled = federation.fit(RobustScaler()), RobustScaler().fit(table)
    np.testing.assert_array_equal(ours.center_, pooled.center_)
    np.testing.assert_array_equal(ours.scale_, pooled.scale_)


def test_constant_columns_and_frequent_values_are_exact():
    rng = tables.random(6)
    table = pd.DataFrame({"same": np.full(300, 5.0), "few": rng.integers(0, 4, 300).astype(float)})
    federation = fedps.Federation(partitions.thirds(table), policy=AGGREGATE)
    ours, pooled = federation.fit(RobustScaler()), RobustScaler().fit(table)
    np.testing.assert_array_equal(ours.center_, pooled.center_)
    np.testing.assert_array_equal(ours.scale_, pooled.scale_)
    assert {one.bound for one in federation.run.limitations} <= {"none: the result is exact"}


@pytest.mark.parametrize("rows", [10, 19, 20, 40])
def test_few_rows_still_have_a_scale(rows):
    """Of columns with too few cells to cut, quantiles come from where most of them are."""
    rng = tables.random(rows)
    table = pd.DataFrame({"x": rng.normal(50, 15, rows)})
    federation = fedps.Federation({"one": table}, policy=AGGREGATE)
    ours = federation.fit(RobustScaler())
    assert ours.scale_[0] > 0
    assert 0 < ours.center_[0] < 150
    (limitation,) = federation.run.limitations
    assert f"of {rows} ranks off" in limitation.bound


# Attack 9: from the public API alone


@pytest.mark.parametrize("policy", [AGGREGATE, STRICT], ids=["level", "strict"])
def test_quantiles_are_not_salaries(policy):
    rng = tables.random(9)
    salaries = pd.DataFrame({"salary": rng.lognormal(10.5, 0.6, 300).round(2)})
    federation = fedps.Federation({"firm": salaries}, policy=policy)
    with pytest.warns(UserWarning, match="n_quantiles"):
        ours = federation.fit(QuantileTransformer(subsample=None))
    assert ours.quantiles_.shape == (300, 1)
    shared = np.isin(ours.quantiles_[:, 0], salaries["salary"]).mean()
    assert shared <= 0.01
    near = np.abs(ours.quantiles_[:, 0] - np.sort(salaries["salary"])) < 0.5
    assert near.mean() <= 0.03
