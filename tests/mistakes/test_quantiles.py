"""Mistakes with what needs quantiles, bins or the shape of a distribution."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import (
    KBinsDiscretizer,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    SplineTransformer,
)

import fedps
from tests.mistakes.mistake import NAME, NUMBER, federation, on, told

EXACT, KLL, REQ = "exact", fedps.KLL(seed=0), fedps.REQ(seed=0)
BINS = [KBinsDiscretizer(3, strategy=strategy) for strategy in ("uniform", "quantile", "kmeans")]
SPLINES = [
    SplineTransformer(),
    SplineTransformer(knots="quantile"),
    SplineTransformer(knots=[[0.0], [1.0], [2.0]]),
]
BY_QUANTILES = [
    RobustScaler(),
    QuantileTransformer(n_quantiles=3),
    KBinsDiscretizer(3),
    SplineTransformer(knots="quantile"),
    SimpleImputer(strategy="median"),
]
OTHERS = [
    PowerTransformer(),
    PowerTransformer("box-cox"),
    KBinsDiscretizer(3, strategy="kmeans"),
    KBinsDiscretizer(3, strategy="uniform"),
    SplineTransformer(),
]
EVERY = [
    *((estimator, how) for estimator in BY_QUANTILES for how in (EXACT, KLL, REQ)),
    *((estimator, EXACT) for estimator in OTHERS),
]


def statistic_of(estimator, how):
    """The name of what is asked first."""
    if how != EXACT:
        return type(how).__name__
    uniform = "uniform" in (getattr(estimator, "strategy", ""), getattr(estimator, "knots", ""))
    return "Extremes" if uniform else "Spread"


# Cells


@pytest.mark.parametrize("estimator", [*BINS, *SPLINES], ids=repr)
def test_missing_values_in_bins_and_splines(estimator):
    with told(
        fedps.ClientError,
        "client 'bergen' has missing values in column 'age', which this estimator does not accept. "
        "Impute them first, for instance with SimpleImputer in a Pipeline.",
    ):
        federation(age=[30.0, np.nan, NUMBER]).fit(on(["age"], estimator))


@pytest.mark.parametrize("sketch", [KLL, REQ], ids=["KLL", "REQ"])
@pytest.mark.parametrize("estimator", [BINS[1], SPLINES[1]], ids=repr)
def test_missing_values_in_sketches_of_bins_and_splines(estimator, sketch):
    with told(
        fedps.ClientError,
        "client 'bergen' has missing values in column 'age', which this estimator does not accept. "
        "Impute them first, for instance with SimpleImputer in a Pipeline.",
    ):
        federation(age=[30.0, np.nan, NUMBER]).fit(on(["age"], estimator), quantiles=sketch)


@pytest.mark.parametrize(("estimator", "how"), EVERY, ids=repr)
def test_text(estimator, how):
    with told(
        fedps.ClientError,
        "clients 'oslo' and 'bergen' have cells in column 'city' that are not numbers, so "
        f"{statistic_of(estimator, how)} cannot be computed. Clean the column there, encode it as "
        "categories, or leave it out.",
    ):
        federation().fit(on(["city"], estimator), quantiles=how)


@pytest.mark.parametrize(("estimator", "how"), EVERY, ids=repr)
def test_one_word_among_numbers(estimator, how):
    with told(
        fedps.ClientError,
        "client 'bergen' has cells in column 'age' that are not numbers, so "
        f"{statistic_of(estimator, how)} cannot be computed. Clean the column there, encode it as "
        "categories, or leave it out.",
    ):
        federation(age=[30.0, NAME, NUMBER]).fit(on(["age"], estimator), quantiles=how)


@pytest.mark.parametrize(("estimator", "how"), EVERY, ids=repr)
@pytest.mark.parametrize("infinity", [np.inf, -np.inf], ids=["inf", "-inf"])
def test_infinity(estimator, how, infinity):
    if infinity < 0 and getattr(estimator, "method", "") == "box-cox":
        return  # not positive: see below
    with told(
        fedps.ClientError,
        "client 'bergen' has an infinite or too large number in column 'age'. Replace it there with a "
        "missing value or with a bound.",
    ):
        federation(age=[30.0, infinity, NUMBER]).fit(on(["age"], estimator), quantiles=how)


@pytest.mark.parametrize("number", [0.0, -NUMBER])
def test_box_cox_of_numbers_that_are_not_positive(number):
    with told(
        fedps.ClientError,
        "client 'bergen' has numbers in column 'age' that are not positive, which Box-Cox needs. Use "
        "PowerTransformer(method='yeo-johnson'), or shift the column.",
    ):
        federation(age=[30.0, number, NUMBER]).fit(on(["age"], PowerTransformer("box-cox")))


def test_box_cox_of_a_constant_column():
    clients = {name: np.full((20, 1), NUMBER) for name in ("oslo", "bergen")}
    with told(
        fedps.ClientError,
        "column number 0 has the same number in all rows of all clients: Box-Cox needs two at "
        "least. Leave it out.",
    ):
        fedps.fit(PowerTransformer("box-cox"), clients)


@pytest.mark.parametrize("method", ["yeo-johnson", "box-cox"])
def test_power_transform_of_nothing(method):
    clients = [np.full((20, 1), np.nan)] * 2
    with told(
        fedps.ClientError,
        "column number 0 has nothing but missing values at all clients, so no power transform can be "
        "learned for it. Leave it out.",
    ):
        fedps.fit(PowerTransformer(method), clients)


# Parameters


@pytest.mark.parametrize("bad", [(75.0, 25.0), (-1.0, 50.0), (0.0, 101.0), (50.0,)], ids=str)
def test_quantile_range(bad):
    with told(
        fedps.UsageError,
        f"quantile_range is {bad}: it must be two percentages that rise within 0..100, such as "
        "(25.0, 75.0).",
    ):
        federation().fit(on(["age"], RobustScaler(quantile_range=bad)))


def test_more_quantiles_than_rows_that_are_drawn():
    with told(
        fedps.UsageError,
        "n_quantiles=1000 is above subsample=100: percentiles are taken of the rows that are drawn. "
        "Lower the one or raise the other.",
    ):
        federation().fit(on(["age"], QuantileTransformer(n_quantiles=1000, subsample=100)))


def test_more_quantiles_than_rows():
    says = r"n_quantiles \(1000\) is greater than the total number of samples \(6\)."
    with pytest.warns(UserWarning, match=says):
        federation().fit(on(["age"], QuantileTransformer()))


@pytest.mark.parametrize("strategy", ["uniform", "quantile", "kmeans"])
def test_bins_for_another_number_of_columns(strategy):
    # scikit-learn's own words: all that is wrong is a parameter
    with told(ValueError, "n_bins must be a scalar or array of shape (n_features,)."):
        federation().fit(on(["age"], KBinsDiscretizer([3, 4], strategy=strategy)))


@pytest.mark.parametrize("strategy", ["uniform", "quantile", "kmeans"])
def test_too_few_bins(strategy):
    with told(
        ValueError,
        "KBinsDiscretizer received an invalid number of bins at indices 1. Number of bins must be at "
        "least 2, and must be an int.",
    ):
        federation().fit(on(["age", "chol"], KBinsDiscretizer([3, 1], strategy=strategy)))


def test_knots_for_another_number_of_columns():
    with told(ValueError, "knots.shape[1] == n_features is violated."):
        spline = SplineTransformer(knots=np.arange(6.0).reshape(3, 2))
        federation().fit(on(["age"], spline))


def test_function_that_imputes():
    with told(
        fedps.NotFederated,
        "SimpleImputer(strategy=...) with a function needs all cells of a column at one place, and they "
        "stay with the clients. Use one of mean, median, most_frequent, constant.",
    ):
        federation().fit(on(["age"], SimpleImputer(strategy=len)))


# Sparse tables


def sparse_clients(first, second):
    return fedps.Federation([sp.csr_array(np.array(cells, float)) for cells in (first, second)])


def test_negative_numbers_in_a_sparse_table():
    with told(
        fedps.ClientError,
        "some client has negative numbers in sparse column 1, which QuantileTransformer takes only "
        "with ignore_implicit_zeros=True.",
    ):
        clients = sparse_clients([[0, 1], [2, 0]], [[0, -NUMBER], [2, 0]])
        clients.fit(QuantileTransformer(n_quantiles=2))


def test_draws_from_a_sparse_table():
    cells = np.arange(1, 41).reshape(20, 2)
    with told(
        fedps.NotFederated,
        "a sparse column stores more than subsample=30 cells, of which scikit-learn would draw some "
        "column by column. Set subsample=None to use all rows.",
    ):
        sparse_clients(cells, cells).fit(QuantileTransformer(n_quantiles=2, subsample=30))


@pytest.mark.parametrize("estimator", [*BINS, PowerTransformer(), SplineTransformer()], ids=repr)
def test_sparse_tables_where_scikit_learn_takes_none(estimator):
    cells = np.arange(1, 41).reshape(20, 2)
    with told(
        TypeError,
        "Sparse data was passed for X, but dense data is required. Use '.toarray()' to convert to a "
        "dense numpy array.",
    ):
        sparse_clients(cells, cells).fit(estimator)


def test_centring_a_sparse_table():
    cells = np.arange(1, 41).reshape(20, 2)
    with told(
        ValueError,
        "Cannot center sparse matrices: use `with_centering=False` instead. See docstring for "
        "motivation and alternatives.",
    ):
        sparse_clients(cells, cells).fit(RobustScaler())
