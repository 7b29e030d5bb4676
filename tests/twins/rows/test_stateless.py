"""Normalizer, Binarizer, FunctionTransformer and PolynomialFeatures across clients, and pooled."""

import numpy as np
import pytest
from sklearn.preprocessing import Binarizer, FunctionTransformer, Normalizer, PolynomialFeatures

from tests.twins import partitions, tables
from tests.twins.twin import check, cross

PARTITIONS = [partitions.empty_first, partitions.single_rows, partitions.shuffled_columns]


def shift(X, by=1):
    return X + by


def name_them(transformer, names):
    return [f"new {name}" for name in names]


ROWWISE = {
    "normalizer": (Normalizer(), tables.plain_numbers),
    "normalizer-l1": (Normalizer("l1"), tables.ints),
    "normalizer-max": (Normalizer("max"), tables.plain_numbers),
    "normalizer-no-copy": (Normalizer(copy=False), tables.plain_numbers),
    "normalizer-float32": (Normalizer(), tables.float32),
    "normalizer-csr": (Normalizer(), tables.csr),
    "normalizer-csc-max": (Normalizer("max"), tables.csc),
    "normalizer-array": (Normalizer("l1"), tables.array_floats),
    "normalizer-booleans": (Normalizer(), tables.booleans),
    "normalizer-nan": (Normalizer(), tables.numbers),
    "normalizer-strings": (Normalizer(), tables.strings),
    "normalizer-bad": (Normalizer("l3"), tables.plain_numbers),
    "normalizer-pandas-out": (Normalizer().set_output(transform="pandas"), tables.plain_numbers),
    "binarizer": (Binarizer(), tables.plain_numbers),
    "binarizer-1.5": (Binarizer(threshold=1.5), tables.array_ints),
    "binarizer-negative": (Binarizer(threshold=-0.2), tables.plain_numbers),
    "binarizer-csr": (Binarizer(threshold=0.5), tables.csr),
    "binarizer-csr-negative": (Binarizer(threshold=-1), tables.csr),
    "binarizer-float32": (Binarizer(threshold=3), tables.array_float32),
    "binarizer-no-copy": (Binarizer(copy=False), tables.plain_numbers),
    "binarizer-nan": (Binarizer(), tables.numbers),
    "binarizer-strings": (Binarizer(), tables.strings),
}

FUNCTIONS = {
    "function-none": (FunctionTransformer(), tables.numbers),
    "function-none-strings": (FunctionTransformer(), tables.strings_none),
    "function-none-polars": (FunctionTransformer(), tables.polars_people),
    "function-none-csr": (FunctionTransformer(accept_sparse=True, validate=True), tables.csr),
    "function-log": (FunctionTransformer(np.log1p), tables.float32),
    "function-log-inverse": (FunctionTransformer(np.log1p, inverse_func=np.expm1), tables.ints),
    "function-not-inverse": (FunctionTransformer(np.log1p, inverse_func=np.exp), tables.float32),
    "function-unchecked": (
        FunctionTransformer(np.log1p, inverse_func=np.exp, check_inverse=False),
        tables.float32,
    ),
    "function-validate": (FunctionTransformer(np.abs, validate=True), tables.plain_numbers),
    "function-validate-nan": (FunctionTransformer(np.abs, validate=True), tables.numbers),
    "function-validate-strings": (FunctionTransformer(validate=True), tables.strings),
    "function-names": (
        FunctionTransformer(np.abs, feature_names_out="one-to-one"),
        tables.numbers,
    ),
    "function-names-array": (
        FunctionTransformer(np.abs, feature_names_out="one-to-one"),
        tables.array_floats,
    ),
    "function-own-names": (
        FunctionTransformer(np.abs, feature_names_out=name_them),
        tables.plain_numbers,
    ),
    "function-arguments": (FunctionTransformer(shift, kw_args={"by": 3}), tables.plain_numbers),
    "function-inverse-arguments": (
        FunctionTransformer(shift, shift, kw_args={"by": 3}, inv_kw_args={"by": -3}),
        tables.plain_numbers,
    ),
    "function-pandas-out": (
        FunctionTransformer(np.abs).set_output(transform="pandas"),
        tables.plain_numbers,
    ),
}

POLYNOMIALS = {
    "degree-1": (PolynomialFeatures(1), tables.plain_numbers),
    "degree-2": (PolynomialFeatures(), tables.plain_numbers),
    "degree-3": (PolynomialFeatures(3), tables.array_ints),
    "degree-pair": (PolynomialFeatures((2, 3)), tables.plain_numbers),
    "degree-0": (PolynomialFeatures(0), tables.plain_numbers),
    "degree-0-no-bias": (PolynomialFeatures(0, include_bias=False), tables.plain_numbers),
    "interactions": (PolynomialFeatures(3, interaction_only=True), tables.plain_numbers),
    "interactions-no-bias": (
        PolynomialFeatures(2, interaction_only=True, include_bias=False),
        tables.ints,
    ),
    "no-bias": (PolynomialFeatures(2, include_bias=False), tables.float32),
    "fortran": (PolynomialFeatures(2, order="F"), tables.plain_numbers),
    "polynomial-csr": (PolynomialFeatures(2), tables.csr),
    "polynomial-csc": (PolynomialFeatures(2, interaction_only=True), tables.csc),
    "polynomial-nan": (PolynomialFeatures(), tables.numbers),
    "polynomial-strings": (PolynomialFeatures(), tables.strings),
    "polynomial-polars": (PolynomialFeatures(), tables.polars_numbers),
    "polynomial-bad": (PolynomialFeatures((3, 2)), tables.plain_numbers),
    "polynomial-pandas-out": (
        PolynomialFeatures().set_output(transform="pandas"),
        tables.plain_numbers,
    ),
}


@pytest.mark.parametrize(
    ("estimator", "builder", "partition"), cross(ROWWISE | FUNCTIONS | POLYNOMIALS, *PARTITIONS)
)
def test_stateless(estimator, builder, partition):
    check(estimator, partition(builder()))
