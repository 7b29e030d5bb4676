"""Encoders over clients whose columns are of different kinds, or hold different missing values."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder

from tests.twins.twin import check

ENCODERS = [
    OneHotEncoder(min_frequency=2),
    OrdinalEncoder(),
    OrdinalEncoder(max_categories=2),
]


def column(values, dtype=object):
    return pd.DataFrame({"x": pd.Series(values, dtype=dtype)})


def levels(values, *names):
    return pd.DataFrame({"x": pd.Categorical(values, categories=names)})


CLIENTS = {
    "int-float-nan": [column([1, 2, 2], int), column([3.0, np.nan], float)],
    "float-nan-int": [column([3.0, np.nan], float), column([1, 2, 2], int)],
    "int-empty-float": [column([1, 2, 2], int), column([], float)],
    "int32-int64": [column([1, 2], np.int32), column([2**40, 2], np.int64)],
    "uint64-int64": [column([1, 2], np.uint64), column([1, 1, 2], np.int64)],
    "bool-bool": [column([True], bool), column([False, True], bool)],
    "float32-float64": [column([0.1, 0.5], np.float32), column([0.1, 0.5], np.float64)],
    "none-nan": [column(["a", None, "a"]), column(["b", np.nan, "a"])],
    "nan-none": [column(["b", np.nan, "a"]), column(["a", None])],
    "all-none": [column([None, None]), column(["b", "a"])],
    "all-missing": [column([None, None]), column([None])],
    "all-nan": [column([np.nan], float), column([np.nan, np.nan], float)],
    "object-ints": [column([1, 2]), column([3, 1])],
    "object-int-and-float": [column([1, 2]), column([2.5, 1.5])],
    "object-bools": [column([True, False]), column([True])],
    "words-and-numbers": [column(["a", "b"]), column([1, 2])],
    "words-and-int-column": [column(["a", "b"]), column([1, 2], int)],
    "words-and-mixed": [column(["a", "b"]), column(["a", 2])],
    "levels-same": [levels(["a", "b"], "b", "a"), levels(["b", None], "b", "a")],
    "levels-differ": [levels(["a", "b"], "a", "b"), levels(["c", "a"], "a", "c")],
    "levels-reordered": [levels(["a", "b"], "a", "b"), levels(["b", "a"], "b", "a")],
    "int-levels-differ": [levels([1, 2], 1, 2), levels([3, 1], 1, 3)],
    "levels-and-objects": [levels(["a", "b"], "a", "b"), column(["c", "a"])],
    "Int64-NA": [column([1, None], "Int64"), column([2, 1], "Int64")],
    "boolean-NA": [column([True, None], "boolean"), column([False, True], "boolean")],
    "surrogates-and-case": [column(["é", "e\u0301", "E"]), column(["e", "😀", "\uffff"])],
    "spaces": [column([" a", "a "]), column(["a", "\t", "\x00"])],
    "long-words": [column(["a" * 5000]), column(["a" * 4999 + "b"])],
    "large-ints": [column([2**62, -(2**63)], np.int64), column([2**62 + 1], np.int64)],
    "large-object-ints": [column([2**62, 1]), column([2**62 + 1])],
    "signed-zeros": [column([0.0, 1.0], float), column([-0.0], float)],
    "infinities": [column([np.inf, 1.0], float), column([-np.inf], float)],
    "narrow-and-wide-text": [np.array([["ab"], ["c"]]), np.array([["abcdef"], ["c"]])],
    "text-and-objects": [np.array([["ab"], ["c"]]), np.array([["d"], ["c"]], dtype=object)],
    "array-int-float": [np.array([[1], [2]]), np.array([[2.5], [np.nan]])],
    "array-bool-int": [np.array([[True], [False]]), np.array([[2], [1]])],
    "polars-null": [pl.DataFrame({"x": ["a", None]}), pl.DataFrame({"x": ["b", "a"]})],
    "polars-ints": [pl.DataFrame({"x": [1, 2]}), pl.DataFrame({"x": [3, 2]})],
    "polars-int-nulls": [pl.DataFrame({"x": [1, 2]}), pl.DataFrame({"x": [3, None]})],
}


@pytest.mark.parametrize("encoder", ENCODERS, ids=repr)
@pytest.mark.parametrize("clients", CLIENTS)
def test_kinds_of_categories(clients, encoder):
    check(encoder, CLIENTS[clients])
