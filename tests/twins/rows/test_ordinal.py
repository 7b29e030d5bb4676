"""OrdinalEncoder across clients, and pooled."""

import numpy as np
import pytest
from sklearn.preprocessing import OrdinalEncoder

from tests.twins import partitions, tables
from tests.twins.category_tables import ANY_TABLE, WORD_LISTS
from tests.twins.partitions import EVERY, FEW, pool
from tests.twins.tables import WORDS
from tests.twins.twin import check, cross, without
from tests.twins.unknown import with_unknown

UNKNOWN = {"handle_unknown": "use_encoded_value", "unknown_value": -1}

AUTO = {name: (OrdinalEncoder(), builder) for name, builder in ANY_TABLE.items()}

GIVEN = {
    "given": (OrdinalEncoder(categories=WORD_LISTS), tables.nullable_strings),
    "given-nan": (
        OrdinalEncoder(categories=[[*WORDS, np.nan], [*WORDS, np.nan]]),
        tables.strings_nan,
    ),
    "given-nan-last": (
        OrdinalEncoder(categories=[[np.nan, -2.25, 0.1 + 0.2, 0.5, 3.0, 1e300]] * 2),
        tables.float_categories,
    ),
    "given-ints": (OrdinalEncoder(categories=[[-3, 7, 12, 100], [0, 1, 2]]), tables.int_categories),
    "given-too-few": (OrdinalEncoder(categories=[["apfel"], ["apfel"]]), tables.nullable_strings),
    "given-too-few-encoded": (
        OrdinalEncoder(categories=[["apfel"], ["Birne", "apfel"]], **UNKNOWN),
        tables.nullable_strings,
    ),
    "given-frequent": (
        OrdinalEncoder(categories=WORD_LISTS, min_frequency=8, max_categories=3),
        tables.nullable_strings,
    ),
}

VALUES = {
    "unknown": (OrdinalEncoder(**UNKNOWN), tables.strings_nan),
    "unknown-nan": (
        OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan),
        tables.strings,
    ),
    "unknown-large": (
        OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=99),
        tables.mixed_categories,
    ),
    "unknown-used": (
        OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=1),
        tables.strings,
    ),
    "unknown-lacks-value": (OrdinalEncoder(handle_unknown="use_encoded_value"), tables.strings),
    "unknown-unasked": (OrdinalEncoder(unknown_value=-1), tables.strings),
    "missing-2": (OrdinalEncoder(encoded_missing_value=-2), tables.strings_nan),
    "missing-none": (OrdinalEncoder(encoded_missing_value=-2), tables.strings_none),
    "missing-used": (OrdinalEncoder(encoded_missing_value=1), tables.strings_nan),
    "missing-floats": (OrdinalEncoder(encoded_missing_value=-5), tables.float_categories),
    "missing-int-dtype": (
        OrdinalEncoder(encoded_missing_value=-2, dtype=np.int32),
        tables.strings_nan,
    ),
    "missing-nan-int-dtype": (OrdinalEncoder(dtype=np.int32), tables.strings_nan),
    "missing-and-unknown": (
        OrdinalEncoder(encoded_missing_value=-1, **UNKNOWN),
        tables.mixed_categories,
    ),
    "int64": (OrdinalEncoder(dtype=np.int64), tables.strings),
    "float32": (OrdinalEncoder(dtype=np.float32), tables.strings_nan),
    "int-unknown": (OrdinalEncoder(dtype=np.int8, **UNKNOWN), tables.int_categories),
    "pandas-out": (OrdinalEncoder().set_output(transform="pandas"), tables.strings_nan),
    "polars-out": (OrdinalEncoder().set_output(transform="polars"), tables.polars_strings),
}

FREQUENT = {
    "min-1": (OrdinalEncoder(min_frequency=1), tables.strings),
    "min-8": (OrdinalEncoder(min_frequency=8), tables.strings_none),
    "min-8-nan": (OrdinalEncoder(min_frequency=8), tables.strings_nan),
    "min-all": (OrdinalEncoder(min_frequency=80), tables.strings),
    "min-share": (OrdinalEncoder(min_frequency=0.1), tables.strings_nan),
    "min-share-ties": (OrdinalEncoder(min_frequency=1 / 6), tables.ties),
    "max-1": (OrdinalEncoder(max_categories=1), tables.strings),
    "max-3": (OrdinalEncoder(max_categories=3), tables.strings_nan),
    "max-ties": (OrdinalEncoder(max_categories=4), tables.ties),
    "max-numbers": (OrdinalEncoder(max_categories=2), tables.int_categories),
    "both": (OrdinalEncoder(min_frequency=4, max_categories=4), tables.mixed_categories),
    "both-unknown": (
        OrdinalEncoder(min_frequency=0.2, max_categories=3, **UNKNOWN),
        tables.float_categories,
    ),
    "frequent-missing": (
        OrdinalEncoder(min_frequency=10, encoded_missing_value=-2, **UNKNOWN),
        tables.strings_nan,
    ),
    "frequent-polars": (OrdinalEncoder(min_frequency=10), tables.polars_strings_holes),
    "frequent-categoricals": (OrdinalEncoder(max_categories=3), tables.categoricals),
}

CORE = {name: AUTO[name] for name in ("strings-none", "default-strings", "ints", "array-text")}


@pytest.mark.parametrize(
    ("estimator", "builder", "partition"),
    [
        *cross(CORE, *EVERY),
        *cross(without(AUTO, CORE), *FEW[1:], partitions.missing_at_one),
        *cross(GIVEN | VALUES | FREQUENT, *FEW[1:4]),
    ],
)
def test_ordinal_encoder(estimator, builder, partition):
    clients = partition(builder())
    check(estimator, clients, probe=with_unknown(pool(clients)))
