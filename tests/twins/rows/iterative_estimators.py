"""The estimators by which IterativeImputer imputes, and the tables on which."""

from sklearn.dummy import DummyRegressor
from sklearn.experimental import enable_iterative_imputer  # noqa: F401 (brings the class in)
from sklearn.impute import IterativeImputer
from sklearn.linear_model import ARDRegression, ElasticNet, Lasso, LinearRegression

from tests.twins.rows import iterative

MODELS = {
    "ard": ARDRegression(),
    "dummy": DummyRegressor(),
    "lasso": Lasso(0.5, max_iter=100_000),
    "elastic": ElasticNet(0.2, l1_ratio=0.3, max_iter=100_000),
    "positive": LinearRegression(positive=True),
}
TABLES = {
    "related": iterative.related,
    "whole": iterative.whole,
    "array": iterative.as_array,
    "constant-columns": iterative.constant,
    "complete": iterative.complete,
    "wide": iterative.wide,
    "no-complete-row": iterative.sorted_gaps,
}
# what scikit-learn finds with fewer rows than columns depends on the order of the rows (laws/test_ard_math)
UNSTABLE = {("ard", "wide")}


def on_tables():
    """Every estimator on every table."""
    return {
        f"{name}-{kind}": (IterativeImputer(model, max_iter=3), table)
        for name, model in MODELS.items()
        for kind, table in TABLES.items()
        if (name, kind) not in UNSTABLE
    }


def parameters():
    """Each estimator with parameters of its own."""
    ard = {
        "scores": {"compute_score": True},
        "origin": {"fit_intercept": False},
        "few": {"threshold_lambda": 2.0},
        "none": {"threshold_lambda": 0.0},
        "priors": {"alpha_1": 1e-2, "alpha_2": 1e-3, "lambda_1": 1e-3, "lambda_2": 1e-2},
        "one-step": {"max_iter": 1},
        "tol": {"tol": 1e-9},
        "verbose": {"verbose": True},
    }
    lasso = {
        "strong": {"alpha": 3.0},
        "origin": {"alpha": 3.0, "fit_intercept": False},
        "positive": {"positive": True},
        "gram": {"precompute": True},
        "random": {"selection": "random", "random_state": 5},
        "tol": {"tol": 1e-10},
    }
    models = {f"ard-{name}": ARDRegression(**given) for name, given in ard.items()}
    models |= {
        f"lasso-{name}": Lasso(**{"alpha": 0.1, "max_iter": 100_000} | given)
        for name, given in lasso.items()
    }
    models |= {
        "dummy-constant": DummyRegressor(strategy="constant", constant=7.5),
        "dummy-whole": DummyRegressor(strategy="constant", constant=[7]),
        "elastic-origin": ElasticNet(5.0, max_iter=100_000, fit_intercept=False),
        "linear-positive-origin": LinearRegression(positive=True, fit_intercept=False),
    }
    return {name: (IterativeImputer(model), iterative.related) for name, model in models.items()}


PARAMETERS = parameters() | {
    "ard-bounds": (IterativeImputer(ARDRegression(), max_value=45), iterative.related),
    "ard-nearest": (
        IterativeImputer(ARDRegression(), n_nearest_features=2, random_state=3),
        iterative.related,
    ),
    "dummy-bounds": (
        IterativeImputer(DummyRegressor(), max_value=40, initial_strategy="median"),
        iterative.related,
    ),
    "dummy-start": (
        IterativeImputer(DummyRegressor(), initial_strategy="constant"),
        iterative.related,
    ),
}
