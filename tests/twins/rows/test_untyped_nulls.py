"""Columns of nulls without a type, and cells that are objects only once all clients' rows are in one table."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder

import fedps
from tests.twins.compare import assert_same_fit
from tests.twins.quiet import quiet
from tests.twins.twin import check, fit_pooled

WORDS = pl.DataFrame({"x": ["u", "v"], "y": [3.0, 4.0]})
NULLS = pl.DataFrame({"x": [None, None], "y": [1.0, 2.0]})
ARROW = pa.table({"x": pa.nulls(2), "y": [1.0, 2.0]})
IN_ARROW = ARROW.to_pandas(types_mapper=pd.ArrowDtype)
ENCODERS = [OrdinalEncoder(), OneHotEncoder(sparse_output=False)]


def same(estimator, tables, pooled):
    """Assert the pooled fit, and the pooled output for each client's rows."""
    federation = fedps.Federation(tables)
    wanted = fit_pooled(estimator, pooled)
    with quiet():
        ours = federation.fit(estimator)
        found = np.concatenate([np.asarray(rows) for rows in federation.transform(ours)])
    assert_same_fit(ours, wanted)
    theirs = np.asarray(wanted.transform(pooled))
    np.testing.assert_array_equal(found.astype(float), theirs.astype(float))


@pytest.mark.parametrize("encoder", ENCODERS, ids=repr)
@pytest.mark.parametrize("tables", [(NULLS, WORDS), (WORDS, NULLS)], ids=["first", "last"])
def test_polars_nulls_beside_words(tables, encoder):
    same(encoder, tables, pl.concat(tables, how="vertical_relaxed"))


@pytest.mark.parametrize(
    "estimator", [*ENCODERS, SimpleImputer(keep_empty_features=True)], ids=repr
)
def test_polars_nulls_alone(estimator):
    same(estimator, (NULLS, NULLS), pl.concat([NULLS, NULLS]))


def test_nulls_of_arrow_beside_those_of_polars():
    """In one table of pandas all of them are None."""
    same(OrdinalEncoder(), (ARROW, NULLS), pd.concat([ARROW.to_pandas(), NULLS.to_pandas()]))


def test_numbers_beside_words_are_objects_in_polars_alone():
    tables = (WORDS, pd.DataFrame({"x": ["u", "w"], "y": [3.0, 5.0]}))
    same(OrdinalEncoder(), tables, pl.concat([WORDS, pl.from_pandas(tables[1])]))


def test_nulls_of_arrow_in_pandas():
    """scikit-learn makes a category of pandas' NA, and does not find it again."""
    federation = fedps.Federation([IN_ARROW, IN_ARROW])
    fitted = federation.fit(OrdinalEncoder())
    assert np.isnan(fitted.categories_[0][0])
    assert [rows[:, 1].tolist() for rows in federation.transform(fitted)] == [[0.0, 1.0]] * 2


@pytest.mark.parametrize("features", ["all", "missing-only"])
def test_truth_values_with_nulls_at_one_client(features):
    tables = [pl.DataFrame({"a": [True, False]}), pl.DataFrame({"a": [None, True]})]
    indicator = MissingIndicator(missing_values=None, features=features)
    same(indicator, tables, pl.concat(tables))


@pytest.mark.parametrize("dtype", ["Int64", "boolean", "int64[pyarrow]", "bool[pyarrow]"])
@pytest.mark.parametrize(
    "estimator", [*ENCODERS, SimpleImputer(strategy="most_frequent")], ids=repr
)
def test_nullable_numbers_beside_objects(dtype, estimator):
    """In one table all of them are objects, each of its own type."""
    truths = dtype.startswith("bool")
    cells = [True, False, True] if truths else [2**60 + 1, 2**60, 2**60 + 1]
    objects = pd.DataFrame({"x": pd.Series([cells[0], np.nan], dtype=object)})
    tables = [pd.DataFrame({"x": pd.Series(cells, dtype=dtype)}), objects]
    check(estimator, tables)
    check(estimator, tables[::-1])


def test_integers_with_nulls_are_floats_after_an_imputer():
    tables = [pl.DataFrame({"x": [3, None, 1]}), pl.DataFrame({"x": [2, 2, None]})]
    check(make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder()), tables)


@pytest.mark.parametrize("encoder", ENCODERS, ids=repr)
def test_nothing_but_nulls_in_polars(encoder):
    """They are NaN of 32 bits in an array, and so are their categories."""
    check(encoder, [NULLS[["x"]], NULLS[["x"]]])


@pytest.mark.parametrize("dtypes", [("Int64", "double[pyarrow]"), ("double[pyarrow]", "Int64")])
def test_nullable_numbers_that_pandas_does_not_join(dtypes):
    tables = [pd.DataFrame({"x": [1, 2]}).astype(dtype) for dtype in dtypes]
    fitted = fedps.fit(OneHotEncoder(), tables)
    wanted = fit_pooled(OneHotEncoder(), pd.concat([table.astype("Float64") for table in tables]))
    assert_same_fit(fitted, wanted)
