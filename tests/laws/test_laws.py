"""Laws that every statistic keeps: without them no result could be that of the pooled rows."""

from __future__ import annotations

from typing import get_args

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedps.protocol.codec import decode_part, encode_part
from fedps.protocol.packing.arrays import Budget
from fedps.statistics import (
    AnyStatistic,
    ByKnown,
    Changes,
    Clusters,
    CoMoments,
    Completed,
    Cubes,
    Donors,
    FarthestRows,
    Gram,
    Known,
    Moments,
    Neighbours,
    Patterns,
    PickedRows,
    Potentials,
    PowerSums,
    RowClusters,
    Within,
    in_order,
)
from fedps.statistics.products.triangular_factors import Factor
from fedps.statistics.products.triangular_factors import moved as about
from fedps.statistics.ragged import Ragged
from tests.laws.examples import (
    CASES,
    FEWER,
    SETTINGS,
    WIDTH,
    bits,
    case_id,
    fold,
    pooled,
    rows,
    width_of,
)

OF_NEIGHBOURS = Donors | Neighbours
OF_IMPUTATIONS = Changes | Completed
OF_CENTRES = FarthestRows | PickedRows | Potentials | RowClusters
ABOUT_WHOLE_ROWS = OF_NEIGHBOURS | OF_IMPUTATIONS | OF_CENTRES
every_case = pytest.mark.parametrize(("statistic", "kinds"), CASES, ids=case_id)


def law(test):
    """Try a law on all statistics; each has several settings, which share the usual examples."""
    return every_case(FEWER(given(st.data())(test)))


def test_every_statistic_has_examples():
    # those about rows of several owners have laws of their own: test_aligned.py
    assert {kind for kind in get_args(AnyStatistic) if not kind.aligned} == set(SETTINGS)


def clients(data, kind, most=5):
    """Draw what some clients hold: each some blocks of rows, or nothing."""
    blocks = st.lists(rows(kind), max_size=2)
    return data.draw(st.lists(blocks, min_size=1, max_size=most))


def merged_somehow(statistic, summaries, data):
    """Merge in a drawn order and grouping."""
    # what tells the clients apart keeps their order, and only the grouping may vary
    items = list(summaries if statistic.ordered else data.draw(st.permutations(summaries)))
    while len(items) > 1:
        i = data.draw(st.integers(0, len(items) - 2))
        items[i : i + 2] = [statistic.merge(items[i], items[i + 1])]
    return items[0]


@law
def test_nothing_is_the_identity(statistic, kinds, data):
    kind = data.draw(st.sampled_from(kinds))
    summary = fold(statistic, data.draw(rows(kind)))
    nothing = statistic.empty(width_of(statistic))
    alone = bits(statistic.result(summary))
    assert bits(statistic.result(statistic.merge(nothing, summary))) == alone
    assert bits(statistic.result(statistic.merge(summary, nothing))) == alone
    assert bits(statistic.result(statistic.merge_all([nothing, summary, nothing]))) == alone


@law
def test_order_and_grouping_change_no_bit(statistic, kinds, data):
    kind = data.draw(st.sampled_from(kinds))
    summaries = [fold(statistic, *blocks) for blocks in clients(data, kind)]
    expected = statistic.result(statistic.merge_all(summaries))
    found = statistic.result(merged_somehow(statistic, summaries, data))
    assert bits(found) == bits(expected)


@law
def test_chunks_do_not_matter(statistic, kinds, data):
    kind = data.draw(st.sampled_from(kinds))
    parts = data.draw(st.lists(rows(kind), min_size=1, max_size=4))
    whole = pooled(parts)
    expected = statistic.result(fold(statistic, whole))
    found = statistic.result(fold(statistic, *parts))
    if not statistic.exact:
        # a sketch tosses coins where it runs out of room: what it counts is the same, and its ranks
        # are within its bound (test_sketches.py), but which cells it keeps depends on the chunks
        for some, other in zip(found, expected, strict=True):
            facts = [(s.n, s.nan, s.minimum, s.maximum) for s in (some, other)]
            assert bits(facts[0]) == bits(facts[1])
        return
    if isinstance(statistic, PowerSums):
        for some, other, cells in zip(found, expected, whole.cells.T, strict=True):
            if spans(cells):  # else slopes are rounding
                np.testing.assert_allclose(some, other, rtol=1e-7, atol=1e-7)
        return
    if isinstance(statistic, Patterns):
        # a pivot is between the cells of all patterns, and each pattern is rounded as seen from there
        spread = np.ptp(np.nan_to_num(whole.cells.astype(np.float64)), axis=0)
        same_products(found, expected, spread)
        return
    if isinstance(statistic, Completed | Gram):
        same_products(found, expected)
        return
    if isinstance(statistic, CoMoments):
        same_correlations(found, expected, whole.cells.astype(np.float64))
        return
    if isinstance(statistic, Changes):
        np.testing.assert_allclose(found.changes, expected.changes, rtol=1e-12)
        assert found.beyond == expected.beyond
        return
    rounded = isinstance(statistic, Moments) and (statistic.weight or "whole" not in kind)
    if not rounded:
        assert bits(found) == bits(expected)
        return
    cells = whole.cells.astype(np.float64)
    cells = np.where(np.isnan(cells), 0.0, cells)
    size, spread = np.abs(cells).max(axis=0), np.ptp(cells, axis=0)
    assert bits(found.count) == bits(expected.count)
    np.testing.assert_array_equal(np.isnan(found.mean), np.isnan(expected.mean))
    close(found.mean, expected.mean, size)
    if statistic.order > 1:
        close(found.variance, expected.variance, np.maximum(spread, size * 1e-8) ** 2)


def same_products(found, expected, spread=0.0):
    """Compare factors by what they stand for: a triangle of few rows moves with a rounding."""
    if not isinstance(found, Factor):
        for some, other in zip(factors_of(found), factors_of(expected), strict=True):
            same_products(some, other, spread)
        return
    assert found.count == expected.count
    triangle = about(found, expected.pivot).triangle
    size = 2 * np.abs(expected.triangle).max(axis=0, initial=0)  # squares could underflow
    size[1:] += (
        1e-14 * np.sqrt(found.count) * np.abs(expected.pivot) + np.sqrt(found.count) * spread
    )
    away = np.abs(triangle.T @ triangle - expected.triangle.T @ expected.triangle)
    assert (away <= 1e-12 * np.outer(size, size) + 1e-300).all()


def same_correlations(found, expected, cells):
    """Compare correlations where they are more than rounding, over the rows that have both columns."""
    assert bits(found.counts) == bits(expected.counts)
    assert found.complete == expected.complete
    for i, j in np.ndindex(expected.correlation.shape):
        both = cells[~np.isnan(cells[:, [i, j]]).any(axis=1)][:, [i, j]]
        if len(both) and ((span := np.ptp(both, axis=0)) > 0).all():
            if (span > 1e-100).all() and (span > 1e-9 * np.abs(both).max(axis=0)).all():
                assert abs(found.correlation[i, j] - expected.correlation[i, j]) <= 1e-12
        else:
            assert np.isnan(found.correlation[i, j])
            assert np.isnan(expected.correlation[i, j])


def factors_of(found):
    """Return the factors in what a statistic gives: one for each group, or pattern of gaps."""
    if isinstance(found, list):
        return found
    rows = found.condensed
    assert bits(rows.counts @ rows.seen) == bits(found.observed)
    return [
        Factor(
            float(count),
            np.where(seen, rows.pivot, 0),
            np.column_stack([rows.ones, rows.rows])[rows.pattern == p],
        )
        for p, (count, seen) in enumerate(zip(rows.counts, rows.seen, strict=True))
    ]


def spans(cells):
    present = cells[~np.isnan(cells)]
    return present.size > 0 and np.ptp(present) >= 1


def close(found, expected, scale):
    lost = np.isnan(expected)
    assert (np.abs(found - expected)[~lost] <= 1e-14 * scale[~lost] + 1e-300).all()


@law
def test_bytes_and_back(statistic, kinds, data):
    kind = data.draw(st.sampled_from(kinds))
    summary = fold(statistic, *data.draw(st.lists(rows(kind), max_size=2)))
    packed = encode_part(summary)
    back = decode_part(packed, statistic.summary, "a client", Budget())
    assert bits(back) == bits(summary)
    assert encode_part(back) == packed


@every_case
def test_a_statistic_is_its_bytes(statistic, kinds):
    assert kinds
    back = decode_part(encode_part(statistic), AnyStatistic, "the server", Budget(), "Ask")
    assert bits(back) == bits(statistic)


@law
def test_columns_in_another_order(statistic, kinds, data):
    kind = data.draw(st.sampled_from(kinds))
    parts = data.draw(st.lists(rows(kind), max_size=2))
    order = data.draw(st.permutations(range(width_of(statistic))))
    if isinstance(statistic, ABOUT_WHOLE_ROWS):
        return  # asked of columns by name, so that all clients have them in one order
    moved = statistic
    if isinstance(statistic, Known | ByKnown):
        categories = tuple(statistic.categories[i] for i in order)
        moved = msgspec.structs.replace(statistic, categories=categories)
    if isinstance(statistic, Within):
        intervals = tuple(statistic.intervals[i] for i in order)
        moved = msgspec.structs.replace(statistic, intervals=intervals)
    if isinstance(statistic, Clusters):
        own = iter(statistic.means)
        means = [next(own) if centres.size else None for centres in statistic.centres]
        kept = np.array([means[i] for i in order if means[i] is not None])
        moved = Clusters(Ragged(statistic.centres[i] for i in order), kept)
    if isinstance(statistic, Cubes):
        moved = Cubes(statistic.pivots[order])
    if isinstance(statistic, PowerSums):
        moved = PowerSums(tuple(statistic.trials[i] for i in order))
    expected = moved.empty(width_of(statistic))
    for part in parts:
        expected = moved.update(expected, part.block(order))
    found = in_order(fold(statistic, *parts), order)
    if isinstance(statistic, Gram | Patterns):
        same_products(moved.result(found), moved.result(moved.compact(expected)))
        return
    if isinstance(statistic, CoMoments):
        cells = [np.empty((0, WIDTH)), *(part.cells[:, order] for part in parts)]
        whole = np.concatenate(cells).astype(np.float64)
        same_correlations(moved.result(found), moved.result(moved.compact(expected)), whole)
        return
    assert bits(moved.result(found)) == bits(moved.result(moved.compact(expected)))


@law
def test_what_honest_clients_send_is_accepted(statistic, kinds, data):
    kind = data.draw(st.sampled_from(kinds))
    parts = data.draw(st.lists(rows(kind), max_size=3))
    summary = fold(statistic, *parts)
    statistic.check(summary, summary.width or 0, sum(len(part.cells) for part in parts))


@law
def test_rows_behind_a_summary(statistic, kinds, data):
    kind = data.draw(st.sampled_from(kinds))
    part = data.draw(rows(kind))
    support = fold(statistic, part).support()
    assert support.shape in ((0,), (width_of(statistic),))
    if getattr(statistic, "weight", None) is None:
        assert (support <= len(part.cells)).all()
