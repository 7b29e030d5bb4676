"""SimpleImputer and MissingIndicator across clients, and pooled."""

import numpy as np
import pandas as pd
import pytest
from sklearn.impute import MissingIndicator, SimpleImputer

from tests.twins import partitions, tables
from tests.twins.partitions import EVERY, FEW
from tests.twins.twin import check, cross, without

MOST = {"strategy": "most_frequent"}
CONSTANT = {"strategy": "constant"}

MEAN = {
    "mean": (SimpleImputer(), tables.numbers),
    "mean-ints": (SimpleImputer(), tables.ints),
    "mean-booleans": (SimpleImputer(), tables.booleans),
    "mean-float32": (SimpleImputer(), tables.float32_holes),
    "mean-offset": (SimpleImputer(), tables.offset_holes),
    "mean-constants": (SimpleImputer(), tables.constants_holes),
    "mean-wide": (SimpleImputer(), tables.wide_scales),
    "mean-nullable": (SimpleImputer(), tables.nullable_numbers),
    "mean-nullable-NA": (SimpleImputer(missing_values=pd.NA), tables.nullable_numbers),
    "mean-arrow": (SimpleImputer(), tables.arrow_numbers),
    "mean-polars": (SimpleImputer(), tables.polars_numbers),
    "mean-polars-float32": (SimpleImputer(), tables.polars_float32),
    "mean-array": (SimpleImputer(), tables.array_holes),
    "mean-array-float32": (SimpleImputer(), tables.array_float32_holes),
    "mean-csc": (SimpleImputer(), tables.csc_holes),
    "mean-csr": (SimpleImputer(), tables.csr_holes),
    "mean-csr-float32": (SimpleImputer(), tables.csr_float32),
    "mean-zero": (SimpleImputer(missing_values=0), tables.array_ints),
    "mean-zero-floats": (SimpleImputer(missing_values=0), tables.plain_numbers),
    "mean-zero-csc": (SimpleImputer(missing_values=0), tables.csc),
    "mean-minus-one-csc": (SimpleImputer(missing_values=-1), tables.csc),
    "mean-number-but-nan": (SimpleImputer(missing_values=-1), tables.numbers),
    "mean-object-ints": (SimpleImputer(), tables.object_ints),
    "mean-empty": (SimpleImputer(), tables.empty_column),
    "mean-empty-kept": (SimpleImputer(keep_empty_features=True), tables.empty_column),
    "mean-indicator": (SimpleImputer(add_indicator=True), tables.ints_and_floats),
    "mean-indicator-none-missing": (SimpleImputer(add_indicator=True), tables.plain_numbers),
    "mean-indicator-empty": (SimpleImputer(add_indicator=True), tables.empty_column),
    "mean-indicator-empty-kept": (
        SimpleImputer(add_indicator=True, keep_empty_features=True),
        tables.empty_column,
    ),
    "mean-indicator-csc": (SimpleImputer(add_indicator=True), tables.csc_holes),
    "mean-indicator-polars": (SimpleImputer(add_indicator=True), tables.polars_numbers),
    "mean-no-copy": (SimpleImputer(copy=False), tables.numbers),
    "mean-strings": (SimpleImputer(), tables.strings),
    "mean-pandas-out": (
        SimpleImputer(add_indicator=True).set_output(transform="pandas"),
        tables.numbers,
    ),
}

FREQUENT = {
    "most": (SimpleImputer(**MOST), tables.numbers),
    "most-ints": (SimpleImputer(**MOST), tables.ints),
    "most-floats": (SimpleImputer(**MOST), tables.float_categories),
    "most-float32": (SimpleImputer(**MOST), tables.float32_holes),
    "most-strings-nan": (SimpleImputer(**MOST), tables.strings_nan),
    "most-strings-none": (SimpleImputer(missing_values=None, **MOST), tables.strings_none),
    "most-strings-none-as-nan": (SimpleImputer(**MOST), tables.strings_none),
    "most-default-strings": (SimpleImputer(**MOST), tables.default_strings),
    "most-nullable-strings": (
        SimpleImputer(missing_values=pd.NA, **MOST),
        tables.nullable_strings_holes,
    ),
    "most-categoricals": (SimpleImputer(**MOST), tables.categoricals),
    "most-word": (SimpleImputer(missing_values="café", **MOST), tables.strings),
    "most-empty-word": (SimpleImputer(missing_values="", **MOST), tables.strings),
    "most-number": (SimpleImputer(missing_values=7, **MOST), tables.int_categories),
    "most-ties": (SimpleImputer(**MOST), tables.ties),
    "most-ties-word": (SimpleImputer(missing_values="a", **MOST), tables.ties),
    "most-object-ints": (SimpleImputer(**MOST), tables.object_ints),
    "most-object-none": (SimpleImputer(missing_values=None, **MOST), tables.object_numbers_holes),
    "most-object-number": (
        SimpleImputer(missing_values=7, add_indicator=True, **MOST),
        tables.object_ints,
    ),
    "most-booleans": (SimpleImputer(**MOST), tables.booleans),
    "most-nullable": (SimpleImputer(**MOST), tables.nullable_numbers),
    "most-polars": (SimpleImputer(**MOST), tables.polars_numbers),
    "most-polars-strings": (
        SimpleImputer(missing_values=None, **MOST),
        tables.polars_strings_holes,
    ),
    "most-array-objects": (SimpleImputer(missing_values=None, **MOST), tables.array_objects_holes),
    "most-array-text": (SimpleImputer(missing_values="", **MOST), tables.array_text),
    "most-csc": (SimpleImputer(**MOST), tables.csc_holes),
    "most-minus-one-csc": (SimpleImputer(missing_values=-1, **MOST), tables.csc),
    "most-empty": (SimpleImputer(**MOST), tables.empty_column),
    "most-empty-kept": (SimpleImputer(keep_empty_features=True, **MOST), tables.empty_column),
    "most-indicator": (SimpleImputer(add_indicator=True, **MOST), tables.strings_nan),
}

FILLED = {
    "constant": (SimpleImputer(**CONSTANT), tables.numbers),
    "constant-5": (SimpleImputer(fill_value=5, **CONSTANT), tables.numbers),
    "constant-half": (SimpleImputer(fill_value=0.5, **CONSTANT), tables.numbers),
    "constant-half-ints": (
        SimpleImputer(fill_value=0.5, missing_values=0, **CONSTANT),
        tables.array_ints,
    ),
    "constant-ints": (SimpleImputer(missing_values=0, fill_value=9, **CONSTANT), tables.array_ints),
    "constant-nan": (SimpleImputer(fill_value=np.nan, **CONSTANT), tables.numbers),
    "constant-float32": (SimpleImputer(fill_value=1.5, **CONSTANT), tables.float32_holes),
    "constant-strings": (SimpleImputer(**CONSTANT), tables.strings_nan),
    "constant-word": (SimpleImputer(fill_value="日本", **CONSTANT), tables.strings_nan),
    "constant-none": (
        SimpleImputer(missing_values=None, fill_value="?", **CONSTANT),
        tables.strings_none,
    ),
    "constant-word-in-numbers": (SimpleImputer(fill_value="?", **CONSTANT), tables.numbers),
    "constant-number-in-strings": (SimpleImputer(fill_value=3, **CONSTANT), tables.strings_nan),
    "constant-NA": (
        SimpleImputer(missing_values=pd.NA, fill_value="?", **CONSTANT),
        tables.nullable_strings_holes,
    ),
    "constant-polars": (SimpleImputer(fill_value=-1, **CONSTANT), tables.polars_numbers),
    "constant-csc": (SimpleImputer(fill_value=3, **CONSTANT), tables.csc_holes),
    "constant-empty": (
        SimpleImputer(keep_empty_features=True, fill_value=2, **CONSTANT),
        tables.empty_column,
    ),
    "constant-indicator": (SimpleImputer(add_indicator=True, **CONSTANT), tables.numbers),
    "bad-strategy": (SimpleImputer(strategy="mode"), tables.numbers),
}

INDICATOR = {
    "indicator": (MissingIndicator(), tables.numbers),
    "indicator-all": (MissingIndicator(features="all"), tables.numbers),
    "indicator-some": (MissingIndicator(), tables.ints_and_floats),
    "indicator-none": (MissingIndicator(), tables.plain_numbers),
    "indicator-lenient": (MissingIndicator(error_on_new=False), tables.plain_numbers),
    "indicator-sparse": (MissingIndicator(sparse=True), tables.numbers),
    "indicator-dense": (MissingIndicator(sparse=False), tables.csc_holes),
    "indicator-csc": (MissingIndicator(), tables.csc_holes),
    "indicator-csr-all": (MissingIndicator(features="all", sparse=True), tables.csr_holes),
    "indicator-number": (MissingIndicator(missing_values=0), tables.array_ints),
    "indicator-object-number": (MissingIndicator(missing_values=7), tables.object_ints),
    "indicator-zero-sparse": (MissingIndicator(missing_values=0), tables.csr),
    "indicator-strings": (MissingIndicator(), tables.strings_nan),
    "indicator-None": (MissingIndicator(missing_values=None), tables.strings_none),
    "indicator-word": (MissingIndicator(missing_values="zoë"), tables.strings),
    "indicator-NA": (MissingIndicator(missing_values=pd.NA), tables.nullable_strings_holes),
    "indicator-nullable": (MissingIndicator(), tables.nullable_numbers),
    "indicator-polars": (MissingIndicator(), tables.polars_numbers),
    "indicator-ints": (MissingIndicator(), tables.ints),
    "indicator-float32": (MissingIndicator(), tables.array_float32_holes),
    "indicator-pandas-out": (MissingIndicator().set_output(transform="pandas"), tables.numbers),
}

CORE = {
    name: (MEAN | FREQUENT)[name]
    for name in ("mean", "mean-ints", "mean-indicator", "most-strings-nan", "most-polars")
}


@pytest.mark.parametrize(
    ("estimator", "builder", "partition"),
    [
        *cross(CORE, *EVERY),
        *cross(
            without(MEAN | FREQUENT | FILLED, CORE),
            partitions.single_rows,
            partitions.shuffled_columns,
            partitions.missing_at_one,
        ),
    ],
)
def test_simple_imputer(estimator, builder, partition):
    check(estimator, partition(builder()))


@pytest.mark.parametrize(
    ("estimator", "builder", "partition"),
    cross(INDICATOR, *FEW[:2], partitions.shuffled_columns, partitions.missing_at_one),
)
def test_missing_indicator(estimator, builder, partition):
    check(estimator, partition(builder()), probe=builder())


def number_clients(dtype):
    """Return two clients: whole numbers at one, and NaN at the other."""
    first = pd.DataFrame({"a": [1, 2, 2], "b": [5, 5, 7]}, dtype=dtype)
    return [first, pd.DataFrame({"a": [np.nan, 4.5], "b": [5.0, np.nan]})]


@pytest.mark.parametrize(
    "estimator",
    [
        SimpleImputer(),
        SimpleImputer(**MOST),
        SimpleImputer(fill_value=3, **CONSTANT),
        SimpleImputer(add_indicator=True),
        MissingIndicator(),
    ],
    ids=repr,
)
@pytest.mark.parametrize("dtype", ["int64", "int32", "float32", "uint8"])
def test_dtypes_differ_between_clients(dtype, estimator):
    check(estimator, number_clients(dtype))
    check(estimator, number_clients(dtype)[::-1])
    check(estimator, [part.to_numpy() for part in number_clients(dtype)])


@pytest.mark.parametrize("words", [["a", None], ["Z", None, None, "Z", "a"]], ids=repr)
def test_a_tie_with_none(words):
    """None that is not the marker: the lower type wins a tie."""
    column = pd.DataFrame({"x": pd.Series(words, dtype=object)})
    try:
        SimpleImputer(**MOST).fit(column)
    except TypeError:
        pytest.skip("this scikit-learn cannot compare None")
    check(SimpleImputer(**MOST), partitions.single_rows(pd.concat([column] * 6)))
