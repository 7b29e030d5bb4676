"""The parts of nearest neighbours: which rows are closest, chunks, weights, and hostile asks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.neighbors import KNeighborsRegressor

from fedps.client.block import TableBlock
from fedps.client.tables import Chunk
from fedps.errors import NotFederated, UsageError
from fedps.plans.rows import knn_regressor as neighbours
from fedps.questions.metrics import metric_of
from fedps.statistics import BadCells, Donors, Incomplete, Neighbours
from fedps.statistics.neighbours.closest_rows import Euclidean, closest
from tests.twins.nearest import distances

NAN = float("nan")
NONE = np.empty(0)
CELLS = st.one_of(
    st.integers(-2, 2).map(float),
    st.floats(-1e3, 1e3),
    st.integers(0, 10**6).map(lambda i: 1e9 + i / 1e3),
    st.sampled_from([0.0, -0.0, 1e-9, 1e100, -1e100, 1e-200]),
    st.just(NAN),
)


def block(cells, y=None):
    return TableBlock(cells, Chunk(cells, y))


def tables(width, most):
    row = st.lists(CELLS, min_size=width, max_size=width)
    return st.lists(row, min_size=1, max_size=most).map(np.array)


@given(st.data())
def test_the_closest_are_those_of_the_differences(data):
    """Whatever the scales, gaps and ties: rounding in the products decides nothing."""
    width, k = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 6))
    cells, queries = data.draw(tables(width, 12)), data.draw(tables(width, 4))
    ruler = Euclidean(cells, queries)
    bounds, slack = ruler.bounds(slice(0, len(queries)))
    found = closest(bounds, slack, k, ruler.exact)
    for line, query in enumerate(queries):
        far = distances(cells, query)
        known = np.flatnonzero(~np.isnan(far))
        nearest = known[np.argsort(far[known], kind="stable")][:k]
        there = np.isfinite(found.distances[line])
        assert found.rows[line, there].tolist() == nearest.tolist()
        # without gaps the mean over the columns is not taken, only to be taken back
        np.testing.assert_allclose(found.distances[line, there], far[nearest], rtol=1e-14)


def test_equal_rows_of_a_large_table_are_taken_in_order():
    cells = np.zeros((100_000, 2))
    asked = Neighbours(np.zeros((3, 2)), 4, "euclidean", 2.0, NONE)
    found = asked.update(asked.empty(2), block(cells, np.arange(100_000.0))).found
    assert found.values.tolist() == [[0.0, 1.0, 2.0, 3.0]] * 3


@pytest.mark.parametrize("metric", ["euclidean", "cityblock"])
def test_stripes_and_pieces_change_nothing(monkeypatch, metric):
    rng = np.random.default_rng(0)
    cells, y, queries = rng.normal(size=(200, 3)), rng.normal(size=200), rng.normal(size=(7, 3))
    asked = Neighbours(queries, 5, metric, 2.0, NONE)
    gaps = Donors(np.where(rng.random((7, 3)) < 0.4, NAN, queries), 5)
    whole = [s.update(s.empty(3), block(cells, y)).found for s in (asked, gaps)]
    monkeypatch.setattr("fedps.statistics.neighbours.closest_rows.STRIPE", 17)
    monkeypatch.setattr("fedps.statistics.neighbours.closest_rows.PIECE", 40)
    for statistic, expected in zip((asked, gaps), whole, strict=True):
        found = statistic.update(statistic.empty(3), block(cells, y)).found
        np.testing.assert_array_equal(found.distances, expected.distances)
        np.testing.assert_array_equal(found.values, expected.values)


@given(
    st.lists(st.integers(0, 9), max_size=30),
    st.integers(1, 9),
    st.integers(1, 9),
    st.integers(1, 50),
)
def test_chunks_cover_all_queries_and_are_bounded(lines, width, k, most):
    costs = np.maximum(np.array(lines, dtype=int) * k, width)
    before, neighbours.QUERIES_AT_ONCE = neighbours.QUERIES_AT_ONCE, most
    try:
        chunks = list(neighbours._chunks(np.array(lines, dtype=int), width, k))
    finally:
        neighbours.QUERIES_AT_ONCE = before
    assert [i for some in chunks for i in range(some.start, some.stop)] == list(range(len(lines)))
    for some in chunks:
        assert costs[some].sum() <= most or some.stop - some.start == 1


@pytest.mark.parametrize(
    ("params", "name"),
    [
        ({}, "euclidean"),
        ({"p": 1}, "cityblock"),
        ({"p": 3}, "minkowski"),
        ({"p": np.inf}, "chebyshev"),
        ({"metric": "l1"}, "cityblock"),
        ({"metric_params": {"p": 1}}, "cityblock"),
        ({"metric_params": {"w": [1.0, 2.0]}}, "minkowski"),
    ],
)
def test_metrics_by_name(params, name):
    assert metric_of(KNeighborsRegressor(**params)).name == name


def test_metrics_that_are_refused():
    for params, kind in (
        ({"metric": "cosine"}, NotFederated),
        ({"metric": "mahalanobis", "metric_params": {"VI": np.eye(2)}}, NotFederated),
        ({"metric": "l1", "metric_params": {"w": [1.0]}}, NotFederated),
        ({"metric_params": {"q": 1}}, UsageError),
        ({"metric_params": {"w": [[1.0]]}}, UsageError),
        ({"metric_params": {"w": [-1.0]}}, UsageError),
    ):
        with pytest.raises(kind):
            metric_of(KNeighborsRegressor(**params))


QUERY = np.zeros((2, 3))


@pytest.mark.parametrize(
    ("asked", "rule"),
    [
        (Neighbours(np.zeros((2, 4)), 1, "euclidean", 2.0, NONE), "queries"),
        (Neighbours(np.zeros(3), 1, "euclidean", 2.0, NONE), "queries"),
        (Neighbours(np.zeros((2, 3), int), 1, "euclidean", 2.0, NONE), "queries"),
        (Neighbours(QUERY + NAN, 1, "euclidean", 2.0, NONE), "queries"),
        (Neighbours(QUERY + np.inf, 1, "euclidean", 2.0, NONE), "queries"),
        (Neighbours(QUERY, 2**31, "euclidean", 2.0, NONE), "too large"),
        (Neighbours(QUERY, 1, "minkowski", -1.0, NONE), "queries"),
        (Neighbours(QUERY, 1, "minkowski", NAN, NONE), "queries"),
        (Neighbours(QUERY, 1, "minkowski", 3.0, np.ones(2)), "queries"),
        (Neighbours(QUERY, 1, "minkowski", 3.0, -np.ones(3)), "queries"),
        (Neighbours(QUERY, 1, "minkowski", 3.0, np.full(3, np.inf)), "queries"),
        (Donors(np.full((2, 4), NAN), 1), "queries"),
        (Donors(np.full((2, 3), np.inf), 1), "queries"),
        (Donors(np.full((2, 3), NAN), 2**20), "too large"),
        (Donors(np.zeros((2**18, 3)), 1), "too large"),
        (Incomplete(NAN, (3,)), "queries"),
        (Incomplete(NAN, (-1,)), "queries"),
    ],
)
def test_hostile_asks(asked, rule):
    with pytest.raises(BadCells) as caught:
        asked.empty(3)
    assert caught.value.rule == rule


@pytest.mark.parametrize(
    ("cells", "y", "rule"),
    [
        ([[1.0, NAN, 2.0]], [1.0], "missing"),
        ([[1.0, np.inf, 2.0]], [1.0], "infinity"),
        ([[1.0, 1e200, 2.0]], [1.0], "range"),
        ([[1.0, 3.0, 2.0]], [NAN], "missing target"),
        ([[1.0, 3.0, 2.0]], ["a"], "text target"),
    ],
)
def test_cells_that_have_no_distance(cells, y, rule):
    for metric in ("euclidean", "sqeuclidean"):
        asked = Neighbours(QUERY, 1, metric, 2.0, NONE)
        with pytest.raises(BadCells) as caught:
            asked.update(asked.empty(3), block(np.array(cells), np.array(y)))
        assert caught.value.rule == rule


def test_rows_whose_gaps_do_not_count_are_not_told():
    cells = np.array([[1.0, NAN], [NAN, NAN], [2.0, NAN]])
    for ignored, places in ((None, [1]), ((), [0, 1, 2]), ((1,), [1])):
        asked = Incomplete(NAN, ignored)
        told = asked.compact(asked.update(asked.empty(2), block(cells)))
        assert told.heights[0].places.tolist() == places
        asked.check(told, 2, 3)
