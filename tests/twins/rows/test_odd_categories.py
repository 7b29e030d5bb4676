"""Categories of bytes, and integers beyond 64 bits; rows as lists; nullable arrays as targets."""

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import LabelBinarizer, LabelEncoder, OneHotEncoder, OrdinalEncoder

import fedps
from tests.twins.compare import assert_same_fit, assert_same_transform
from tests.twins.partitions import single_rows, thirds
from tests.twins.twin import check

LONG = [2**64, 3, -(2**63) - 1, 2**63, 2**200, 3, -(2**70), 2**64]
TABLES = {
    "long integers": np.array(LONG, dtype=object)[:, None],
    "bytes of one length": np.array([[b"b"], [b"aa"], [b"c"], [b"b"], [b"dd"]]),
    "bytes as objects": np.array([[b"b"], [b"aa"], [None], [b"b"], [b"\xff"]], dtype=object),
    "long integers and floats": np.array([[2**64], [0.5], [2**65], [7], [0.5]], dtype=object),
}
ENCODERS = {
    "ordinal": OrdinalEncoder(),
    "one-hot": OneHotEncoder(sparse_output=False),
    "frequent": OneHotEncoder(min_frequency=2, sparse_output=False),
}


@pytest.mark.parametrize("split", [thirds, single_rows], ids=lambda split: split.__name__)
@pytest.mark.parametrize("encoder", ENCODERS.values(), ids=ENCODERS)
@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_twins(table, encoder, split):
    check(encoder, split(table))


def test_given_categories():
    known = [sorted(set(LONG))]
    table = TABLES["long integers"]
    check(OrdinalEncoder(categories=known), thirds(table))
    given = [np.array([b"aa", b"b", b"c", b"dd"])]
    check(OrdinalEncoder(categories=given), thirds(TABLES["bytes of one length"]))


def test_a_later_step_sees_them():
    pipe = make_pipeline(OneHotEncoder(sparse_output=False), OrdinalEncoder())
    check(pipe, thirds(TABLES["long integers"]))


def test_an_integer_that_is_too_long():
    with pytest.raises(fedps.ClientError, match="column 0"):
        fedps.fit(OrdinalEncoder(), [np.array([[2**8192], [1]], dtype=object)])


def test_rows_as_lists_keep_numbers_beside_text():
    rows = [["x", 10, 1.5], ["y", 9, 2.5], ["x", 10, 1.5]]
    ours, pooled = fedps.fit(OneHotEncoder(), [rows[:1], rows[1:]]), OneHotEncoder().fit(rows)
    assert_same_fit(ours, pooled)
    assert_same_transform(ours, pooled, rows)


@pytest.mark.parametrize("labels", [LabelEncoder(), LabelBinarizer()])
@pytest.mark.parametrize("dtype", ["Int64", "Float64", "boolean"])
def test_nullable_arrays_as_targets(labels, dtype):
    y = pd.array([1, 0, 0, 1], dtype=dtype)
    ours = fedps.fit(labels, [(None, y[:1]), (None, y[1:])])
    assert ours.classes_.tolist() == labels.fit(y).classes_.tolist()
