"""MaxAbsScaler, MinMaxScaler and StandardScaler across clients, and pooled."""

import numpy as np
import pandas as pd
import pytest
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler

import fedps
from tests.twins import partitions, tables
from tests.twins.compare import FLOAT32, assert_same_fit, assert_same_transform
from tests.twins.partitions import EVERY, FEW, pool
from tests.twins.quiet import quiet
from tests.twins.twin import check, cross, fit_pooled, if_known, without

ANY_NUMBERS = {
    "numbers": tables.numbers,
    "ints": tables.ints,
    "float32": tables.float32_holes,
    "booleans": tables.booleans,
    "offset": tables.offset_holes,
    "constants": tables.constants,
    "wide": tables.wide_scales,
    "empty-column": tables.empty_column,
    "nullable": tables.nullable_numbers,
    "arrow": tables.arrow_numbers,
    "polars": tables.polars_numbers,
    "polars-float32": tables.polars_float32,
    "array": tables.array_holes,
    "array-ints": tables.array_ints,
    "array-float32": tables.array_float32,
    "array-float16": tables.array_float16,
    "array-booleans": tables.array_booleans,
    "fortran": tables.fortran,
}

CORE = {
    name: (StandardScaler(), ANY_NUMBERS[name])
    for name in ("numbers", "ints", "float32", "offset", "nullable", "polars", "array")
}
STANDARD = {
    **{name: (StandardScaler(), builder) for name, builder in ANY_NUMBERS.items()},
    "plain": (StandardScaler(), tables.plain_numbers),
    "offset-plain": (StandardScaler(), tables.offset),
    "constants-holes": (StandardScaler(), tables.constants_holes),
    "no-mean": (StandardScaler(with_mean=False), tables.numbers),
    "no-std": (StandardScaler(with_std=False), tables.numbers),
    "neither": (StandardScaler(with_mean=False, with_std=False), tables.numbers),
    "neither-plain": (StandardScaler(with_mean=False, with_std=False), tables.plain_numbers),
    "no-copy": (StandardScaler(copy=False), tables.ints),
    "no-std-offset": (StandardScaler(with_std=False), tables.offset),
    "no-mean-float32": (StandardScaler(with_mean=False), tables.array_float32_holes),
    "csr": (StandardScaler(with_mean=False), tables.csr),
    "csr-array": (StandardScaler(with_mean=False), tables.csr_array),
    "csr-holes": (StandardScaler(with_mean=False), tables.csr_holes),
    "csr-float32": (StandardScaler(with_mean=False), tables.csr_float32),
    "csc": (StandardScaler(with_mean=False), tables.csc),
    "csc-holes": (StandardScaler(with_mean=False), tables.csc_holes),
    "csr-neither": (StandardScaler(with_mean=False, with_std=False), tables.csr),
    "csr-with-mean": (StandardScaler(), tables.csr),
    "strings": (StandardScaler(), tables.strings),
    "pandas-out": (StandardScaler().set_output(transform="pandas"), tables.numbers),
    "polars-out": (StandardScaler().set_output(transform="polars"), tables.polars_numbers),
}

MIN_MAX = {
    **{f"minmax-{name}": (MinMaxScaler(), builder) for name, builder in ANY_NUMBERS.items()},
    "minmax-range": (MinMaxScaler((-1, 1)), tables.numbers),
    "minmax-range-floats": (MinMaxScaler((0.1, 0.7)), tables.wide_scales),
    "minmax-range-constants": (MinMaxScaler((2, 5)), tables.constants_holes),
    "minmax-clip": (MinMaxScaler(clip=True), tables.numbers),
    "minmax-clip-range": (MinMaxScaler((-3, -2), clip=True), tables.ints),
    "minmax-no-copy": (MinMaxScaler(copy=False), tables.plain_numbers),
    "minmax-sparse": (MinMaxScaler(), tables.csr),
    "minmax-bad-range": (MinMaxScaler((1, 0)), tables.numbers),
    "minmax-strings": (MinMaxScaler(), tables.strings),
    "minmax-pandas-out": (MinMaxScaler().set_output(transform="pandas"), tables.numbers),
}

MAX_ABS = {
    **{f"maxabs-{name}": (MaxAbsScaler(), builder) for name, builder in ANY_NUMBERS.items()},
    "maxabs-no-copy": (MaxAbsScaler(copy=False), tables.plain_numbers),
    "maxabs-clip": (if_known(MaxAbsScaler, clip=True), tables.numbers),
    "maxabs-csr": (MaxAbsScaler(), tables.csr),
    "maxabs-csr-holes": (MaxAbsScaler(), tables.csr_holes),
    "maxabs-csr-float32": (MaxAbsScaler(), tables.csr_float32),
    "maxabs-csc": (MaxAbsScaler(), tables.csc),
    "maxabs-strings": (MaxAbsScaler(), tables.strings),
}


def tolerance(name):
    return FLOAT32 if name.endswith("float32") else 1e-12


@pytest.mark.parametrize(
    ("estimator", "builder", "partition"),
    [*cross(CORE, *EVERY), *cross(without(STANDARD, CORE), *FEW[1:], partitions.missing_at_one)],
)
def test_standard_scaler(estimator, builder, partition):
    check(estimator, partition(builder()))


@pytest.mark.parametrize(
    ("estimator", "builder", "partition"),
    cross(
        MIN_MAX | MAX_ABS,
        partitions.empty_first,
        partitions.shuffled_columns,
        partitions.missing_at_one,
    ),
)
def test_extreme_scalers(estimator, builder, partition):
    check(estimator, partition(builder()))


# Clients whose columns have different dtypes ---------------------------------------------------

PAIRS = {
    "int-float": (np.int64, np.float64),
    "int32-int64": (np.int32, np.int64),
    "uint8-int8": (np.uint8, np.int8),
    "float32-float64": (np.float32, np.float64),
    "int16-float32": (np.int16, np.float32),
    "int64-float32": (np.int64, np.float32),
}


@pytest.mark.parametrize("kind", [pd.DataFrame, np.asarray], ids=["pandas", "numpy"])
@pytest.mark.parametrize("estimator", [StandardScaler(), MinMaxScaler(), MaxAbsScaler()], ids=repr)
@pytest.mark.parametrize("pair", PAIRS)
def test_dtypes_differ_between_clients(pair, estimator, kind):
    values = tables.random(1).integers(0, 50, (40, 2))
    first, second = PAIRS[pair]
    parts = [values[:15].astype(first), values[15:].astype(second)]
    if np.issubdtype(second, np.floating):
        parts[1][3, 0] = np.nan
    check(estimator, [kind(part) for part in parts])
    check(estimator, [kind(part) for part in parts[::-1]])


# Weights ----------------------------------------------------------------------------------------

WEIGHTS = {
    "whole": lambda rng, n: rng.integers(0, 4, n),
    "shares": lambda rng, n: rng.random(n),
    "tiny": lambda rng, n: rng.random(n) * 1e-9,
    "zeros": lambda rng, n: np.where(np.arange(n) < n // 3, 0.0, 1.5),
    "ones": lambda rng, n: np.ones(n),
}
WEIGHTED = {
    "numbers": (StandardScaler(), tables.numbers),
    "plain": (StandardScaler(), tables.plain_numbers),
    "offset": (StandardScaler(), tables.offset_holes),
    "ints": (StandardScaler(), tables.ints),
    "float32": (StandardScaler(), tables.float32_holes),
    "constants": (StandardScaler(), tables.constants),
    "no-mean": (StandardScaler(with_mean=False), tables.numbers),
    "no-std": (StandardScaler(with_std=False), tables.numbers),
    "neither": (StandardScaler(with_mean=False, with_std=False), tables.numbers),
}


@pytest.mark.parametrize(
    "partition",
    [partitions.empty_first, partitions.shuffled_columns],
    ids=lambda partition: partition.__name__,
)
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("name", WEIGHTED)
def test_weights(name, weights, partition):
    estimator, builder = WEIGHTED[name]
    table = builder()
    table.insert(1, "weight", WEIGHTS[weights](tables.random(21), len(table)))
    clients = partition(table)
    pooled_rows = pool(clients)
    X = pooled_rows.drop(columns="weight")
    pooled = fit_pooled(estimator, X, sample_weight=pooled_rows["weight"].to_numpy())
    with quiet():
        ours = fedps.Federation(clients).fit(estimator, sample_weight="weight")
    assert_same_fit(ours, pooled, rtol=tolerance(name))
    assert_same_transform(ours, pooled, X, rtol=tolerance(name))
