"""RobustScaler, QuantileTransformer, KBinsDiscretizer, SplineTransformer and the median."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    KBinsDiscretizer,
    QuantileTransformer,
    RobustScaler,
    SplineTransformer,
)

import fedps
from tests.twins import partitions, shapes, tables
from tests.twins.partitions import EVERY, pool
from tests.twins.twin import check, compare, cross, if_known

MEDIAN = {"strategy": "median"}
QUANTILE = {"strategy": "quantile", "subsample": None, "quantile_method": "linear"}
METHODS = [
    "inverted_cdf",
    "averaged_inverted_cdf",
    "closest_observation",
    "interpolated_inverted_cdf",
    "hazen",
    "weibull",
    "median_unbiased",
    "normal_unbiased",
]

ROBUST = {
    **{
        f"robust-{name}": (RobustScaler(), builder)
        for name, builder in {
            "numbers": tables.numbers,
            "ints": tables.ints,
            "float32": tables.float32_holes,
            "booleans": tables.booleans,
            "constants": tables.constants_holes,
            "empty-column": tables.empty_column,
            "nullable": tables.nullable_numbers,
            "polars": tables.polars_numbers,
            "array": tables.array_holes,
            "array-float16": tables.array_float16,
            "shapes": shapes.shapes_holes,
            "extremes": shapes.extremes,
            "shapes-float32": shapes.float32_shapes,
            "shapes-array": shapes.array_shapes,
            "strings": tables.strings,
        }.items()
    },
    "robust-range": (RobustScaler(quantile_range=(1, 99.5)), shapes.shapes_holes),
    "robust-same": (RobustScaler(quantile_range=(50, 50)), tables.numbers),
    "robust-bad-range": (RobustScaler(quantile_range=(75, 25)), tables.numbers),
    "robust-unit": (RobustScaler(unit_variance=True), shapes.shapes),
    "robust-no-center": (RobustScaler(with_centering=False), tables.numbers),
    "robust-no-scale": (RobustScaler(with_scaling=False), shapes.shapes_holes),
    "robust-neither": (RobustScaler(with_centering=False, with_scaling=False), tables.numbers),
    "robust-csr": (RobustScaler(with_centering=False), shapes.sparse_shapes_holes),
    "robust-csr-center": (RobustScaler(), shapes.sparse_shapes),
    "robust-pandas-out": (RobustScaler().set_output(transform="pandas"), tables.numbers),
}
MEDIANS = {
    **{
        f"median-{name}": (SimpleImputer(**MEDIAN), builder)
        for name, builder in {
            "numbers": tables.numbers,
            "ints": tables.ints,
            "float32": tables.float32_holes,
            "empty-column": tables.empty_column,
            "nullable": tables.nullable_numbers,
            "shapes": shapes.shapes_holes,
            "csr": shapes.sparse_shapes_holes,
            "strings": tables.strings,
        }.items()
    },
    "median-keep": (SimpleImputer(keep_empty_features=True, **MEDIAN), tables.empty_column),
    "median-indicator": (SimpleImputer(add_indicator=True, **MEDIAN), tables.numbers),
    "median-marker": (SimpleImputer(missing_values=0, **MEDIAN), tables.array_ints),
    "median-marker-holes": (SimpleImputer(missing_values=0, **MEDIAN), tables.numbers),
}
TRANSFORMS = {
    **{
        f"qt-{name}": (QuantileTransformer(n_quantiles=50, subsample=None), builder)
        for name, builder in {
            "numbers": tables.numbers,
            "float32": tables.float32_holes,
            "shapes": shapes.shapes_holes,
            "extremes": shapes.extremes,
            "empty-column": tables.empty_column,
            "csr": shapes.sparse_shapes,
            "csr-holes": shapes.sparse_shapes_holes,
            "csr-negative": tables.csr,
        }.items()
    },
    "qt-default": (QuantileTransformer(), shapes.shapes_holes),
    "qt-normal": (QuantileTransformer(output_distribution="normal"), shapes.shapes),
    "qt-stored": (
        QuantileTransformer(n_quantiles=20, ignore_implicit_zeros=True),
        shapes.sparse_shapes,
    ),
    "qt-stored-dense": (
        QuantileTransformer(n_quantiles=20, ignore_implicit_zeros=True),
        tables.numbers,
    ),
    "qt-drawn": (QuantileTransformer(n_quantiles=30, subsample=60, random_state=3), tables.numbers),
    "qt-drawn-shapes": (
        QuantileTransformer(n_quantiles=30, subsample=700, random_state=4),
        shapes.shapes_holes,
    ),
    "qt-one": (QuantileTransformer(n_quantiles=1, subsample=None), tables.numbers),
    "qt-more-than-drawn": (QuantileTransformer(n_quantiles=100, subsample=50), tables.numbers),
}
BINS = {
    **{
        f"bins-{method}": (
            KBinsDiscretizer(
                7, encode="ordinal", strategy="quantile", quantile_method=method, subsample=None
            ),
            shapes.shapes,
        )
        for method in METHODS
    },
    "bins-linear": (KBinsDiscretizer(encode="ordinal", **QUANTILE), shapes.shapes),
    "bins-onehot": (KBinsDiscretizer(3, encode="onehot", **QUANTILE), tables.plain_numbers),
    "bins-dense": (KBinsDiscretizer(3, encode="onehot-dense", **QUANTILE), tables.ints),
    "bins-per-column": (KBinsDiscretizer([2, 3, 4, 5], **QUANTILE), tables.plain_numbers),
    "bins-too-few": (KBinsDiscretizer([2, 3], **QUANTILE), tables.plain_numbers),
    "bins-float32": (KBinsDiscretizer(**QUANTILE), shapes.float32_shapes),
    "bins-as-float32": (KBinsDiscretizer(dtype=np.float32, **QUANTILE), tables.plain_numbers),
    "bins-ties": (KBinsDiscretizer(12, encode="ordinal", **QUANTILE), shapes.sparse_like),
    "bins-constants": (KBinsDiscretizer(**QUANTILE), tables.constants),
    "bins-holes": (KBinsDiscretizer(**QUANTILE), tables.numbers),
    "bins-drawn": (
        KBinsDiscretizer(
            5, strategy="quantile", quantile_method="linear", subsample=500, random_state=1
        ),
        shapes.shapes,
    ),
    "bins-uniform": (KBinsDiscretizer(strategy="uniform", subsample=None), shapes.shapes),
    "bins-uniform-float32": (KBinsDiscretizer(strategy="uniform"), shapes.float32_shapes),
    "bins-uniform-drawn": (
        KBinsDiscretizer(4, strategy="uniform", subsample=30, random_state=5),
        tables.plain_numbers,
    ),
    "bins-uniform-holes": (KBinsDiscretizer(strategy="uniform"), tables.numbers),
    "bins-uniform-pandas-out": (
        KBinsDiscretizer(strategy="uniform", encode="ordinal").set_output(transform="pandas"),
        tables.ints,
    ),
}
SPLINES = {
    "spline": (SplineTransformer(), tables.plain_numbers),
    "spline-ints": (SplineTransformer(degree=2, n_knots=4), tables.ints),
    "spline-float32": (SplineTransformer(), shapes.float32_shapes),
    "spline-holes": (SplineTransformer(), tables.numbers),
    "spline-constants": (SplineTransformer(), tables.constants),
    **{
        f"spline-{name}": (SplineTransformer(knots="quantile", extrapolation=name), shapes.wide)
        for name in ("error", "constant", "linear", "continue", "periodic")
    },
    "spline-sparse": (SplineTransformer(knots="quantile", sparse_output=True), shapes.wide),
    "spline-no-bias": (SplineTransformer(include_bias=False, order="F"), tables.plain_numbers),
    "spline-given": (
        SplineTransformer(knots=np.linspace([-9.0] * 4, [900.0] * 4, 5)),
        tables.plain_numbers,
    ),
    "spline-given-bad": (SplineTransformer(knots=np.ones((5, 4))), tables.plain_numbers),
    "spline-zeros": (if_known(SplineTransformer, handle_missing="zeros"), tables.numbers),
    "spline-quantile-zeros": (
        if_known(SplineTransformer, knots="quantile", handle_missing="zeros"),
        tables.empty_column,
    ),
    "spline-short-period": (
        SplineTransformer(3, degree=3, extrapolation="periodic"),
        tables.plain_numbers,
    ),
}
SETTINGS = ROBUST | MEDIANS | TRANSFORMS | BINS | SPLINES
CORE = {name: SETTINGS[name] for name in ("robust-shapes", "median-shapes", "bins-linear")}
HOSTILE = [partitions.empty_first, partitions.shuffled_columns, partitions.sorted_rows]


@pytest.mark.parametrize(
    ("estimator", "builder", "partition"), [*cross(SETTINGS, *HOSTILE), *cross(CORE, *EVERY)]
)
def test_equal_to_pooled(estimator, builder, partition):
    check(estimator, partition(builder()))


FREELY = {"min_count": 0, "budget": None}
POLICIES = {
    "coarse bins": fedps.Policy(min_rows=0, max_share=0.05, **FREELY),
    "slices of one value": fedps.Policy(level="AGGREGATE", min_rows=0, **FREELY),
    "one shows only slices": {"client 2": fedps.Policy(level="AGGREGATE", min_rows=0, **FREELY)},
}
UNDER_POLICIES = {
    "robust": (RobustScaler(), shapes.shapes_holes),
    "robust-extremes": (RobustScaler(quantile_range=(0, 100)), shapes.extremes),
    "median-float32": (SimpleImputer(**MEDIAN), shapes.float32_shapes),
    "median-marker": (SimpleImputer(missing_values=0, **MEDIAN), shapes.shapes),
    "qt": (QuantileTransformer(n_quantiles=11, subsample=None), shapes.shapes_holes),
    "bins": (KBinsDiscretizer(4, encode="ordinal", **QUANTILE), shapes.shapes),
    "stored": (
        QuantileTransformer(n_quantiles=9, ignore_implicit_zeros=True),
        shapes.sparse_shapes,
    ),
}


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("name", UNDER_POLICIES)
def test_equal_whatever_the_policy_shows(name, policy):
    estimator, builder = UNDER_POLICIES[name]
    clients = partitions.thirds(builder())
    federation = fedps.Federation(clients, policy=POLICIES[policy])
    table = pool(clients)
    compare(estimator, federation, table, rows=[table])


def test_zeros_and_the_numbers_next_to_them():
    rng = tables.random(41)
    table = rng.choice([-1e300, -5e-324, -0.0, 0.0, 5e-324, 1.0], (900, 3))
    for policy in POLICIES.values():
        federation = fedps.Federation(partitions.thirds(table), policy=policy)
        compare(RobustScaler(quantile_range=(40, 60)), federation, table, rows=[])


def test_a_pipeline_of_quantiles():
    table = shapes.shapes_holes()
    estimator = make_pipeline(
        SimpleImputer(**MEDIAN),
        RobustScaler(),
        make_column_transformer(
            (QuantileTransformer(n_quantiles=40, subsample=None), [0, 1, 2]),
            (KBinsDiscretizer(4, **QUANTILE), [3, 4]),
            remainder=SplineTransformer(knots="quantile"),
        ),
    )
    check(estimator, partitions.ten_unequal(table))


def test_a_random_state_draws_the_same_rows_and_stays_as_it_was():
    table = shapes.shapes_holes()
    estimator = QuantileTransformer(
        n_quantiles=30, subsample=400, random_state=np.random.RandomState(4)
    )
    pooled = clone(estimator).fit(table)
    for _ in range(2):
        ours = fedps.fit(estimator, partitions.thirds(table))
        np.testing.assert_array_equal(ours.quantiles_, pooled.quantiles_)


def test_rows_drawn_from_files(tmp_path):
    clients = [part.reset_index(drop=True) for part in partitions.thirds(shapes.shapes_holes())]
    paths = []
    for i, client in enumerate(clients):
        paths.append(tmp_path / f"{i}.parquet")
        client.to_parquet(paths[-1], row_group_size=100)
    estimator = QuantileTransformer(n_quantiles=30, subsample=400, random_state=7)
    table = pd.concat(clients, ignore_index=True)
    compare(estimator, fedps.Federation(list(map(str, paths))), table, rows=[table])


@pytest.mark.parametrize(
    ("estimator", "rounds"),
    [
        (RobustScaler(), 2),
        (QuantileTransformer(subsample=None), 2),
        (QuantileTransformer(subsample=1000, random_state=0), 2),
        (KBinsDiscretizer(**QUANTILE), 2),
        (make_pipeline(SimpleImputer(**MEDIAN), RobustScaler()), 4),
    ],
    ids=["robust", "qt", "qt-drawn", "bins", "pipeline"],
)
def test_at_most_two_rounds_for_continuous_columns(estimator, rounds):
    rng = tables.random(40)
    columns = [rng.normal(size=9000), rng.lognormal(size=9000), rng.standard_cauchy(9000)]
    table = pd.DataFrame(np.transpose(columns), columns=list("abc"))
    federation = fedps.Federation(partitions.thirds(table))
    federation.fit(estimator)
    assert federation.run.rounds <= rounds
