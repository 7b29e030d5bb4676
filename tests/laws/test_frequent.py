"""Heaviest and FrequentItems: what is left out, the bounds on it, and what is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedps.client.block import TableBlock
from fedps.client.tables import Chunk
from fedps.protocol.packing.arrays import pack
from fedps.protocol.unfolded_size import unfolded_size
from fedps.statistics import Disclosure, FrequentItems, Heaviest, Limits
from fedps.statistics.categories.frequent_items import FrequentSummary
from fedps.statistics.categories.table_sizes import unfolded, water_level
from fedps.statistics.ragged import Ragged

NAN = float("nan")


def summary(statistic, *columns, limits=None):
    """Return what a client with these columns sends."""
    table = pd.DataFrame(dict(enumerate(columns)), dtype=None)
    table.columns = [f"c{j}" for j in range(len(columns))]
    found = statistic.update(
        statistic.empty(len(columns)), TableBlock(table, Chunk(table, None, None))
    )
    return statistic.compact(found) if limits is None else statistic.compact(found, limits)


def told(found, j=0):
    return dict(zip(found.values[j].tolist(), found.counts[j].tolist(), strict=True))


WORDS = pd.Series([*"aaaaabbbbccd", None, NAN], dtype=object)


def test_a_small_table_is_whole():
    found = summary(Heaviest(at_least=4), WORDS)
    assert told(found) == {"a": 5, "b": 4, "c": 2, "d": 1}
    assert found.left.size == 0
    assert (found.none[0], found.nan[0]) == (1, 1)


@pytest.mark.parametrize(
    ("statistic", "kept", "left"),
    [
        (Heaviest(at_least=4, whole=0), "ab", (3, 2)),
        (Heaviest(at_least=3, whole=0), "ab", (3, 2)),
        (Heaviest(at_least=9, whole=0), "", (12, 5)),
        (Heaviest(at_least=4 / 14, whole=0), "ab", (3, 2)),
        (Heaviest(at_least=4.01 / 14, whole=0), "a", (7, 4)),
        (Heaviest(top=1, whole=0), "a", (7, 4)),
        (Heaviest(top=3, whole=0), "abc", (1, 1)),
        (Heaviest(top=9, whole=0), "abcd", None),
        (Heaviest(top=3, at_least=5, whole=0), "abc", (1, 1)),
        (Heaviest(top=3, whole=0, limit=2 * 89), "ab", (3, 2)),
        (Heaviest(top=3, whole=0, limit=0), "", (12, 5)),
        (FrequentItems(k=1), "a", (7, 4)),
        (FrequentItems(k=3), "abc", (1, 1)),
        (FrequentItems(k=4), "abcd", None),
    ],
    ids=repr,
)
def test_what_is_left_out(statistic, kept, left):
    found = summary(statistic, WORDS)
    assert "".join(found.values[0]) == kept
    assert left == (tuple(found.left[:, 0]) if found.left.size else None)
    assert found.support().tolist() == [12]
    (column,) = statistic.result(found)
    assert (column.left, column.bound) == (left or (0, 0))
    assert column.complete == (left is None)


def test_later_values_win_ties():
    assert told(summary(FrequentItems(k=2), list("cabd"))) == {"c": 1, "d": 1}


def test_columns_share_the_limit_in_any_order():
    small, large = pd.Series(["x", "y"] * 50), pd.Series([f"{i:03d}" for i in range(100)])
    statistic = Heaviest(top=5, whole=1000)
    for first, second in ((small, large), (large, small)):
        found = summary(statistic, first, second)
        assert sorted(map(len, found.values)) == [2, 5]


def test_a_policy_bounds_numbers_but_not_words():
    limits = Limits(Disclosure.SUMMARY, 0.25)
    numbers = np.repeat([1.5, 2.5, 3.5, 4.5], [5, 4, 2, 1])
    assert told(summary(Heaviest(top=4), numbers, limits=limits)) == {1.5: 5, 2.5: 4, 3.5: 2}
    assert summary(Heaviest(top=4), WORDS, limits=limits).left.size == 0


items = st.lists(st.sampled_from("abcdefgh"), max_size=30)


@given(
    st.lists(items, min_size=1, max_size=5),
    st.sampled_from(
        [
            FrequentItems(k=1),
            FrequentItems(k=2),
            Heaviest(top=2, whole=0),
            Heaviest(at_least=3, whole=0),
            Heaviest(at_least=0.3, whole=0, limit=200),
            Heaviest(top=1, whole=300),
        ]
    ),
)
def test_counts_are_never_too_high_and_too_low_by_the_bound_at_most(clients, statistic):
    parts = [summary(statistic, pd.Series(rows, dtype=object)) for rows in clients]
    (column,) = statistic.result(statistic.merge_all(parts))
    found = dict(zip(column.found.values, column.found.counts, strict=True))
    pooled = [cell for rows in clients for cell in rows]
    for value in "abcdefgh":
        lower, true = found.get(value, 0), pooled.count(value)
        assert lower <= true <= lower + column.bound
    assert sum(found.values()) + column.left == len(pooled)
    if isinstance(statistic, FrequentItems):
        assert column.bound <= len(pooled) / (statistic.k + 1)


def test_the_bound_of_the_sketch_on_many_rows():
    rng = np.random.default_rng(0)
    for k in (10, 100, 1000):
        statistic = FrequentItems(k=k)
        clients = [rng.zipf(1.2, 5000) % 10**6 for _ in range(8)]
        (column,) = statistic.result(statistic.merge_all([summary(statistic, c) for c in clients]))
        values, counts = np.unique(np.concatenate(clients), return_counts=True)
        lower = dict(zip(column.found.values.tolist(), column.found.counts.tolist(), strict=True))
        error = counts - [lower.get(value, 0) for value in values.tolist()]
        assert error.min() >= 0
        assert error.max() <= column.bound <= 40_000 / (k + 1)


@pytest.mark.parametrize("k", [0, -1, 2.0, "3", True, 10**6])
def test_a_bad_k(k):
    with pytest.raises(ValueError, match="k of 1 to"):
        FrequentItems(k=k)


@pytest.mark.parametrize("share", [-0.1, 0.0, 1.5, NAN])
def test_a_bad_share(share):
    with pytest.raises(ValueError, match="share"):
        Heaviest(at_least=share)


GOOD = (np.array(["a"], dtype=object),), Ragged([np.array([3])])
LEFT = np.array([[4], [2]])
ZERO = np.array([0])


@pytest.mark.parametrize(
    ("left", "field"),
    [
        (np.array([[4], [2]], dtype=np.int32), "left"),
        (np.array([4, 2]), "left"),
        (np.array([[4, 4], [2, 2]]), "left"),
        (np.array([[-4], [2]]), "left"),
        (np.array([[2**40], [2]]), "left"),
        (np.array([[4], [5]]), "left"),
        (np.array([[4], [0]]), "left"),
        (np.array([[3], [2]]), "counts"),
        (np.empty(0, dtype=np.int64), "counts"),
        (np.empty((0, 1), dtype=np.int64), "left"),
    ],
)
def test_what_is_refused(left, field):
    FrequentSummary(*GOOD, LEFT, ZERO, ZERO).check(1, 7)
    with pytest.raises(ValueError, match=field):
        FrequentSummary(*GOOD, left, ZERO, ZERO).check(1, 7)


def test_a_sketch_of_more_items_than_asked_is_refused():
    found = summary(FrequentItems(k=3), WORDS)
    with pytest.raises(ValueError, match="values has 3 items, not at most 2"):
        FrequentItems(k=2).check(found, 1, 14)


def test_counts_must_be_there():
    found = summary(Heaviest(), WORDS)
    without = FrequentSummary(found.values, Ragged(), found.left, found.none, found.nan)
    with pytest.raises(ValueError, match="counts"):
        Heaviest().check(without, 1, 14)


@pytest.mark.parametrize(
    "values",
    [["a", "bcd"], ["zoë", "日本", "x"], [1, 2.5, True], ["😀" * 50], ["a" * 3000]],
    ids=str,
)
def test_sizes_are_at_least_what_a_message_counts(values):
    array = np.array(values, dtype=object)
    packed = pack(array)[4:]
    assert unfolded(array).sum() >= unfolded_size(packed, 10**9) - 72 + 8 * len(values)


@given(st.lists(st.integers(0, 100), max_size=8), st.integers(0, 300))
def test_the_water_level_uses_up_what_there_is(sizes, total):
    level = water_level(sizes, total)
    used = sum(min(size, level) for size in sizes)
    assert used == sum(sizes) if level == float("inf") else used == pytest.approx(total)
    assert water_level(sizes[::-1], total) == level
