"""Columns with very many categories: the fit knows the frequent ones, and does as the pooled one.

What is too large for a message is set to nothing here, so that small tables take the same path as
a million categories; those have a test of their own.
"""

from __future__ import annotations

import warnings
from contextlib import nullcontext, suppress
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, OneHotEncoder, OrdinalEncoder

import fedps
from fedps.errors import ClientError, FedPSError, NotFederated
from fedps.plans.shared import frequent
from fedps.questions import frequent as asked
from tests.twins import partitions, tables
from tests.twins.compare import assert_same_transform
from tests.twins.gaps import unified
from tests.twins.partitions import pool
from tests.twins.quiet import quiet
from tests.twins.rows.many_categories import one_hot, split, zipf
from tests.twins.twin import check, cross, fit_pooled
from tests.twins.unknown import with_unknown

NAN = float("nan")


@pytest.fixture
def cut(monkeypatch):
    """Let no table of categories be small enough for a message."""
    monkeypatch.setattr(frequent, "WHOLE", 0)
    monkeypatch.setattr(asked, "WHOLE", 0)


def check_frequent(encoder, clients, *, probe=None, federation=None):
    """Compare with the pooled fit all that does not list rare categories."""
    table = unified(pool(clients), clients)
    pooled = fit_pooled(encoder, table, None)
    federation = federation or fedps.Federation(clients)
    if isinstance(pooled, Exception):
        with quiet(), pytest.raises((FedPSError, ValueError, TypeError, type(pooled))):
            federation.fit(encoder)
        return None
    with quiet():
        ours = federation.fit(encoder)
    assert list(ours.get_feature_names_out()) == list(pooled.get_feature_names_out())
    for mine, theirs in zip(split(ours), split(pooled), strict=True):
        assert list(map(repr, mine[0])) == list(map(repr, theirs[0]))
        assert (mine[1] is None) == (theirs[1] is None)
    for rows in (table, probe):
        if rows is not None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                assert_same_transform(ours, pooled, rows)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        output = pooled.transform(table)
        if output.shape[1] == 0:
            return ours
        pd.testing.assert_frame_equal(
            pd.DataFrame(ours.inverse_transform(output)),
            pd.DataFrame(pooled.inverse_transform(output)),
        )
    return ours


LEAST = {
    "strings": (one_hot(min_frequency=10), tables.strings),
    "none": (one_hot(min_frequency=9), tables.strings_none),
    "nan": (one_hot(min_frequency=12), tables.strings_nan),
    "both-missing": (one_hot(min_frequency=8), tables.strings_both_missing),
    "share": (one_hot(min_frequency=0.15), tables.strings_nan),
    "tiny-share": (one_hot(min_frequency=1e-9), tables.strings),
    "all-frequent": (one_hot(min_frequency=1), tables.strings),
    "all-rare": (one_hot(min_frequency=10**6), tables.strings),
    "ints": (one_hot(min_frequency=20), tables.int_categories),
    "floats": (one_hot(min_frequency=0.1), tables.float_categories),
    "objects": (one_hot(min_frequency=20), tables.object_ints),
    "truth": (one_hot(min_frequency=45), tables.boolean_categories),
    "categoricals": (one_hot(min_frequency=10), tables.categoricals),
    "default-strings": (one_hot(min_frequency=10), tables.default_strings),
    "polars": (one_hot(min_frequency=10), tables.polars_strings_holes),
    "array": (one_hot(min_frequency=10), tables.array_text),
    "many-ints": (one_hot(min_frequency=2), tables.ints),
}
TOP = {
    "strings": (one_hot(max_categories=3), tables.strings),
    "one": (one_hot(max_categories=1), tables.strings_nan),
    "one-float": (one_hot(max_categories=1), tables.float_categories),
    "two": (one_hot(max_categories=2), tables.strings_none),
    "missing": (one_hot(max_categories=5), tables.strings_both_missing),
    "ties": (one_hot(max_categories=3), tables.ties),
    "more-than-there-are": (one_hot(max_categories=99), tables.strings),
    "ints": (one_hot(max_categories=3), tables.int_categories),
    "large-ints": (one_hot(max_categories=4), tables.ints),
    "both": (one_hot(max_categories=4, min_frequency=10), tables.strings_nan),
    "both-share": (one_hot(max_categories=3, min_frequency=0.1), tables.strings_none),
    "dense": (one_hot(max_categories=3, sparse_output=False), tables.polars_strings),
}
DROP = {
    "first": (one_hot(min_frequency=10, drop="first"), tables.strings),
    "first-all-rare": (one_hot(min_frequency=10**6, drop="first"), tables.strings),
    "if-binary": (one_hot(max_categories=2, drop="if_binary"), tables.strings),
    "rare": (one_hot(max_categories=2, drop=["", "", ""]), tables.strings),
    "frequent": (one_hot(min_frequency=9, drop=["Birne", "Birne", "Birne"]), tables.strings),
    "unknown": (one_hot(max_categories=2, drop=["?", "?", "?"]), tables.strings),
    "missing": (one_hot(max_categories=3, drop=[NAN, NAN, NAN]), tables.strings_nan),
}
HOSTILE = (
    partitions.thirds,
    partitions.alone,
    partitions.empty_first,
    partitions.sorted_rows,
    partitions.ten_unequal,
    partitions.category_at_one,
    partitions.shuffled_columns,
    partitions.missing_at_one,
)


@pytest.mark.usefixtures("cut")
@pytest.mark.parametrize(
    ("encoder", "builder", "partition"),
    [*cross(LEAST, *HOSTILE), *cross(TOP, *HOSTILE), *cross(DROP, *HOSTILE[:5])],
)
def test_frequent_categories(encoder, builder, partition):
    clients = partition(builder())
    check_frequent(encoder, clients, probe=with_unknown(pool(clients)))


MODE = {
    "strings": (SimpleImputer(strategy="most_frequent"), tables.strings_nan),
    "none": (SimpleImputer(strategy="most_frequent", missing_values=None), tables.strings_none),
    "none-counts": (SimpleImputer(strategy="most_frequent"), tables.strings_none),
    "marker": (SimpleImputer(strategy="most_frequent", missing_values="café"), tables.strings),
    "numbers": (SimpleImputer(strategy="most_frequent"), tables.numbers),
    "whole": (SimpleImputer(strategy="most_frequent", missing_values=0), tables.array_ints),
    "indicator": (SimpleImputer(strategy="most_frequent", add_indicator=True), tables.numbers),
    "empty": (SimpleImputer(strategy="most_frequent"), tables.empty_column),
    "ties": (SimpleImputer(strategy="most_frequent"), tables.ties),
    "objects": (SimpleImputer(strategy="most_frequent"), tables.array_objects_holes),
    "sparse": (SimpleImputer(strategy="most_frequent", missing_values=-1), tables.csc),
    "polars": (SimpleImputer(strategy="most_frequent"), tables.polars_numbers),
}


@pytest.mark.usefixtures("cut")
@pytest.mark.parametrize(("imputer", "builder", "partition"), cross(MODE, *HOSTILE))
def test_most_frequent_values(imputer, builder, partition):
    check(imputer, partition(builder()))


cells = st.lists(st.sampled_from([*"abcdefghijkl", None, NAN]), max_size=40)


@given(
    st.lists(cells, min_size=1, max_size=5),
    st.sampled_from([1, 3, 4, 8, 0.05, 0.1, 0.25, None]),
    st.sampled_from([1, 2, 3, 5, None]),
    st.sampled_from([1, 2, 64]),
    st.sampled_from([0, 300, 10**6]),
    st.sampled_from([300, 10**6]),
)
def test_any_clients(clients, least, top, spare, whole, limit):
    """Small local tops make the third phase happen, and small counts make ties."""
    clients = [pd.DataFrame({"x": pd.Series(rows, dtype=object)}) for rows in clients]
    if sum(map(len, clients)) == 0 or (least is None and top is None):
        return
    with pytest.MonkeyPatch.context() as patch:
        for module in (frequent, asked):
            patch.setattr(module, "WHOLE", whole)
            patch.setattr(module, "LIMIT", limit)
        patch.setattr(asked, "SPARE", spare)
        patch.setattr(asked, "MORE", 1)
        unknown = pd.DataFrame({"x": ["a", "?"]}, dtype=object)
        too_small = suppress(NotFederated) if limit == 300 else nullcontext()
        with too_small:
            check_frequent(one_hot(min_frequency=least, max_categories=top), clients, probe=unknown)
        imputer = SimpleImputer(strategy="most_frequent")
        if isinstance(fit_pooled(imputer, unified(pool(clients), clients)), TypeError):
            return  # older versions of scikit-learn cannot tell None from text where they tie
        with too_small:
            check(imputer, clients)


def words(**counts):
    return pd.DataFrame({"x": np.repeat(list(counts), list(counts.values()))}, dtype=object)


@pytest.mark.usefixtures("cut")
@pytest.mark.parametrize(
    ("clients", "often"),
    [
        ([words(a=9, x=8), words(b=9, x=8), words(c=9, x=8)], ["c", "x"]),
        ([words(a=5, b=4, c=4), words(d=5, b=1, c=1)], ["c", "d"]),
        ([words(a=3, z=1), words(b=3, z=1), words(c=3, z=1), words(z=1)], ["c", "z"]),
    ],
    ids=["hidden", "tied", "thin"],
)
def test_three_phases(clients, often, monkeypatch):
    """What no client has at its top can win, and ties fall as in scikit-learn."""
    monkeypatch.setattr(asked, "SPARE", 1)
    monkeypatch.setattr(asked, "MORE", 0)
    federation = fedps.Federation(clients)
    found = check_frequent(one_hot(max_categories=3), clients, federation=federation)
    assert federation.run.rounds == 3
    assert split(found)[0][0] == often
    check(SimpleImputer(strategy="most_frequent"), clients)


def test_the_same_encoder_however_the_rows_are_spread(monkeypatch):
    monkeypatch.setattr(frequent, "WHOLE", 2000)
    monkeypatch.setattr(asked, "WHOLE", 2000)
    rng = np.random.default_rng(5)
    rows = pd.DataFrame({"x": rng.zipf(1.5, 400).astype(str), "y": rng.integers(0, 3, 400)})
    encoder = one_hot(min_frequency=12)
    found = [
        fedps.fit(encoder, [rows.iloc[part] for part in np.array_split(np.arange(400), clients)])
        for clients in (1, 3, 40)
    ]
    for other in found[1:]:
        for mine, theirs in zip(other.categories_, found[0].categories_, strict=True):
            assert mine.tolist() == theirs.tolist()
    assert found[0].infrequent_categories_[0].tolist() == ["infrequent_sklearn"]
    assert found[0].categories_[1].tolist() == [0, 1, 2]


@pytest.mark.usefixtures("cut")
def test_a_stand_in_is_none_of_the_frequent_categories():
    words = ["infrequent_sklearn"] * 5 + ["b"] * 4 + ["c"]
    found = check_frequent(one_hot(min_frequency=3), [pd.DataFrame({"x": words})])
    assert found.infrequent_categories_[0].tolist() == ["infrequent_sklearn_"]
    numbers = [0] * 4 + [1] * 4 + [7, 8]
    found = check_frequent(one_hot(min_frequency=3), [pd.DataFrame({"x": numbers})])
    assert found.infrequent_categories_[0].tolist() == [2]


@pytest.mark.usefixtures("cut")
@pytest.mark.parametrize("drop", [None, "first"])
def test_in_a_pipeline_and_a_column_transformer(drop):
    """Later steps see the same columns; a sparse output is judged by its true number of ones."""
    table = tables.people()
    words = [name for name in table if table[name].dtype == object or table[name].dtype == "str"]
    clients = partitions.thirds(table)
    stack = make_column_transformer(
        (make_pipeline(one_hot(min_frequency=10), MaxAbsScaler()), words),
        (one_hot(max_categories=3, drop=drop), words),
    )
    federation = fedps.Federation(clients)
    with quiet():
        ours = federation.fit(stack)
        pooled = clone(stack).fit(table)
        assert ours.sparse_output_ == pooled.sparse_output_
        assert_same_transform(ours, pooled, table)


@pytest.mark.parametrize(
    "encoder",
    [one_hot(min_frequency=320), one_hot(min_frequency=0.01), one_hot(max_categories=10)],
    ids=repr,
)
def test_fewer_bytes_than_full_tables(encoder, monkeypatch):
    rng = np.random.default_rng(7)
    clients = [
        pd.DataFrame({"x": np.char.add("word-", zipf(1000, rng).astype(str)).astype(object)})
        for _ in range(32)
    ]
    full = fedps.Federation(clients)
    full.fit(encoder)
    monkeypatch.setattr(frequent, "WHOLE", 0)
    monkeypatch.setattr(asked, "WHOLE", 0)
    federation = fedps.Federation(clients)
    check_frequent(encoder, clients, federation=federation)
    up = [sum(f.run.bytes_up.values()) / 32 for f in (full, federation)]
    assert federation.run.rounds == 2
    assert up[1] < up[0] / 3


def ids(start, stop):
    """Return many different words, quickly."""
    return np.char.add("customer-", np.arange(start, stop).astype(str)).astype(object)


@pytest.fixture(scope="module")
def million():
    """A million strings over ten clients, of which two hold more than fits a message each."""
    often = [np.repeat([f"shop-{i}" for i in range(20)], 5 + i) for i in range(10)]
    edges = [0, 400_000, *range(800_000, 1_000_001, 25_000)]
    parts = [ids(start, stop) for start, stop in pairwise(edges)]
    return [
        pd.DataFrame({"x": np.concatenate([part, some.astype(object)])})
        for part, some in zip(parts, often, strict=True)
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("estimator", "rounds"),
    [
        (one_hot(min_frequency=80), 2),
        (one_hot(min_frequency=5e-5), 2),
        (one_hot(max_categories=21), 2),
        (SimpleImputer(strategy="most_frequent"), 2),
    ],
    ids=repr,
)
def test_a_million_strings(million, estimator, rounds):
    federation = fedps.Federation(million)
    found = federation.fit(estimator)
    assert federation.run.rounds == rounds
    assert max(federation.run.bytes_up.values()) < 2**20
    shops = sorted(f"shop-{i}" for i in range(20))
    if isinstance(estimator, SimpleImputer):
        assert found.statistics_.tolist() == ["shop-0"]
        return
    assert found.categories_[0].tolist() == ["infrequent_sklearn", *shops]
    probe = pd.DataFrame({"x": ["shop-3", "customer-5", "customer-999999", "never seen"]})
    expected = np.zeros((4, 21))
    expected[0, shops.index("shop-3")] = expected[1:, 20] = 1
    np.testing.assert_array_equal(found.transform(probe).toarray(), expected)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("estimator", "error", "words"),
    [
        (OneHotEncoder(), ClientError, "more categories in column 'x'"),
        (OrdinalEncoder(min_frequency=5), ClientError, "handle_unknown='infrequent_if_exist'"),
        (one_hot(min_frequency=2), NotFederated, "column 'x' has more values.*min_frequency="),
    ],
    ids=repr,
)
def test_what_cannot_be_done_says_what_can(million, estimator, error, words):
    with pytest.raises(error, match=words):
        fedps.fit(estimator, million)


def test_no_value_stands_out():
    clients = [pd.DataFrame({"x": ids(i, i + 200_000)}) for i in (0, 200_000)]
    with pytest.raises(NotFederated, match=r"No value stands out.*FrequentItems"):
        fedps.fit(SimpleImputer(strategy="most_frequent"), clients)
