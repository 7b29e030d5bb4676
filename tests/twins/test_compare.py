"""The comparison itself: it accepts a fit's own copy and notices every small difference."""

from copy import deepcopy

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    LabelBinarizer,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    PowerTransformer,
    StandardScaler,
    TargetEncoder,
)

from tests.twins import tables
from tests.twins.compare import assert_same_fit, assert_same_output, assert_same_transform
from tests.twins.quiet import quiet


class WithTarget(TargetEncoder):
    """A TargetEncoder that makes up its target."""

    def fit(self, X):
        return super().fit(X, np.arange(len(X)) % 2 + 0.5)


FITS = {
    "scaler": (StandardScaler(), tables.numbers),
    "float32": (SimpleImputer(), tables.float32_holes),
    "min-max": (MinMaxScaler(), tables.numbers),
    "imputer": (SimpleImputer(add_indicator=True), tables.numbers),
    "one-hot": (OneHotEncoder(drop="first", min_frequency=5), tables.mixed_categories),
    "ordinal": (OrdinalEncoder(), tables.strings_none),
    "labels": (LabelBinarizer(), lambda: np.arange(4)),
    "power": (PowerTransformer(), tables.numbers),
    "bins": (KBinsDiscretizer(3, strategy="kmeans"), tables.plain_numbers),
    "target": (WithTarget(), tables.strings),
    "pipeline": (make_pipeline(SimpleImputer(), StandardScaler()), tables.numbers),
    "union": (make_union(StandardScaler(), MinMaxScaler()), tables.numbers),
    "columns": (
        make_column_transformer(
            (make_pipeline(SimpleImputer(), StandardScaler()), ["age", "chol"]),
            (OneHotEncoder(), ["cp", "thal"]),
            remainder="passthrough",
        ),
        tables.people,
    ),
}


def fitted(name):
    estimator, builder = FITS[name]
    return deepcopy(estimator).fit(builder()), builder()


@pytest.mark.parametrize("name", FITS)
def test_a_copy_is_a_twin(name):
    pooled, table = fitted(name)
    assert_same_fit(deepcopy(pooled), pooled)
    assert_same_transform(deepcopy(pooled), pooled, table)


def scaler_in(estimator):
    return estimator.transformers_[0][1][-1]


CHANGES = {
    "a mean": ("scaler", lambda e: e.mean_.__setitem__(0, e.mean_[0] * (1 + 1e-11))),
    "a variance": ("scaler", lambda e: e.var_.__setitem__(0, e.var_[0] * (1 + 1e-11))),
    "a scale": ("scaler", lambda e: e.scale_.__setitem__(0, e.scale_[0] * (1 + 1e-11))),
    "a count": ("scaler", lambda e: setattr(e, "n_samples_seen_", e.n_samples_seen_ - 1)),
    "a count's dtype": ("scaler", lambda e: setattr(e, "n_samples_seen_", [1])),
    "an extra attribute": ("scaler", lambda e: setattr(e, "_fitted", True)),
    "a missing attribute": ("scaler", lambda e: delattr(e, "n_features_in_")),
    "a parameter": ("scaler", lambda e: setattr(e, "copy", False)),
    "a float32 mean": ("float32", lambda e: e.statistics_.__setitem__(0, 3.001)),
    "a minimum": ("min-max", lambda e: e.data_min_.__setitem__(0, np.nextafter(e.data_min_[0], 0))),
    "an indicator": ("imputer", lambda e: setattr(e.indicator_, "error_on_new", True)),
    "an imputed mean": ("imputer", lambda e: e.statistics_.__setitem__(1, 1 + e.statistics_[1])),
    "a category": ("one-hot", lambda e: e.categories_[0].__setitem__(0, "?")),
    "a category's type": ("one-hot", lambda e: e.categories_[0].__setitem__(0, np.str_(""))),
    "NaN for None": ("ordinal", lambda e: e.categories_[0].__setitem__(-1, np.nan)),
    "a dtype": ("labels", lambda e: setattr(e, "classes_", e.classes_.astype(np.int32))),
    "a lambda": ("power", lambda e: e.lambdas_.__setitem__(0, e.lambdas_[0] + 1e-5)),
    "a scale behind a power": ("power", lambda e: e._scaler.scale_.__setitem__(0, 3.0)),
    "an edge": ("bins", lambda e: e.bin_edges_[0].__setitem__(1, e.bin_edges_[0][1] + 1e-7)),
    "an encoding": ("target", lambda e: e.encodings_[0].__setitem__(0, e.encodings_[0][0] + 1e-9)),
    "a target's mean": ("target", lambda e: setattr(e, "target_mean_", e.target_mean_ + 1e-9)),
    "a kind of folds": ("target", lambda e: setattr(e, "cv", None)),
    "a nested mean": ("pipeline", lambda e: e[-1].mean_.__setitem__(0, 1)),
    "a nested minimum": ("union", lambda e: e.transformer_list[1][1].data_min_.__setitem__(0, 0)),
    "a nested name": ("columns", lambda e: e.feature_names_in_.__setitem__(0, "Age")),
    "a nested scale": ("columns", lambda e: scaler_in(e).scale_.__setitem__(0, 1)),
    "a nested slice": ("columns", lambda e: e.output_indices_.update(remainder=slice(0, 1))),
    "a nested selection": ("columns", lambda e: e.transformers_[1][2].__setitem__(0, "thal")),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_noticed(change):
    name, make = CHANGES[change]
    pooled, _ = fitted(name)
    ours = deepcopy(pooled)
    make(ours)
    with pytest.raises(AssertionError):
        assert_same_fit(ours, pooled)


def test_another_function_is_noticed():
    ours, pooled = FunctionTransformer(np.log1p), FunctionTransformer(np.log)
    with pytest.raises(AssertionError):
        assert_same_fit(ours.fit([[1]]), pooled.fit([[1]]))


def test_other_rows_are_noticed():
    pooled, table = fitted("scaler")
    ours = deepcopy(pooled)
    ours.mean_ += 1e-10 * ours.scale_
    with pytest.raises(AssertionError):
        assert_same_transform(ours, pooled, table)


@pytest.mark.parametrize(
    "output",
    [
        pd.DataFrame({"a": [1.0, 2.0]}, index=[1, 2]),
        pd.DataFrame({"a": [1, 2]}),
        pd.DataFrame({"b": [1.0, 2.0]}),
        np.array([[1.0], [2.0]]),
        ValueError("no"),
    ],
    ids=["index", "dtype", "name", "kind", "error"],
)
def test_another_output_is_noticed(output):
    with pytest.raises(AssertionError):
        assert_same_output(output, pd.DataFrame({"a": [1.0, 2.0]}), MinMaxScaler())


def test_a_silent_success_is_noticed():
    with quiet():
        ours = OneHotEncoder(handle_unknown="ignore").fit([["a"]])
        pooled = OneHotEncoder().fit([["a"]])
    with pytest.raises(AssertionError):
        assert_same_transform(ours, pooled, [["b"]])
