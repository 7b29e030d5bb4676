"""Fitted estimators in skops files: whole or not at all, and nothing runs that is not known."""

import os
import stat

import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.cluster import KMeans
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer, KNNImputer, SimpleImputer
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    Normalizer,
    OneHotEncoder,
    PowerTransformer,
    QuantileTransformer,
    SplineTransformer,
    StandardScaler,
    TargetEncoder,
)

import fedps
from fedps.errors import UsageError
from fedps.files import load_fitted, save_fitted
from fedps.files.saved_fits import check_can_be_saved
from fedps.files.whole_files import whole_file

NUMBERS = ["age", "chol"]
IMPUTED = [
    SplineTransformer(),
    KBinsDiscretizer(quantile_method="averaged_inverted_cdf"),
    KMeans(2, n_init=1, random_state=0),
    PowerTransformer(),
    QuantileTransformer(n_quantiles=10),
    FunctionTransformer(np.sqrt, feature_names_out="one-to-one"),
    IterativeImputer(),
]
FITTED = [
    *(make_column_transformer((make_pipeline(SimpleImputer(), e), NUMBERS)) for e in IMPUTED),
    make_column_transformer((TargetEncoder(), ["pain"]), remainder="drop"),
    make_column_transformer((OneHotEncoder(min_frequency=5), ["pain"]), remainder="passthrough"),
    make_column_transformer((StandardScaler(), make_column_selector(dtype_include="number"))),
]


@pytest.mark.parametrize("estimator", FITTED, ids=lambda e: repr(e.transformers[0][1])[-40:])
def test_what_is_saved_is_read_back_without_trust(tmp_path, tables, estimator):
    fitted = fedps.fit(estimator, tables, target="sick")
    save_fitted(fitted, tmp_path / "prep.skops")
    again = load_fitted(tmp_path / "prep.skops")
    rows = tables["oslo"].drop(columns="sick")
    ours, theirs = dense(again.transform(rows)), dense(fitted.transform(rows))
    pd.testing.assert_frame_equal(pd.DataFrame(ours), pd.DataFrame(theirs))
    assert list(again.get_feature_names_out()) == list(fitted.get_feature_names_out())


def dense(made):
    return made.toarray() if hasattr(made, "toarray") else made


def test_parts_of_owners_of_columns(tmp_path, tables):
    own = tables["oslo"].fillna(50.0)
    split = {"a/b": own[["age"]], "c d": own[["chol"]]}
    parts = fedps.Federation(split, split="columns").fit(Normalizer())
    written = save_fitted(parts, tmp_path / "prep.skops")
    assert [path.name for path in written] == ["prep-a%2Fb.skops", "prep-c d.skops"]
    again = load_fitted(written[0])
    np.testing.assert_array_equal(
        again.transform(own[["age"]]), parts["a/b"].transform(own[["age"]])
    )


@pytest.mark.parametrize("estimator", [KNNImputer(), KNeighborsRegressor()])
def test_what_asks_its_clients_cannot_be_saved(tmp_path, tables, estimator):
    with pytest.raises(UsageError, match="stay with the clients"):
        check_can_be_saved(make_pipeline(SimpleImputer(), estimator))
    check_can_be_saved(estimator, split="columns")
    rows = {name: table[NUMBERS] for name, table in tables.items()}
    if isinstance(estimator, KNNImputer):
        fitted = fedps.fit(estimator, rows)
        with pytest.raises(UsageError, match="stay with the clients"):
            save_fitted(fitted, tmp_path / "prep.skops")
    assert list(tmp_path.iterdir()) == []


def test_functions_need_a_name():
    def local(rows):
        return rows

    for function in (local, lambda rows: rows):
        with pytest.raises(UsageError, match="no name that could be found again"):
            check_can_be_saved(FunctionTransformer(function))
        with pytest.raises(UsageError, match="no name that could be found again"):
            check_can_be_saved(make_column_transformer((StandardScaler(), function)))
    check_can_be_saved(FunctionTransformer(np.log1p))


class Strange(StandardScaler):
    pass


def test_what_is_not_known_is_refused(tmp_path):
    skops.io.dump(Strange().fit([[1.0]]), tmp_path / "prep.skops")
    with pytest.raises(UsageError, match=r"--trust .*Strange") as caught:
        load_fitted(tmp_path / "prep.skops")
    name = str(caught.value).partition("--trust ")[2].rstrip(").")
    assert type(load_fitted(tmp_path / "prep.skops", trust=[name])).__name__ == "Strange"


@pytest.mark.parametrize(
    "hostile", [os.system, print, np.testing.assert_equal], ids=lambda f: f.__name__
)
def test_functions_that_do_things_are_refused(tmp_path, hostile):
    skops.io.dump(FunctionTransformer(hostile).fit([[1.0]]), tmp_path / "prep.skops")
    with pytest.raises(UsageError, match="holds what is not part of scikit-learn"):
        load_fitted(tmp_path / "prep.skops")


def test_files_that_are_none(tmp_path):
    (tmp_path / "prep.skops").write_bytes(b"nonsense")
    with pytest.raises(UsageError, match="is not a skops file"):
        load_fitted(tmp_path / "prep.skops")
    with pytest.raises(UsageError, match="there is no file"):
        load_fitted(tmp_path / "other.skops")


def test_a_file_is_there_as_a_whole_or_as_it_was(tmp_path):
    path = tmp_path / "prep.skops"
    path.write_text("before")

    def stop_half_way():
        with whole_file(path) as beside:
            beside.write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        stop_half_way()
    assert path.read_text() == "before"
    assert [file.name for file in tmp_path.iterdir()] == ["prep.skops"]
    with whole_file(path) as beside:
        beside.write_text("after")
    assert path.read_text() == "after"
    plain = tmp_path / "plain"
    plain.touch()
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)
