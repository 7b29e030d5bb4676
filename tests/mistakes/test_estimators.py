"""Mistakes with estimators and what they are given."""

import pytest
from sklearn import config_context
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import BayesianRidge, LogisticRegression
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    OneHotEncoder,
    QuantileTransformer,
    StandardScaler,
)
from sklearn.utils._param_validation import InvalidParameterError

import fedps
from tests.mistakes.mistake import NAME, NUMBER, federation, of_numbers, on, table, told


class TargetScaler(StandardScaler):
    """A scaler of somebody's own."""


WAYS = {
    "last": (
        make_pipeline(StandardScaler(), LogisticRegression()),
        (
            "step 'logisticregression' (LogisticRegression) across clients. Fit what comes before it, fitted = "
            "federation.fit(pipe[:-1]), transform each client's rows, federation.transform(fitted), and "
            "train pipe[-1], the LogisticRegression, on them, at each client or by your engine. "
            "See docs/training.md."
        ),
    ),
    "middle": (
        make_pipeline(SimpleImputer(), StandardScaler(), SelectKBest(), LogisticRegression()),
        (
            "step 'selectkbest' (SelectKBest) across clients. Fit what comes before it, fitted = "
            "federation.fit(pipe[:2]), transform each client's rows, federation.transform(fitted), and "
            "train pipe[2:] on them, at each client or by your engine. See docs/training.md."
        ),
    ),
    "first": (
        make_pipeline(PCA(), StandardScaler()),
        (
            "step 'pca' (PCA) across clients. It is the first step: fit it at each client, and give the "
            "federation what it makes of the rows, for the steps after it. See docs/training.md."
        ),
    ),
    "nested": (
        make_pipeline(on(["age"], make_pipeline(StandardScaler(), PCA())), LogisticRegression()),
        (
            "step 'columntransformer__pipeline__pca' (PCA) across clients. Leave it out, "
            ".set_params(columntransformer__pipeline__pca='passthrough'), and fit it on what "
            "federation.transform gives, at each client or by your engine. See docs/training.md."
        ),
    ),
    "branch": (
        make_union(StandardScaler(), PCA()),
        (
            "branch 'pca' (PCA) across clients. Leave it out, .set_params(pca='passthrough'), and fit it on "
            "what federation.transform gives, at each client or by your engine. See docs/training.md."
        ),
    ),
    "rest": (
        ColumnTransformer([("scale", StandardScaler(), ["age"])], remainder=PCA()),
        (
            "branch 'remainder' (PCA) across clients. Leave it out, .set_params(remainder='passthrough'), "
            "and fit it on what federation.transform gives, at each client or by your engine. "
            "See docs/training.md."
        ),
    ),
    "model": (
        LogisticRegression(),
        (
            "LogisticRegression across clients. It fits preprocessing: fit that by federation.fit, transform "
            "each client's rows by federation.transform, then train LogisticRegression on them. See "
            "docs/training.md."
        ),
    ),
    "alone": (PCA(), "PCA across clients. fedps.supported() lists what it can fit."),
    "near": (
        TargetScaler(),
        (
            "TargetScaler across clients. It is a StandardScaler that may compute something else: use "
            "StandardScaler."
        ),
    ),
}


@pytest.mark.parametrize("place", WAYS)
def test_unknown_estimator(place):
    estimator, text = WAYS[place]
    clients = federation()
    for call in (clients.fit, clients.explain, clients.fit_transform):
        with told(fedps.NotFederated, f"FedPS cannot fit {text}"):
            call(estimator)
    assert all(not ledger.entries for ledger in clients.ledgers.values())


def test_the_ways_out_of_it():
    pipe = make_pipeline(on(["age"], make_pipeline(StandardScaler(), PCA())), LogisticRegression())
    fitted = federation().fit(pipe.set_params(columntransformer__pipeline__pca="passthrough")[:-1])
    assert federation().transform(fitted)["oslo"].shape == (3, 1)


def test_a_model_in_the_middle():
    with told(
        fedps.UsageError,
        "step 'bayesianridge' (BayesianRidge) has no transform: it can only be the last step of a "
        "Pipeline.",
    ):
        federation().fit(make_pipeline(BayesianRidge(), StandardScaler()))


SPARSE = {
    "branch": (
        on(["city"], OneHotEncoder()),
        (
            "branch 'onehotencoder' (OneHotEncoder) makes sparse matrices, which cannot be pandas data "
            "frames. Set sparse_output=False, or its output by .set_output(transform='default')."
        ),
    ),
    "step": (
        make_pipeline(KBinsDiscretizer(), StandardScaler()),
        (
            "step 'kbinsdiscretizer' (KBinsDiscretizer) makes sparse matrices, which cannot be pandas data "
            "frames. Set encode='onehot-dense', or its output by .set_output(transform='default')."
        ),
    ),
}


@pytest.mark.parametrize("name", SPARSE)
def test_sparse_output_as_data_frames(name):
    estimator, text = SPARSE[name]
    with config_context(transform_output="pandas"), told(fedps.UsageError, text):
        federation().fit(estimator)


def test_sparse_rows_as_data_frames():
    """A fit does not need the output, as in scikit-learn."""
    clients = fedps.Federation({"oslo": table()[["city"]]})
    with config_context(transform_output="polars"):
        fitted = clients.fit(OneHotEncoder())
        text = "OneHotEncoder makes sparse matrices, which cannot be polars data frames. Set "
        text += "sparse_output=False, or its output by .set_output(transform='default')."
        with told(fedps.UsageError, text):
            clients.transform(fitted)


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


def test_no_column_is_left():
    nothing = [[float("nan")], [float("nan")]]
    with pytest.raises(fedps.UsageError, match="no column is left inside of Pipeline.*keep_empty"):
        fedps.fit(make_pipeline(SimpleImputer(), StandardScaler()), [nothing, nothing])
