"""k-means on one column: scikit-learn's edges, from tables and without them."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.preprocessing import KBinsDiscretizer

import fedps
import fedps.plans.rows.bins
import fedps.questions.order
from fedps.errors import UsageError
from fedps.plans.shared.lloyd import edges_from_table, kmeans_edges
from fedps.protocol.plan import View
from fedps.statistics import Clusters, Farthest, Marginal
from fedps.statistics.clusters.assign_values import nearest_to_values
from fedps.statistics.clusters.farthest_values import farthest_cells
from fedps.statistics.order.tables import Bins, Tally
from fedps.statistics.ragged import Ragged
from tests.rotation import in_turn

ROWS = 1000


def columns(seed, rows=ROWS):
    """Return columns of every kind, by name."""
    rng = np.random.default_rng(seed)
    return {
        "normal": rng.normal(size=rows),
        "lognormal": rng.lognormal(size=rows) * 100,
        "cauchy": rng.standard_cauchy(rows),
        "whole": rng.integers(0, 5000, rows).astype(float),
        "years": rng.integers(1900, 2024, rows).astype(float),
        "far away": 1e9 + rng.normal(size=rows),
        "far away, whole": 1e9 + rng.integers(0, 300, rows),
        "narrow range": 1 + 1e-7 * rng.random(rows),
        "tiny": 1e-12 * rng.random(rows),
        "mostly zero": np.where(rng.random(rows) < 0.9, 0.0, rng.lognormal(2, 1, rows)),
        "two values": rng.integers(0, 2, rows).astype(float),
        "float32": rng.normal(size=rows).astype(np.float32),
    }


def table_of(column):
    values, counts = np.unique(column.astype(np.float64), return_counts=True)
    return Marginal(Tally(values, counts), Bins(), 0, column.dtype == np.float32)


def pooled_edges(column, bins):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        binner = KBinsDiscretizer(bins, encode="ordinal", strategy="kmeans", subsample=None)
        return binner.fit(column[:, None]).bin_edges_[0]


def wide_enough(edges):
    """Return the edges that KBinsDiscretizer keeps."""
    return edges[np.ediff1d(edges, to_begin=np.inf) > 1e-8]


def assert_same_edges(found, expected, column):
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    # scikit-learn adds up 32-bit columns in 32 bits
    tolerance = 1e-5 if column.dtype == np.float32 else 1e-9
    difference = np.abs(found.astype(np.float64) - expected).max()
    assert difference <= tolerance * np.ptp(column.astype(np.float64))
    if column.dtype == np.float64:
        ours, theirs = (np.searchsorted(e[1:-1], column, side="right") for e in (found, expected))
        np.testing.assert_array_equal(ours, theirs)


def differs_from_itself(column, bins, expected):
    """Whether scikit-learn finds other edges for the same rows in another order."""
    for seed in range(12):
        shuffled = np.random.default_rng(seed).permutation(column)
        other = pooled_edges(shuffled, bins)
        scale = np.ptp(column.astype(np.float64))
        if other.shape != expected.shape or np.abs(other - expected).max() > 1e-5 * scale:
            return True
    return False


BINS = (2, 3, 5, 8, 10, 20)


@pytest.mark.filterwarnings("ignore:Number of distinct clusters")
@pytest.mark.parametrize(("kind", "bins"), in_turn(zip(columns(0)), BINS))
def test_from_a_table(kind, bins):
    for seed in range(4):
        column = columns(seed)[kind]
        expected = pooled_edges(column, bins)
        found = wide_enough(edges_from_table(table_of(column), bins))
        try:
            assert_same_edges(found, expected, column)
        except AssertionError:
            # a tie that the order of rows decides there is the one excuse
            if not differs_from_itself(column, bins, expected):
                raise


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_nearest_is_what_the_distances_say(kind):
    rng = np.random.default_rng(0)
    cases = [
        (rng.integers(-20, 20, 500) - 0.25, rng.integers(-40, 40, 9) / 2 - 0.25),
        (rng.standard_cauchy(500), rng.standard_cauchy(100)),
        (1 + rng.integers(-9, 9, 500) * 1e-16, 1 + rng.integers(-9, 9, 5) * 1e-16),
        (rng.normal(size=500) * 1e200, rng.normal(size=5) * 1e200),
        (rng.normal(size=500), np.zeros(3)),
    ]
    with np.errstate(over="ignore", invalid="ignore"):
        for numbers, centres in cases:
            x, c = np.clip([*numbers], -1e30, 1e30).astype(kind), np.clip(centres, -1e30, 1e30)
            c = c.astype(kind)
            expected = (c * c - (x[:, None] * c) * 2).argmin(axis=1)
            np.testing.assert_array_equal(nearest_to_values(x, c), expected)


def test_equally_far_cells():
    values, centres = np.array([0.0, 4.0, 9.0]), np.array([1.0, 5.0, 8.0])
    assert farthest_cells(values, np.array([1, 1, 1]), centres, 0.0, 2).tolist() == [9.0, 4.0]
    assert farthest_cells(values, np.array([5, 1, 2]), centres, 0.0, 6).tolist() == [0.0] * 5 + [
        9.0
    ]


# Without tables: over real clients, which may not spend a byte on them.


def fit(tables, bins):
    """Return the edges that a federation finds without tables, and the record of the run."""
    federation = fedps.Federation(tables)
    binner = KBinsDiscretizer(bins, encode="ordinal", strategy="kmeans", subsample=None)
    with pytest.MonkeyPatch.context() as both_sides, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of bins that are too narrow
        for side in (fedps.plans.rows.bins, fedps.questions.order):
            both_sides.setattr(side, "INSTEAD_OF_ROUNDS", 0)
        fitted = federation.fit(binner)
    asked = [row.columns for row in federation.run.asks if row.statistic == "Clusters"]
    assert len(asked[0] or ()) == fitted.n_features_in_
    return list(fitted.bin_edges_), federation.run


def split(frame, parts=3):
    """Return parts of unequal sizes, one of them empty."""
    places = np.sort(np.random.default_rng(0).integers(0, len(frame), parts - 1))
    pieces = np.split(np.arange(len(frame)), places)
    return [frame.iloc[rows] for rows in (*pieces, pieces[0][:0])]


def of_doubles(seed, rows=ROWS):
    kept = columns(seed, rows)
    for name in ("float32", "two values"):
        del kept[name]
    return pd.DataFrame(kept)


@pytest.mark.parametrize("bins", [3, 10])
def test_without_tables(bins):
    frame = of_doubles(seed=5)
    edges, _ = fit(split(frame), bins)
    for name, found in zip(frame, edges, strict=True):
        column = frame[name].to_numpy()
        expected = pooled_edges(column, bins)
        try:
            assert_same_edges(wide_enough(found), expected, column)
        except AssertionError:
            if not differs_from_itself(column, bins, expected):
                raise AssertionError(name) from None


def test_without_tables_in_32_bits():
    column = columns(1)["float32"]
    edges, _ = fit([column[:700, None], column[700:, None]], 6)
    assert_same_edges(edges[0], pooled_edges(column, 6), column)


def test_columns_share_rounds_and_rest_when_done():
    frame = of_doubles(seed=5)[["normal", "lognormal", "whole"]]
    alone = [fit(split(frame[[name]]), 10)[1].rounds for name in frame]
    _, record = fit(split(frame), 10)
    assert record.rounds == max(alone)
    asked = [row for row in record.asks if row.statistic == "Clusters"]
    # the extremes, the means, and then one round per step, with one question
    assert len(asked) + 2 == record.rounds
    slowest = list(frame)[int(np.argmax(alone))]
    alone_at_last = record.rounds - sorted(alone)[-2]
    assert alone_at_last > 0
    assert [row.columns for row in asked[-alone_at_last:]] == [(slowest,)] * alone_at_last


def test_another_column_order_at_one_client():
    frame = of_doubles(seed=5)[["normal", "lognormal", "whole"]]
    parts = split(frame)
    straight, _ = fit(parts, 5)
    shuffled, _ = fit([parts[0], parts[1][["whole", "normal", "lognormal"]], *parts[2:]], 5)
    for one, other in zip(straight, shuffled, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_step_with_empty_clusters_takes_one_round_more():
    # in the first step both extremes are half a bin from their centres: here most of them are zeros
    column = np.concatenate([np.zeros(300), np.arange(0, 9, 0.125), np.arange(90, 100.25, 0.25)])
    column = np.random.default_rng(0).permutation(column)
    tables = [column[::2, None], column[1::2, None]]
    edges, record = fit(tables, 4)
    assert_same_edges(edges[0], pooled_edges(column, 4), column)
    asked = [row.statistic for row in record.asks]
    assert asked[:4] == ["Spread", "Moments", "Clusters", "Farthest"]
    assert asked.count("Farthest") == 2
    assert record.rounds == len(asked)


def test_more_bins_than_values():
    column = np.arange(5.0)
    with pytest.raises(UsageError, match="6 bins of 5 values"):
        next(kmeans_edges(View(), [table_of(column)], [6]))


def test_numbers_too_large_to_square():
    with pytest.raises(UsageError, match="rescale"):
        next(kmeans_edges(View(), [table_of(np.array([1.0, 2e200, 3e200]))], [2]))


@pytest.mark.filterwarnings("ignore:Number of distinct clusters")
def test_fewer_values_than_bins_share_no_bin():
    for seed in range(40):
        rng = np.random.default_rng(seed)
        column = rng.choice(np.arange(4.0), 200, p=rng.dirichlet(np.ones(4)))
        values = np.unique(column)
        if values.size > 1:
            edges = wide_enough(edges_from_table(table_of(column), 7))
            places = np.searchsorted(edges[1:-1], values, side="right")
            assert np.unique(places).size == values.size


def test_a_column_of_one_value():
    with pytest.raises(StopIteration) as stop:
        next(kmeans_edges(View(), [table_of(np.ones(9))], [3]))
    assert stop.value.value[0].tolist() == [-np.inf, np.inf]


def test_order_and_grouping_of_clients_change_no_bit():
    rng = np.random.default_rng(2)
    centres = Ragged([np.array([0.0, -1.0, 3.0])])
    asked = [Clusters(centres, np.array([1e9])), Farthest(np.array([0.0, 3.0]), 1e9, 4)]
    parts = [Numbers(1e9 + rng.standard_cauchy(n)) for n in (100, 1, 30, 7)]
    for statistic in asked:
        found = [statistic.update(statistic.empty(1), part) for part in parts]
        expected = statistic.result(statistic.merge_all(found))
        for _ in range(20):
            mixed = [found[i] for i in rng.permutation(4)]
            right = statistic.merge(mixed[2], mixed[3])
            other = statistic.merge(mixed[0], statistic.merge(mixed[1], right))
            for one, two in zip(expected, statistic.result(other), strict=True):
                np.testing.assert_array_equal(one, two)


class Numbers:
    """A block of one column."""

    width = 1

    def __init__(self, cells):
        self.cells = cells

    def column(self, position):
        return self.cells
