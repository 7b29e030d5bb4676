"""Mistakes with estimators and what they are given."""

import pytest
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    OneHotEncoder,
    QuantileTransformer,
    StandardScaler,
)
from sklearn.utils._param_validation import InvalidParameterError

import fedps
from tests.mistakes.mistake import NAME, NUMBER, federation, of_numbers, on, table, told

SUPPORTED = (
    "BayesianRidge, Binarizer, ColumnTransformer, FeatureUnion, FrozenEstimator, FunctionTransformer, "
    "IterativeImputer, KBinsDiscretizer, KMeans, KNNImputer, KNeighborsRegressor, LabelBinarizer, "
    "LabelEncoder, MaxAbsScaler, MinMaxScaler, MissingIndicator, MultiLabelBinarizer, Normalizer, "
    "OneHotEncoder, OrdinalEncoder, Pipeline, PolynomialFeatures, PowerTransformer, "
    "QuantileTransformer, RobustScaler, SimpleImputer, SplineTransformer, StandardScaler, "
    "TargetEncoder"
)


def test_unknown_estimator():
    with told(fedps.NotFederated, f"FedPS does not support PCA. It supports: {SUPPORTED}."):
        federation().fit(make_pipeline(StandardScaler(), PCA()))


def test_parameter_that_cannot_be():
    # scikit-learn checks its own parameters, before anything is asked
    with told(
        InvalidParameterError,
        "The 'n_quantiles' parameter of QuantileTransformer must be an int in the range [1, inf). "
        "Got 0 instead.",
    ):
        federation().fit(on(["age"], QuantileTransformer(n_quantiles=0)))


def test_class_instead_of_instance():
    with told(fedps.NotFederated, "StandardScaler is a class: give an instance, StandardScaler()."):
        federation().fit(StandardScaler)


@pytest.mark.parametrize("something", ["StandardScaler", None, 3], ids=repr)
def test_not_an_estimator(something):
    with told(fedps.NotFederated, f"{something!r} is not a scikit-learn estimator."):
        federation().fit(something)


def test_unfitted_transform():
    with told(
        fedps.UsageError,
        "this StandardScaler is not fitted. fit returns the fitted one and leaves its argument as it "
        "was: fitted = federation.fit(...), then federation.transform(fitted).",
    ):
        federation().transform(StandardScaler())


def test_transform_of_a_category_that_the_fit_did_not_see():
    fitted = fedps.fit(on(["city"], OneHotEncoder()), [table(city=["oslo", "bergen", "oslo"])])
    with told(
        fedps.ClientError,
        "client 'oslo': ColumnTransformer.transform failed on its rows with ValueError. The logger "
        "'fedps.client' has the reason at level DEBUG.",
    ):
        federation().transform(fitted)


def test_run_before_fit():
    with told(fedps.UsageError, "nothing has run yet: call fit first."):
        federation().run  # noqa: B018 - it raises


def test_function_that_fails():
    def fails(cells):
        raise ValueError(f"cannot do this with {cells}, {NAME}")

    with told(
        fedps.NotFederated,
        "FunctionTransformer(fails) of 'functiontransformer': FedPS cannot tell what its function returns, "
        "for what comes after it: it fails with ValueError on all made-up rows with these columns and "
        "dtypes. Let it return missing values for cells that it cannot read, or run it on each client's "
        "table before the fit.",
    ):
        of_numbers().fit(make_pipeline(FunctionTransformer(fails), StandardScaler()))


def test_function_that_fails_at_the_clients_only():
    def fails(cells):
        if (cells == NUMBER).any(axis=None):
            raise ValueError(f"cannot do this with {cells}, {NAME}")
        return cells

    with told(
        fedps.ClientError,
        "client 'oslo' could not apply 'FunctionTransformer' to the rows there. The logger 'fedps.client' "
        "has the reason at level DEBUG.",
    ):
        of_numbers(age=[1.0, 2.0, 3.0]).fit(
            make_pipeline(FunctionTransformer(fails), StandardScaler())
        )
