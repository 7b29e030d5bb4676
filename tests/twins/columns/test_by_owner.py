"""What works column by column is fitted by the owners, with no round, as on the pooled columns."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    KBinsDiscretizer,
    LabelBinarizer,
    LabelEncoder,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    SplineTransformer,
    StandardScaler,
    TargetEncoder,
)

import fedps
from tests.twins.columns.owners import FEATURES, NUMBERS, dense, federation, people, side_by_side
from tests.twins.compare import assert_same_fit
from tests.twins.quiet import quiet

SOME = {
    "standard": StandardScaler(),
    "minmax": MinMaxScaler(),
    "maxabs": MaxAbsScaler(),
    "robust": RobustScaler(),
    "binarizer": Binarizer(threshold=3),
    "power": PowerTransformer(),
    "quantile": QuantileTransformer(n_quantiles=20, subsample=30, random_state=3),
    "spline": SplineTransformer(n_knots=4),
    "bins": KBinsDiscretizer(4, encode="ordinal", quantile_method="averaged_inverted_cdf"),
    "bins of each": KBinsDiscretizer(
        [3, 4, 5], encode="onehot-dense", strategy="uniform", subsample=None
    ),
    "knots of each": SplineTransformer(knots=np.array([[18.0, 0, 0], [50, 5, 1e5], [90, 20, 1e7]])),
    "imputer": SimpleImputer(strategy="median", add_indicator=True),
    "indicator": MissingIndicator(features="all"),
    "function": FunctionTransformer(np.log1p, feature_names_out="one-to-one"),
    "frame": StandardScaler().set_output(transform="pandas"),
    "several": make_pipeline(SimpleImputer(), StandardScaler(), MinMaxScaler()),
    "union": FeatureUnion([("s", StandardScaler()), ("m", MinMaxScaler())]),
}


@pytest.mark.parametrize("name", SOME)
def test_the_owners_fit_what_works_by_column(name):
    """All owners' outputs side by side are the pooled output, and nothing was asked.

    The estimator reaches each owner as a message, and a receipt comes back.
    """
    table = people()
    transformer = ColumnTransformer([("some", SOME[name], NUMBERS)])
    made = federation(table)
    with quiet():
        fitted, outputs = made.fit_transform(transformer)
        pooled = transformer.fit_transform(table[FEATURES])
    assert (made.run.rounds, made.run.deliveries, made.run.asks) == (0, 1, [])
    assert 0 < max(made.run.bytes_up.values()) < 100
    assert min(made.run.bytes_down.values()) > 60
    found, expected = side_by_side(outputs), dense(pooled)
    if name == "union":  # its parts stand side by side at each owner
        found, expected = np.sort(found, axis=1), np.sort(expected, axis=1)
    np.testing.assert_array_equal(found, expected)
    for client, output in made.transform(fitted).items():
        np.testing.assert_array_equal(dense(output), dense(outputs[client]))


def test_each_part_is_the_genuine_fit():
    table = people()
    fitted = federation(table).fit(make_column_transformer((StandardScaler(), NUMBERS)))
    for client, names in {"bank": ["age"], "clinic": ["visits"], "shop": ["income"]}.items():
        scaler = fitted[client].named_transformers_["standardscaler"]
        assert type(scaler) is StandardScaler
        assert_same_fit(scaler, StandardScaler().fit(table[names]), 0.0, 0.0)


@pytest.mark.parametrize(
    "encoder",
    [
        OneHotEncoder(sparse_output=False),
        OneHotEncoder(drop=["oslo", "a"], sparse_output=False),
        OneHotEncoder(categories=[["tromsø", "oslo", "bergen"], ["b", "a"]], sparse_output=False),
        OrdinalEncoder(),
        OrdinalEncoder(categories=[["tromsø", "oslo", "bergen"], ["b", "a"]]),
        OneHotEncoder(min_frequency=20, handle_unknown="infrequent_if_exist"),
    ],
    ids=["plain", "drop", "one-hot lists", "ordinal", "ordinal lists", "infrequent"],
)
def test_encoders_with_an_item_for_each_column(encoder):
    table = people()
    both = ColumnTransformer([("both", encoder, ["city", "grade"])])
    _, outputs = federation(table).fit_transform(both)
    np.testing.assert_array_equal(side_by_side(outputs), dense(both.fit_transform(table[FEATURES])))


def test_labels_are_fitted_by_their_owner():
    made = federation()
    for encoder in (LabelEncoder(), LabelBinarizer()):
        fitted, outputs = made.fit_transform(encoder)
        assert list(fitted) == ["bank"]
        assert fitted["bank"].classes_.tolist() == ["no", "yes"]
        assert len(outputs["bank"]) == 60
    with pytest.raises(fedps.UsageError, match="no client has a target"):
        fedps.Federation([np.ones((5, 2)), np.ones((5, 1))], split="columns").fit(LabelEncoder())


def test_a_target_encoder_needs_the_target_beside_it():
    table = people()
    made = federation(table)
    near = make_column_transformer((TargetEncoder(), ["city"]))
    found = made.fit(near)["bank"].named_transformers_["targetencoder"].encodings_
    expected = near.fit(table[["age", "city"]], table["label"])
    np.testing.assert_array_equal(found, expected.named_transformers_["targetencoder"].encodings_)
    with pytest.raises(fedps.NotFederated, match="the target is with one client"):
        made.fit(make_column_transformer((TargetEncoder(), ["grade"])))


@pytest.mark.parametrize(
    ("estimator", "reason"),
    [
        (PolynomialFeatures(), "multiplies columns of different owners"),
        (
            FunctionTransformer(lambda rows: rows - rows.mean()),
            "cannot tell whether yours works on each cell",
        ),
    ],
)
def test_what_mixes_columns_is_refused_across_owners_and_not_at_one(estimator, reason):
    table = people()
    made = federation(table)
    with pytest.raises(fedps.NotFederated, match=reason):
        made.fit(ColumnTransformer([("some", estimator, NUMBERS)]))
    one = ColumnTransformer([("some", estimator, ["visits"])])
    with quiet():
        outputs = made.fit_transform(one)[1]
        np.testing.assert_array_equal(side_by_side(outputs), one.fit_transform(table[FEATURES]))


def test_what_is_exact_anyway_takes_no_sketch():
    with pytest.raises(fedps.NotFederated, match="fits are exact, and"):
        federation().fit(RobustScaler(), quantiles=fedps.KLL())


def test_explain_says_that_nothing_is_asked():
    explained = federation().explain(make_column_transformer((StandardScaler(), NUMBERS)))
    assert (explained.rounds, explained.asks) == (0, [])
    assert "would take 0 rounds" in str(explained)


def test_attributes_of_all():
    fitted = federation().fit(make_column_transformer((StandardScaler(), NUMBERS)))
    assert repr(fitted) == "ColumnTransformer in parts: bank, clinic, shop"
    with pytest.raises(AttributeError, match="in parts has no attribute 'mean_'"):
        _ = fitted.mean_
