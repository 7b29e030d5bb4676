"""What a request says that it would use at most is never less than what a fit uses."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import BayesianRidge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
    TargetEncoder,
)

import fedps
from fedps.assembly import freeze
from fedps.client import open_table
from fedps.client.requests.in_words import RequestOnTable
from fedps.client.requests.most_told import Most, most_told
from fedps.plans.describe import describe
from fedps.protocol.messages import Request
from fedps.protocol.pooled import Pooled

RNG = np.random.default_rng(5)
TABLE = pd.DataFrame(
    {
        "age": RNG.integers(20, 90, 400).astype(float),
        "chol": RNG.normal(200, 30, 400),
        "weight": RNG.integers(1, 5, 400).astype(float),
        "pain": RNG.choice(["a", "b", "c"], 400),
        "sick": RNG.integers(0, 2, 400).astype(float),
    }
)
TABLE.loc[::9, "age"] = np.nan
FULL = ["chol", "weight"]
PIPELINES = {
    "scaler": (StandardScaler(), ["age", "chol"]),
    "ends": (MinMaxScaler(), ["age", "chol"]),
    "largest": (MaxAbsScaler(), ["age", "chol"]),
    "robust": (RobustScaler(), ["age"]),
    "quantiles": (QuantileTransformer(n_quantiles=10), ["age"]),
    "power": (PowerTransformer(), ["chol"]),
    "bins": (KBinsDiscretizer(3, quantile_method="averaged_inverted_cdf"), FULL),
    "chain": (make_pipeline(SimpleImputer(), StandardScaler(), MinMaxScaler()), ["age", "chol"]),
    "indicator": (
        make_pipeline(SimpleImputer(add_indicator=True), StandardScaler()),
        ["age", "chol"],
    ),
    "products": (make_pipeline(PolynomialFeatures(), StandardScaler()), FULL),
    "one-hot": (make_pipeline(OneHotEncoder(sparse_output=False), StandardScaler()), ["pain"]),
    "numbers": (OrdinalEncoder(), ["weight", "pain"]),
    "target": (TargetEncoder(target_type="binary"), ["pain"]),
}


def on_table(estimator, policy=None, **options):
    table = open_table(TABLE, target="sick")
    request = Request(describe(estimator, Pooled(freeze=freeze)), **options)
    return RequestOnTable(request, table.schema(), "sick", policy or fedps.Policy())


def used(estimator, allow=None, **options):
    """Return what a fit is charged, without any limit that would end it."""
    policy = fedps.Policy(max_share=0.999, budget=50.0, min_count=0, allow=allow)
    federation = fedps.Federation({"oslo": TABLE}, target="sick", policy=policy)
    federation.fit(estimator, **options)
    return federation.ledgers["oslo"].account().by_column


def is_within(spent, most):
    return all(limit is None or some <= limit for some, limit in zip(spent, most, strict=True))


@pytest.mark.parametrize("name", PIPELINES)
def test_no_fit_uses_more(name):
    estimator = make_column_transformer(PIPELINES[name])
    most = most_told(on_table(estimator))
    for column, spent in used(estimator).items():
        assert is_within(spent, most[column]), (column, spent, most[column])


def test_a_model_uses_no_more():
    model = make_pipeline(make_column_transformer((StandardScaler(), FULL)), BayesianRidge())
    most = most_told(on_table(model))
    for column, spent in used(model).items():
        assert is_within(spent, most[column]), (column, spent, most[column])


def test_weights_are_told_with_each_column():
    allow = ["age", "chol", "weight"]
    policy = fedps.Policy(allow=allow)
    most = most_told(on_table(StandardScaler(), policy, weight="weight"))
    assert most["weight"] == Most(0, 4)
    found = used(StandardScaler(), allow, sample_weight="weight")
    assert {name: spent.numbers for name, spent in found.items()} == {
        "age": 2,
        "chol": 2,
        "weight": 4,
    }


def test_what_does_not_depend_on_the_cells_is_a_number():
    chain = make_column_transformer(PIPELINES["chain"])
    assert most_told(on_table(chain))["age"] == Most(values=2, numbers=5)
    assert used(chain)["age"].numbers == 3
    made = make_column_transformer(PIPELINES["products"])
    assert most_told(on_table(made))["chol"].numbers is None
