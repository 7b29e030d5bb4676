"""Random tables, partitions and parameters of what needs quantiles, powers or the target."""

import warnings

import numpy as np
import pandas as pd
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    KBinsDiscretizer,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    SplineTransformer,
    TargetEncoder,
)

import fedps
from tests.twins.compare import assert_same_fit
from tests.twins.partitions import pool
from tests.twins.quiet import quiet
from tests.twins.rows.kmeans_bins import PATHS, check_kmeans, kmeans
from tests.twins.rows.power import check_power
from tests.twins.rows.random_tables import (
    IMPUTERS,
    SCALERS,
    category_frame,
    clients_of,
    number_frame,
    size,
)
from tests.twins.twin import RAISED, check, compare, if_known

FEW = settings(max_examples=25)
CLOSED = fedps.Policy(min_rows=0, max_share=0.0, min_count=0, budget=None)
SEEDS = st.integers(0, 5)


def if_all_known(kind, **params):
    """Draw an estimator, without the parameters that this scikit-learn does not have."""
    known = {name: value for name, value in params.items() if if_known(kind, **{name: 0})}
    return st.builds(kind, **known)


PERCENTS = st.tuples(st.floats(0, 50), st.floats(50, 100))
ROBUST = st.builds(
    RobustScaler,
    with_centering=st.booleans(),
    with_scaling=st.booleans(),
    quantile_range=PERCENTS,
    unit_variance=st.booleans(),
)
QUANTILES = st.builds(
    QuantileTransformer,
    n_quantiles=st.integers(1, 8),
    output_distribution=st.sampled_from(["uniform", "normal"]),
    subsample=st.none() | st.integers(8, 20),
    random_state=SEEDS,
)
METHODS = ["linear", "averaged_inverted_cdf", "inverted_cdf", "hazen", "weibull"]
BINS = st.builds(
    KBinsDiscretizer,
    n_bins=st.integers(2, 6),
    encode=st.sampled_from(["onehot", "onehot-dense", "ordinal"]),
    strategy=st.sampled_from(["uniform", "quantile"]),
    quantile_method=st.sampled_from(METHODS),
    subsample=st.none() | st.integers(5, 30),
    random_state=SEEDS,
)
SPLINES = if_all_known(
    SplineTransformer,
    n_knots=st.integers(2, 5),
    degree=st.integers(0, 3),
    knots=st.sampled_from(["uniform", "quantile"]),
    extrapolation=st.sampled_from(["error", "constant", "linear", "continue", "periodic"]),
    include_bias=st.booleans(),
    handle_missing=st.sampled_from(["error", "zeros"]),
)
POWERS = st.builds(
    PowerTransformer,
    method=st.sampled_from(["yeo-johnson", "box-cox"]),
    standardize=st.booleans(),
)


def check_closed(estimator, clients):
    """Compare as ``check`` does, with clients that show no single value."""
    table = pool(clients)
    federation = fedps.Federation(clients, policy=CLOSED)
    compare(estimator, federation, table, None, rows=[table])


@given(clients=clients_of(number_frame()), estimator=ROBUST | QUANTILES)
def test_quantiles(clients, estimator):
    check(estimator, clients)


@FEW
@given(
    clients=clients_of(number_frame()),
    estimator=ROBUST | st.builds(QuantileTransformer, n_quantiles=st.integers(1, 8)),
)
def test_quantiles_from_counts(clients, estimator):
    check_closed(estimator, clients)


@FEW
@given(
    clients=clients_of(number_frame(holes=False)),
    estimator=st.builds(
        QuantileTransformer,
        n_quantiles=st.integers(1, 8),
        ignore_implicit_zeros=st.booleans(),
        subsample=st.none(),
    )
    | st.builds(RobustScaler, with_centering=st.just(False), quantile_range=PERCENTS),
    kind=st.sampled_from([sp.csr_matrix, sp.csc_matrix, sp.csr_array]),
)
def test_quantiles_of_sparse(clients, estimator, kind):
    first = list(clients[0].columns)
    check(estimator, [kind(part[first].to_numpy()) for part in clients])


@given(clients=clients_of(number_frame(holes=False)), estimator=BINS | SPLINES)
def test_bins_and_splines(clients, estimator):
    check(estimator, clients)


@FEW
@given(clients=clients_of(number_frame()), estimator=BINS | SPLINES)
def test_bins_and_splines_of_gaps(clients, estimator):
    check(estimator, clients)


@FEW
@given(
    clients=clients_of(number_frame(holes=False)),
    bins=st.integers(2, 6),
    path=st.sampled_from([*PATHS]),
)
def test_kmeans(clients, bins, path):
    if min(pool(clients).nunique()) >= bins:  # otherwise rounding decides there: see lloyd.py
        check_kmeans(kmeans(bins), clients, path)


@FEW
@given(
    clients=clients_of(number_frame()), estimator=POWERS, path=st.sampled_from(["table", "sums"])
)
def test_powers(clients, estimator, path):
    check_power(estimator, clients, path)


# Sums of eighths are exact, so both impute the same bits.
@given(
    clients=clients_of(number_frame(plain=True)),
    imputer=IMPUTERS,
    second=ROBUST | QUANTILES | BINS | SCALERS,
)
def test_chains(clients, imputer, second):
    check(make_pipeline(imputer, second), clients, scale=size(clients))


# The target -------------------------------------------------------------------------------------

TARGETS = [
    st.sampled_from(["no", "yes"]),
    st.sampled_from(["low", "mid", "top"]),
    st.integers(-400, 400).map(lambda k: k / 8),
    st.integers(0, 3),
]


@st.composite
def with_target(draw):
    table = draw(category_frame())
    cell = draw(st.sampled_from(TARGETS))
    y = draw(st.lists(cell, min_size=len(table), max_size=len(table)))
    return table.assign(y=pd.Series(y, dtype=object if isinstance(y[0], str) else None))


@given(
    clients=clients_of(with_target()),
    smooth=st.sampled_from(["auto", 0.0, 2.5]),
    cv=st.integers(2, 4),
)
def test_target_encoder(clients, smooth, cv):
    encoder = TargetEncoder(smooth=smooth, cv=cv, random_state=3)
    clients = [part[[c for c in part if c != "y"] + ["y"]] for part in clients]
    with quiet(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "`TargetEncoder.shuffle`", FutureWarning)
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        check_encoder(encoder, clients)


def check_encoder(encoder, clients):
    table = pool(clients)
    X, y = table.drop(columns="y"), table["y"]
    federation = fedps.Federation(clients, target="y")
    pooled = clone(encoder)
    try:
        expected = pooled.fit_transform(X, y)
    except (ValueError, IndexError, TypeError) as error:
        try:
            federation.fit_transform(encoder)
        except (*RAISED, type(error)):
            return
        raise AssertionError(f"pooled raises {error!r}") from error
    ours, outputs = federation.fit_transform(encoder)
    assert_same_fit(ours, pooled)
    found = np.concatenate(outputs)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12 * np.abs(expected).max())
