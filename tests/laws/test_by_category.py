"""How the target is spread over categories: accuracy, order, and what is refused."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from fedps.client.block import TableBlock
from fedps.client.tables import Chunk
from fedps.statistics import BadCells, ByCategory, ByKnown, MergeConflict, Turns
from fedps.statistics.target.labels import by_turn
from tests.laws.examples import bits


def block(words, y, folds=None):
    cells = np.array(words, dtype=object).reshape(len(y), -1)
    return TableBlock(cells, Chunk(cells, np.asarray(y)), folds=folds)


def fold(statistic, *blocks):
    summary = statistic.empty(blocks[0].width)
    for rows in blocks:
        summary = statistic.update(summary, rows)
    return statistic.compact(summary)


def spread(words, y, word):
    """Return count, mean and variance of the target beside a word, rounded once."""
    values = [Fraction(float(v)) for w, v in zip(words, y, strict=True) if w == word]
    mean = sum(values) / len(values)
    return len(values), float(mean), float(sum((v - mean) ** 2 for v in values) / len(values))


@pytest.mark.parametrize("offset", [0.0, 1e9, -1e12])
def test_moments_beside_categories_are_as_good_as_the_numbers(offset):
    """Also where the means of categories are far apart and each category's numbers are not."""
    rng = np.random.default_rng(0)
    words = rng.choice(["a", "b", "c"], 400)
    y = offset + rng.normal(size=400) * 1e-3 + np.where(words == "b", 1e6, 0)
    parts = [fold(ByCategory(), block(words[i::7], y[i::7])) for i in range(7)]
    found = ByCategory().result(ByCategory().merge_all(parts)).columns[0].sums[0]
    for i, word in enumerate("abc"):
        count, mean, variance = spread(words, y, word)
        assert found.count[i] == count
        np.testing.assert_allclose(found.mean[i], mean, rtol=1e-15)
        np.testing.assert_allclose(found.variance[i], variance, rtol=1e-12)


def test_whole_numbers_here_and_others_there():
    """Clients whose numbers all are whole tell of labels; with others they are numbers again."""
    parts = [
        fold(ByCategory(), block(list("aab"), [1.0, 2.0, 2.0])),
        fold(ByCategory(), block(list("bca"), [0.1, 0.25, 1 / 3])),
        fold(ByCategory(), block(list("cb"), [7, 1])),
    ]
    assert [len(part.labels.values) for part in parts] == [2, 0, 2]
    expected = None
    for order in permutations(parts):
        for grouping in (ByCategory().merge_all(order), left_to_right(order)):
            result = bits(ByCategory().result(grouping))
            assert expected in (None, result)
            expected = result
    found = ByCategory().result(ByCategory().merge_all(parts))
    assert found.labels is None
    words, y = list("aabbcacb"), [1.0, 2.0, 2.0, 0.1, 0.25, 1 / 3, 7, 1]
    for i, word in enumerate("abc"):
        count, mean, variance = spread(words, y, word)
        sums = found.columns[0].sums[0]
        assert sums.count[i] == count
        np.testing.assert_allclose([sums.mean[i], sums.variance[i]], [mean, variance], rtol=1e-15)


def left_to_right(parts):
    first, *others = parts
    for part in others:
        first = ByCategory().merge(first, part)
    return first


def test_folds_are_told_apart():
    words, y = list("aabbca"), ["n", "y", "n", "n", "y", "y"]
    folds = np.array([0, 1, 0, 1, 0, 0])
    known = ByKnown((("a", "c"),), "labels", labels=("n", "y"), folds=2)
    found = known.result(fold(known, block(words, y, folds)))
    np.testing.assert_array_equal(found.columns[0].counts, [[[1, 0], [1, 1]], [[0, 0], [1, 0]]])
    np.testing.assert_array_equal(found.overall.counts, [[[2, 1], [2, 1]]])
    others = ByKnown((("a", "c"),), "labels", labels=("n", "y"), folds=2, others=True)
    found = others.result(fold(others, block(words, y, folds)))
    np.testing.assert_array_equal(found.columns[0].counts[0], [[2, 1], [1, 1]])


def test_sums_without_each_fold():
    y = np.array([1.5, 2.0, 4.0, 8.25])
    known = ByKnown((("a", "b"),), "numbers", folds=2)
    found = known.result(fold(known, block(list("abab"), y, np.array([0, 0, 1, 1]))))
    whole, first, second = found.columns[0].sums
    assert whole.mean.tolist() == [2.75, 5.125]
    assert first.mean.tolist() == [4.0, 8.25]  # without the first fold
    assert second.mean.tolist() == [1.5, 2.0]
    assert [sums.mean.tolist() for sums in found.overall.sums] == [[3.9375], [6.125], [1.75]]


def test_labels_in_the_order_of_their_first_rows():
    labels, turns = by_turn(np.array(["no", "yes", "no", "maybe"], dtype=object))
    assert labels.tolist() == ["no", "yes", "maybe"]
    assert turns.tolist() == [0, 1, 0, 2]
    parts = [
        fold(Turns(), block(list("aa"), [2, 1]), block(list("aaa"), [3, 1, 2])),
        fold(Turns(), block(list("a"), [3])),
    ]
    found = Turns().result(Turns().merge_all(parts))
    assert [(a.tolist(), b.tolist()) for a, b in found.clients] == [
        ([2, 1, 3], [2, 2, 1]),
        ([3], [1]),
    ]


def test_text_and_numbers_do_not_go_together():
    text, numbers, others = ["n", "y"], [0, 1], [0.5, 1.0]
    for statistic in (ByCategory(), ByKnown((("a",),)), Turns()):
        parts = [fold(statistic, block(["a", "b"], y)) for y in (text, numbers, others)]
        for other in parts[1:] if statistic != Turns() else parts[1:2]:
            with pytest.raises(MergeConflict) as conflict:
                statistic.merge(parts[0], other)
            assert conflict.value.what == "target"


def test_no_target_and_unknown_labels():
    cells = np.array([["a"]], dtype=object)
    with pytest.raises(BadCells, match="no target"):
        ByCategory().update(ByCategory().empty(1), TableBlock(cells, Chunk(cells)))
    known = ByKnown((("a",),), "labels", labels=("n",), folds=2)
    with pytest.raises(BadCells, match="folds"):
        known.update(known.empty(1), block(["a"], ["other"], np.array([0])))
    with pytest.raises(BadCells, match="folds"):
        known.update(known.empty(1), block(["a"], ["n"], np.array([2])))
    with pytest.raises(BadCells, match="folds"):
        known.update(known.empty(1), block(["a"], ["n"]))
    with pytest.raises(BadCells, match="too large"):
        ByKnown((("a", "b"),), "numbers", folds=2**31).empty(1)
