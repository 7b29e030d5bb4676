"""A fit or a prediction that fails at an owner names the column and the reason, and quotes no cell."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.linear_model import BayesianRidge
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import (
    KBinsDiscretizer,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PowerTransformer,
    StandardScaler,
)

import fedps

ROWS = 20


def table():
    """Return a table with something wrong in most columns."""
    rng = np.random.default_rng(0)
    infinite = rng.normal(size=ROWS)
    infinite[3] = np.inf
    gaps = rng.normal(size=ROWS)
    gaps[5] = np.nan
    return pd.DataFrame(
        {
            "sound": rng.normal(size=ROWS),
            "text": ["secret"] * ROWS,
            "mixed": ["secret", 1] * (ROWS // 2),
            "infinite": infinite,
            "gaps": gaps,
            "other": rng.normal(size=ROWS),
        }
    )


def owners():
    whole = table()
    parts = {"bank": whole.drop(columns="other"), "shop": whole[["other"]]}
    return fedps.Federation(parts, split="columns")


CASES = {
    "text": (StandardScaler(), ["sound", "text", "other"], "in column 'text' that are not numbers"),
    "in a pipeline": (
        make_pipeline(MinMaxScaler(), StandardScaler()),
        ["text", "other"],
        "in column 'text' that are not numbers",
    ),
    "in a union": (
        FeatureUnion([("s", StandardScaler())]),
        ["infinite", "other"],
        "an infinite or too large number in column 'infinite'",
    ),
    "gaps": (KBinsDiscretizer(2), ["gaps", "other"], "missing values in column 'gaps'"),
    "mixed": (OrdinalEncoder(), ["mixed"], "cells of mixed types in column 'mixed'"),
    "unknown": (
        OneHotEncoder(categories=[["a"], ["b"]]),
        ["text", "mixed"],
        "cells in column 'text' that are not among the given categories",
    ),
    "negative": (
        PowerTransformer(method="box-cox"),
        ["sound", "other"],
        "numbers in column 'sound' that are not positive",
    ),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("later", [False, True])
def test_what_an_owner_cannot_fit(name, later):
    """Whether it is fitted at the end, or for a step that asks something."""
    estimator, columns, reason = CASES[name]
    estimator = ColumnTransformer([("some", estimator, columns)])
    if later:
        estimator = make_pipeline(estimator, Normalizer())
    with pytest.raises(fedps.ClientError) as caught:
        owners().fit(estimator)
    assert str(caught.value).startswith("client 'bank' has")
    assert reason in str(caught.value)
    assert "secret" not in str(caught.value)


def test_columns_without_names_and_the_rest():
    cells = np.ones((5, 3))
    cells[2, 1] = np.inf
    made = fedps.Federation([np.ones((5, 2)), cells], split="columns")
    with pytest.raises(fedps.ClientError, match="'client 2' has an infinite .* in column 1"):
        made.fit(StandardScaler())
    rest = ColumnTransformer([("a", MinMaxScaler(), [0])], remainder=StandardScaler())
    with pytest.raises(fedps.ClientError, match="'client 2' has an infinite .* in column 1"):
        made.fit(rest)


def test_a_sparse_table_where_none_is_taken():
    made = fedps.Federation([sparse.eye_array(5, format="csr"), np.ones((5, 1))], split="columns")
    with pytest.raises(fedps.ClientError, match="client 'client 1' has a sparse table"):
        made.fit(StandardScaler())


def test_names_that_a_transformer_made_are_not_told():
    """They can be categories, which are cells."""
    whole = table()
    parts = {"bank": whole[["text"]], "shop": whole[["other"]]}
    chosen = make_pipeline(
        make_column_transformer(
            (OneHotEncoder(sparse_output=False), ["text"]), ("passthrough", ["other"])
        ).set_output(transform="pandas"),
        PowerTransformer(method="box-cox"),
        Normalizer(),
    )
    with pytest.raises(fedps.ClientError) as caught:
        fedps.Federation(parts, split="columns").fit(chosen)
    assert "secret" not in str(caught.value)


def test_rows_to_predict_that_are_no_numbers():
    whole = table()
    parts = {"bank": whole[["sound"]], "shop": (whole[["other"]], whole["sound"])}
    made = fedps.Federation(parts, split="columns")
    for model in (BayesianRidge(), make_pipeline(StandardScaler(), BayesianRidge())):
        fitted = made.fit(model)
        bad = {"bank": pd.DataFrame({"sound": ["secret"]}), "shop": whole[["other"]][:1]}
        with pytest.raises(fedps.ClientError) as caught:
            made.predict(fitted, bad)
        assert str(caught.value).startswith(
            "client 'bank' has cells in column 'sound' that are not"
        )
        assert "secret" not in str(caught.value)
