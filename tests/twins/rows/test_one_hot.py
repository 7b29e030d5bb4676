"""OneHotEncoder across clients, and pooled."""

import numpy as np
import pytest
from sklearn.preprocessing import OneHotEncoder

from tests.twins import partitions, tables
from tests.twins.category_tables import ANY_TABLE, WORD_LISTS
from tests.twins.partitions import EVERY, FEW, pool
from tests.twins.tables import WORDS
from tests.twins.twin import check, cross, without
from tests.twins.unknown import with_unknown


def combine(feature, category):
    return f"{feature}={category!s}"


def dense(**params):
    return OneHotEncoder(sparse_output=False, **params)


AUTO = {name: (OneHotEncoder(), builder) for name, builder in ANY_TABLE.items()}

GIVEN = {
    "given": (OneHotEncoder(categories=WORD_LISTS), tables.nullable_strings),
    "given-nan": (
        OneHotEncoder(categories=[[*WORDS, np.nan], [*WORDS, np.nan]]),
        tables.strings_nan,
    ),
    "given-none": (
        OneHotEncoder(categories=[[*WORDS, None], [*WORDS]]),
        tables.polars_strings_holes,
    ),
    "given-ints": (
        OneHotEncoder(categories=[[-3, 7, 12, 100, 101], [0, 1]]),
        tables.int_categories,
    ),
    "given-ints-unsorted": (
        OneHotEncoder(categories=[[7, -3, 12, 100], [0, 1]]),
        tables.int_categories,
    ),
    "given-arrays": (
        OneHotEncoder(categories=[np.arange(-9, 9)] * 3, dtype=np.int8),
        tables.array_ints,
    ),
    "given-too-few": (OneHotEncoder(categories=[["apfel"], ["apfel"]]), tables.nullable_strings),
    "given-too-few-ignored": (
        OneHotEncoder(categories=[["apfel"], ["Birne", "apfel"]], handle_unknown="ignore"),
        tables.nullable_strings,
    ),
    "given-frequent": (
        OneHotEncoder(categories=WORD_LISTS, min_frequency=8),
        tables.nullable_strings,
    ),
    "given-wrong-length": (OneHotEncoder(categories=[WORDS]), tables.strings),
}

DROP = {
    "drop-first": (OneHotEncoder(drop="first"), tables.strings_nan),
    "drop-first-numbers": (OneHotEncoder(drop="first"), tables.float_categories),
    "drop-binary": (OneHotEncoder(drop="if_binary"), tables.strings),
    "drop-binary-ints": (OneHotEncoder(drop="if_binary"), tables.int_categories),
    "drop-list": (OneHotEncoder(drop=["apfel", "日本", "m"]), tables.strings),
    "drop-nan": (OneHotEncoder(drop=np.array([np.nan, "日本"], dtype=object)), tables.strings_nan),
    "drop-none": (OneHotEncoder(drop=[None, "zoë", "zoë"]), tables.strings_none),
    "drop-ints": (OneHotEncoder(drop=[12, 1]), tables.int_categories),
    "drop-unknown": (OneHotEncoder(drop=["?", "日本", "m"]), tables.strings),
    "drop-first-ignore": (OneHotEncoder(drop="first", handle_unknown="ignore"), tables.strings),
    "drop-first-frequent": (OneHotEncoder(drop="first", min_frequency=12), tables.strings_nan),
    "drop-binary-frequent": (OneHotEncoder(drop="if_binary", max_categories=2), tables.strings),
    "drop-list-frequent": (
        OneHotEncoder(drop=["apfel", "apfel", "f"], min_frequency=6),
        tables.strings,
    ),
    "drop-infrequent": (
        OneHotEncoder(drop=["a b", "apfel", "f"], min_frequency=12),
        tables.strings,
    ),
}

FREQUENT = {
    "min-1": (OneHotEncoder(min_frequency=1), tables.strings),
    "min-8": (OneHotEncoder(min_frequency=8), tables.strings_none),
    "min-all": (OneHotEncoder(min_frequency=80), tables.strings),
    "min-share": (OneHotEncoder(min_frequency=0.1), tables.strings_nan),
    "min-share-third": (OneHotEncoder(min_frequency=1 / 3), tables.ties),
    "min-ties": (OneHotEncoder(min_frequency=tables.ROWS // 6), tables.ties),
    "max-1": (OneHotEncoder(max_categories=1), tables.strings),
    "max-3": (OneHotEncoder(max_categories=3), tables.strings_nan),
    "max-ties": (OneHotEncoder(max_categories=4), tables.ties),
    "max-many": (OneHotEncoder(max_categories=50), tables.strings),
    "both": (OneHotEncoder(min_frequency=4, max_categories=4), tables.mixed_categories),
    "both-numbers": (OneHotEncoder(min_frequency=0.2, max_categories=3), tables.float_categories),
    "infrequent-if-exist": (
        OneHotEncoder(min_frequency=10, handle_unknown="infrequent_if_exist"),
        tables.strings_none,
    ),
    "infrequent-none": (OneHotEncoder(handle_unknown="infrequent_if_exist"), tables.strings),
    "infrequent-warn": (
        OneHotEncoder(max_categories=3, handle_unknown="warn"),
        tables.categoricals,
    ),
    "infrequent-polars": (OneHotEncoder(min_frequency=10), tables.polars_strings_holes),
    "infrequent-text": (OneHotEncoder(min_frequency=10), tables.array_text),
}

OUTPUT = {
    "ignore": (OneHotEncoder(handle_unknown="ignore"), tables.strings_nan),
    "warn": (OneHotEncoder(handle_unknown="warn"), tables.strings),
    "dense": (dense(), tables.strings_nan),
    "dense-ignore": (dense(handle_unknown="ignore"), tables.mixed_categories),
    "int32": (OneHotEncoder(dtype=np.int32), tables.strings),
    "float32": (dense(dtype=np.float32), tables.strings),
    "bool": (dense(dtype=bool), tables.strings),
    "dtype-name": (dense(dtype="int8"), tables.int_categories),
    "combiner": (OneHotEncoder(feature_name_combiner=combine), tables.strings_none),
    "combiner-frequent": (
        OneHotEncoder(feature_name_combiner=combine, min_frequency=9, drop="first"),
        tables.strings,
    ),
    "pandas-out": (dense().set_output(transform="pandas"), tables.strings_nan),
    "polars-out": (dense().set_output(transform="polars"), tables.polars_strings),
    "bad-parameter": (OneHotEncoder(min_frequency=-1), tables.strings),
}

CORE = {name: AUTO[name] for name in ("strings", "strings-nan", "floats", "categoricals", "polars")}


@pytest.mark.parametrize(
    ("estimator", "builder", "partition"),
    [
        *cross(CORE, *EVERY),
        *cross(without(AUTO, CORE), *FEW[1:], partitions.missing_at_one),
        *cross(GIVEN | DROP | FREQUENT | OUTPUT, *FEW[1:]),
    ],
)
def test_one_hot_encoder(estimator, builder, partition):
    clients = partition(builder())
    check(estimator, clients, probe=with_unknown(pool(clients)))
