"""PairCounts: the same tables as pandas.crosstab gives, and what a policy hides of them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from fedps.client.block import TableBlock
from fedps.client.tables import Chunk
from fedps.statistics import (
    BadCells,
    Disclosure,
    Limits,
    MergeConflict,
    PairCounts,
    in_order,
)
from fedps.statistics.categories import pair_counts
from fedps.statistics.categories.suppression import suppressed
from fedps.statistics.limits import OPEN

ASKED = PairCounts()
RNG = np.random.default_rng(3)
ROWS = 600


def sent(*blocks, limits=OPEN):
    """Return what a client sends of some blocks of rows."""
    summary = ASKED.empty(2)
    for cells in blocks:
        summary = ASKED.update(summary, TableBlock(cells, Chunk(cells, None)))
    summary = ASKED.compact(summary, limits)
    ASKED.check(summary, 2, sum(cells.shape[0] for cells in blocks))
    return summary


def under(least):
    return Limits(Disclosure.SUMMARY, 1.0, count=least)


def as_frame(found):
    return pd.DataFrame(found.counts, index=found.rows, columns=found.columns)


def column(values, gaps=0.1):
    cells = pd.Series(RNG.choice(np.arange(len(values)), ROWS)).map(dict(enumerate(values)))
    return cells.mask(RNG.random(ROWS) < gaps)


KINDS = {
    "text": column(["a", "zoë", "日本", ""]),
    "numbers": column([1.5, -2.0, 1e300]),
    "whole": column([3, 1, 2], 0),
    "truth": column([True, False], 0),
    "truth gaps": column([True, False]).astype("boolean"),
    "category": column(["x", "y"]).astype("category"),
    "bytes": column([b"a", b"\xff"]),
    "times": column(pd.to_datetime(["2020-01-01", "2021-05-03"]), 0),
}


@pytest.mark.parametrize("left", KINDS)
@pytest.mark.parametrize("right", ["text", "numbers", "truth"])
def test_equal_to_pandas(left, right):
    # objects, so that pandas counts cells of any kind
    frame = pd.DataFrame({"left": KINDS[left], "right": KINDS[right]})
    expected = pd.crosstab(frame["left"], frame["right"])
    parts = [frame.iloc[:7], frame.iloc[7:300], frame.iloc[300:]]
    found = ASKED.result(ASKED.merge_all([sent(*parts[:2]), sent(parts[2])]))
    np.testing.assert_array_equal(found.counts, expected.to_numpy())
    assert (
        found.rows.tolist() == sorted(frame["left"].dropna().unique().tolist()) or left == "times"
    )
    assert found.columns.tolist() == expected.columns.tolist()
    assert not found.hidden.any()
    assert not found.unnamed


def test_a_category_beside_gaps_only_is_not_in_the_table():
    frame = pd.DataFrame({"a": ["x", "y", "x", None], "b": [1.0, np.nan, 2.0, 3.0]})
    found = ASKED.result(sent(frame))
    assert found.rows.tolist() == ["x"]
    assert found.columns.tolist() == [1.0, 2.0]
    pd.testing.assert_frame_equal(
        as_frame(found),
        pd.crosstab(frame["a"], frame["b"]),
        check_names=False,
        check_index_type=False,
    )
    nothing = ASKED.result(sent(frame.iloc[[1, 3]]))
    assert (nothing.size, nothing.counts.shape) == (0, (0, 0))


def test_sparse_tables_and_long_ones():
    cells = RNG.integers(0, 3, size=(50, 2)).astype(float)
    found = ASKED.result(sent(sparse.csr_array(cells)))
    np.testing.assert_array_equal(found.counts, pd.crosstab(cells[:, 0], cells[:, 1]))
    apart = np.column_stack([np.arange(200.0), np.arange(200.0)])
    summary = sent(apart)
    assert len(summary.table.counts) == 200  # by position, as most are zero
    np.testing.assert_array_equal(ASKED.result(summary).counts, np.eye(200, dtype=int))


def test_other_orders_of_columns_are_merged():
    frame = pd.DataFrame({"a": KINDS["text"], "b": KINDS["numbers"]})
    least = under(60)
    parts = [sent(frame[:250], limits=least), in_order(sent(frame.loc[250:, ["b", "a"]]), [1, 0])]
    found = ASKED.result(ASKED.merge_all(parts))
    back = ASKED.result(ASKED.merge_all([in_order(part, [1, 0]) for part in parts]))
    np.testing.assert_array_equal(back.counts, found.counts.T)
    np.testing.assert_array_equal(back.hidden, found.hidden.T)
    whole = ASKED.result(ASKED.merge_all([sent(frame[:250]), sent(frame[250:])]))
    np.testing.assert_array_equal(whole.counts, pd.crosstab(frame["a"], frame["b"]))


def test_text_and_numbers_do_not_mix():
    one = sent(pd.DataFrame({"a": ["x"], "b": [1.0]}))
    other = sent(pd.DataFrame({"a": ["x"], "b": ["1"]}))
    with pytest.raises(MergeConflict) as caught:
        ASKED.merge(one, other)
    assert caught.value.position == 1


def test_what_is_refused(monkeypatch):
    with pytest.raises(BadCells, match="width"):
        ASKED.empty(3)
    with pytest.raises(BadCells, match="infinity"):
        sent(np.array([[1.0, np.inf]]))
    monkeypatch.setattr(pair_counts, "MOST_COUNTED_PAIRS", 5)
    with pytest.raises(BadCells, match="too many categories") as caught:
        sent(np.array([[1.0, 1.0], [1.0, 2.0]]), np.array([[2.0, 3.0]]))
    assert caught.value.position == 1


def rows_of(counts):
    """Return a table with as many rows of each pair as given."""
    pairs = np.argwhere(np.ones(np.shape(counts)))
    return np.repeat(pairs, np.ravel(counts), axis=0).astype(float)


def test_small_counts_are_hidden_and_do_not_follow():
    counts = np.array([[20, 3, 40], [30, 25, 50], [8, 9, 70]])
    limits = under(5)
    summary = sent(rows_of(counts), limits=limits)
    found = ASKED.result(summary)
    hidden = suppressed(counts, 5).cells
    assert hidden.sum() == 4
    np.testing.assert_array_equal(found.hidden, hidden)
    np.testing.assert_array_equal(found.counts, np.where(hidden, 0, counts))
    assert {(less.position, less.rule) for less in limits.less} == {
        (0, "min_count"),
        (1, "min_count"),
    }
    both = ASKED.result(ASKED.merge(summary, sent(rows_of(counts[::-1]))))
    np.testing.assert_array_equal(both.hidden, hidden)
    np.testing.assert_array_equal(both.counts, np.where(hidden, 0, counts) + counts[::-1])


def test_rare_categories_are_not_named():
    counts = np.array([[20, 30, 0], [2, 1, 0], [15, 40, 2]])
    summary = sent(rows_of(counts), limits=under(5))
    found = ASKED.result(summary)
    assert found.rows.tolist() == [0.0, 2.0]
    assert found.columns.tolist() == [0.0, 1.0]
    assert found.unnamed
    assert summary.retained().tolist() == [2, 2]
    assert ASKED.result(sent(rows_of([[1, 2], [1, 0]]), limits=under(5))).size == 0


def test_nothing_is_hidden_where_nothing_is_small():
    limits = under(5)
    found = ASKED.result(sent(rows_of([[5, 0, 7], [0, 90, 5]]), limits=limits))
    assert found.counts.tolist() == [[5, 0, 7], [0, 90, 5]]
    assert not limits.less
    assert not found.hidden.any()


def test_units_count_by_as_many_rows_as_surely_have_enough():
    limits = Limits(Disclosure.SUMMARY, 1.0, count=3, sure_count=10)
    found = ASKED.result(sent(rows_of([[50, 9], [60, 70]]), limits=limits))
    assert found.hidden.all()
