"""Slices of the number line: enough cells in each, and nothing that a question could refine."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedps.client.block import TableBlock
from fedps.statistics import Within
from fedps.statistics.limits import Disclosure, Limits, Pairs
from fedps.statistics.order import within_limits
from fedps.statistics.order.bins import binned
from fedps.statistics.order.float_keys import values_of
from fedps.statistics.order.sliced_column import SlicedColumn
from fedps.statistics.order.slices import Column
from fedps.statistics.order.tables import Bins, Tallies, Tally

MOST = np.finfo(np.float64).max
NUMBERS = st.one_of(
    st.integers(-5, 5).map(float),
    st.floats(0.9, 1.1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([-MOST, -5e-324, -0.0, 0.0, 5e-324, 2.0**-1022, 1e300, MOST]),
)
CELLS = st.lists(NUMBERS, min_size=1, max_size=120).map(lambda cells: np.array(cells) + 0.0)
FLOORS = st.integers(0, 12)
law = settings(max_examples=2 * settings().max_examples)


def tally_of(cells):
    return Tally(*np.unique(cells, return_counts=True))


def fine_slices(cells, floor, pairs=None):
    column = Column(tally_of(cells), pairs)
    edges = column.edges(floor)
    return edges, column.slices(edges, floor, first=True, last=True)


def between(cells, keys):
    """Return how many cells are in each of the slices that begin at some keys."""
    cuts = np.searchsorted(np.sort(cells), values_of(keys))
    return np.diff(cuts, prepend=0, append=cells.size)


def sliced(cells, floor, level=Disclosure.AGGREGATE, **limits):
    return SlicedColumn(tally_of(cells), Bins(), Limits(level, 1.0, floor, **limits), 0, False)


@law
@given(CELLS, FLOORS)
def test_each_slice_has_enough_cells(cells, floor):
    edges, slices = fine_slices(cells, floor)
    if edges.keys.size:
        assert between(cells, edges.keys).min() >= max(floor, 1)
    assert slices.counts.sum() == cells.size
    assert (slices.lower < slices.upper).all()
    # each count is true: as many cells are between the ends, or more where slices overlap
    inside = [
        np.count_nonzero((low < cells) & (cells <= high))
        for low, high, _ in zip(*slices, strict=True)
    ]
    assert (np.array(inside) >= slices.counts).all()


@law
@given(CELLS, st.integers(2, 12))
def test_no_value_is_shown_that_few_cells_have(cells, floor):
    _, slices = fine_slices(cells, floor)
    single = np.nextafter(slices.lower, np.inf) == slices.upper
    for value in slices.upper[single]:
        assert np.count_nonzero(cells == value) >= min(floor, cells.size)


@given(CELLS)
def test_without_a_floor_slices_are_values(cells):
    for floor in (0, 1):
        _, slices = fine_slices(cells, floor)
        table = tally_of(cells)
        assert (np.nextafter(slices.lower, np.inf) == slices.upper).all()
        np.testing.assert_array_equal(slices.upper, table.values)
        np.testing.assert_array_equal(slices.counts, table.counts)


def test_at_the_floor_and_one_below():
    cells = np.concatenate([np.linspace(1.1, 1.2, 10), np.linspace(1.6, 1.9, 10)])
    edges, _ = fine_slices(cells, 10)
    assert values_of(edges.keys).tolist() == [1.5]
    assert not fine_slices(cells, 11)[0].keys.size
    assert not fine_slices(cells[1:], 10)[0].keys.size


@law
@given(CELLS, st.integers(1, 6), st.integers(1, 12))
def test_more_cells_in_each_leave_out_edges(cells, floor, more):
    column = Column(tally_of(cells))
    fine, coarse = column.edges(floor), column.edges(floor, floor + more)
    kept = fine.strength >= floor + more
    np.testing.assert_array_equal(coarse.keys, fine.keys[kept])
    np.testing.assert_array_equal(coarse.strength, fine.strength[kept])


@law
@given(CELLS, st.integers(2, 12), st.lists(NUMBERS, min_size=2, max_size=12), st.integers(1, 20))
def test_no_question_refines_slices(cells, floor, ends, most):
    """Whatever intervals are asked for, and whatever the budget is: ends are those of the finest slices."""
    edges, finest = fine_slices(cells, floor)
    known = {*finest.lower, *finest.upper, *values_of(edges.keys - np.uint64(1)), -np.inf, np.inf}
    ends = np.sort(np.array(ends[: len(ends) // 2 * 2])).reshape(-1, 2).T
    for numbers in (None, np.array([most])):
        column = sliced(cells, floor, numbers=numbers)
        for slices in (column.within(ends), column.cut(most)):
            assert set(slices.lower) | set(slices.upper) <= known
            assert slices.counts.sum() == cells.size
            assert numbers is None or slices.counts.size <= most


@law
@given(CELLS, st.integers(2, 12))
def test_cells_could_be_all_alike(cells, floor):
    """Edges are the same if all cells of a slice are one number: no cell stands out among so many."""
    edges, _ = fine_slices(cells, floor)
    cells = np.sort(cells)
    keys = edges.keys
    column = Column(tally_of(cells))
    cuts = np.concatenate([[0], np.searchsorted(cells, values_of(keys)), [cells.size]])
    alike = cells.copy()
    for start, stop in pairwise(cuts.tolist()):
        alike[start:stop] = _inner(cells, keys, start, stop, column)
    again, _ = fine_slices(alike, floor)
    np.testing.assert_array_equal(again.keys, keys)


def _inner(cells, keys, start, stop, column):
    """Return a number of a slice in the smaller of the two halves that its edges are between."""
    firsts = values_of(keys)
    low = firsts[firsts <= cells[start]].max(initial=-np.inf)
    high = firsts[firsts > cells[stop - 1]].min(initial=np.inf)
    halves = []
    for first, side in ((low, 1), (high, -1)):
        if np.isfinite(first):
            (key,) = keys[firsts == first].tolist()
            half = key & -key
            halves.append((key, key + half - 1) if side > 0 else (key - half, key - 1))
    if not halves:
        return cells[start]
    first, last = min(halves, key=lambda half: half[1] - half[0])
    inside = [int(k) for k in column.keys if first <= k <= last]
    return values_of(np.array(inside[:1], dtype=np.uint64))[0]


# Units


@given(CELLS, st.integers(1, 6), st.data())
def test_slices_have_enough_units(cells, floor, data):
    cells = np.sort(cells)
    whose = np.array(
        data.draw(st.lists(st.integers(0, 9), min_size=cells.size, max_size=cells.size))
    )
    pairs = np.unique(np.stack([cells, whose], axis=1), axis=0)
    edges, _ = fine_slices(cells, floor, Pairs(pairs[:, 0], pairs[:, 1].astype(int)))
    every, _ = fine_slices(cells, floor)
    assert set(edges.keys.tolist()) <= set(every.keys.tolist())
    if edges.keys.size:
        place = np.searchsorted(
            edges.keys, Column(Tally(cells, np.ones(cells.size, int))).keys, "right"
        )
        for number in range(edges.keys.size + 1):
            assert np.unique(whose[place == number]).size >= floor


def test_one_person_with_many_cells_makes_no_slice():
    cells = np.concatenate([np.linspace(1.1, 1.2, 30), np.linspace(1.6, 1.9, 30)])
    whose = np.concatenate([np.zeros(30, int), np.arange(30)])
    edges, slices = fine_slices(cells, 10, Pairs(cells, whose))
    assert not np.isin(1.5, values_of(edges.keys))
    assert slices.counts.sum() == 60
    fewer = np.concatenate([np.arange(30) % 10, np.arange(30)])
    assert np.isin(1.5, values_of(fine_slices(cells, 10, Pairs(cells, fewer))[0].keys))


# What is noted


@pytest.mark.parametrize(
    ("limits", "rule"),
    [
        ({}, "level"),
        ({"level": Disclosure.SUMMARY}, "max_share"),
        ({"numbers": np.array([2])}, "budget"),
    ],
)
def test_that_less_is_shown_is_noted(limits, rule):
    column = sliced(np.linspace(1, 2, 100), 10, **limits)
    column.cut(8)
    assert column._limits.less == [(0, rule, "counts in slices of at least 10 cells")]
    alike = sliced(np.ones(100), 10, **limits)
    assert alike.cut(8).upper.tolist() == [1.0]
    assert not alike._limits.less


# More cells than are held, or than are sorted


@given(CELLS, st.integers(2, 12), st.integers(2, 20))
def test_slices_of_cells_that_are_held_in_bins(cells, floor, held):
    """Each count is true: at least so many cells are between the ends."""
    kept, bins = binned(Tallies.of([tally_of(cells)]), np.array([held]))
    column = SlicedColumn(kept[0], bins[0], Limits(Disclosure.AGGREGATE, 1.0, floor), 0, False)
    for slices in (column.cut(5), column.within(np.array([[-1.0], [2.0]]))):
        assert slices.counts.sum() == cells.size
        ends = zip(slices.lower, slices.upper, strict=True)
        inside = [np.count_nonzero((low < cells) & (cells <= high)) for low, high in ends]
        assert (np.array(inside) >= slices.counts).all()


def test_of_many_rows_the_number_of_cells_is_left(monkeypatch):
    """Where only a few intervals were looked into, and their values are more than may be shown."""
    monkeypatch.setattr(within_limits, "FEW_ROWS", 50)
    cells = np.arange(1.0, 101.0)
    asked = Within((np.array([[0.0], [40.0]]),))
    for most, shown in ((40, 40), (39, 0)):
        limits = Limits(Disclosure.SUMMARY, most / 100, 10)
        computed = asked.under(limits)
        seen = computed.update(computed.empty(1), TableBlock(cells[:, None], None))
        found = computed.compact(seen, limits)
        assert seen.every is None
        assert found.tallies()[0].values.size == shown == int(found.retained()[0])
        assert [less.rule for less in limits.less] == ([] if shown else ["max_share"])
        if not shown:
            assert found.slices()[0].counts.tolist() == [100]
            assert not found.below[0].any()
