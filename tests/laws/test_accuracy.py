"""Means and variances against exact rational arithmetic, far from zero and in any partition."""

from __future__ import annotations

from fractions import Fraction
from math import fsum

import numpy as np
import pytest

from fedps.client.block import TableBlock
from fedps.client.tables import Chunk
from fedps.protocol.codec import decode_part, encode_part
from fedps.protocol.packing.arrays import Budget
from fedps.statistics import BadCells, Moments
from fedps.statistics.sums.column_sums import Exact
from tests.laws.examples import Rows

random = np.random.default_rng(7)
FAR = {
    "1e9, spread 1": 1e9 + random.normal(size=(2000, 1)),
    "1e9, spread 1e-3": 1e9 + random.normal(scale=1e-3, size=(2000, 1)),
    "1e9, two values": 1e9 + random.integers(0, 2, size=(2000, 1)).astype(float),
    "-1e12, spread 1e3": -1e12 + random.normal(scale=1e3, size=(2000, 1)),
    "1e-9, spread 1e-12": 1e-9 + random.normal(scale=1e-12, size=(2000, 1)),
    "wide": random.lognormal(0, 8, size=(2000, 1)),
    "float32": (1e6 + random.normal(size=(2000, 1))).astype(np.float32),
}
CUTS = {
    "one client": [2000],
    "a row and the rest": [1, 1999],
    "seven": [3, 200, 397, 400, 500, 499, 1],
    "a hundred": [20] * 100,
}


def truth(cells: np.ndarray) -> tuple[Fraction, Fraction]:
    numbers = [Fraction(float(x)) for x in cells.ravel()]
    mean = sum(numbers, Fraction()) / len(numbers)
    return mean, sum(((x - mean) ** 2 for x in numbers), Fraction()) / len(numbers)


def error(found: float, exact: Fraction) -> float:
    return float(abs(Fraction(float(found)) - exact) / abs(exact))


def federated(statistic: Moments, parts: list[np.ndarray]):
    """Return the result of clients that each read their rows in two blocks and send bytes."""
    replies = []
    for part in parts:
        summary = statistic.empty(part.shape[1])
        for block in filter(len, np.array_split(part, 2)):
            summary = statistic.update(summary, TableBlock(block, Chunk(block)))
        packed = encode_part(statistic.compact(summary))
        replies.append(decode_part(packed, statistic.summary, "a client", Budget()))
    return statistic.result(statistic.merge_all(replies))


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("name", FAR)
def test_far_from_zero(name, cut):
    cells = FAR[name]
    mean, variance = truth(cells)
    parts = np.split(cells, np.cumsum(CUTS[cut])[:-1])
    found = federated(Moments(), parts)
    assert error(found.variance[0], variance) < 1e-13
    assert error(found.mean[0], mean) < 1e-15
    assert found.count[0] == len(cells)


def test_mean_is_that_of_fsum():
    cells = FAR["1e9, spread 1"]
    found = federated(Moments(order=1), np.split(cells, 10))
    assert found.mean[0] == pytest.approx(fsum(cells.ravel()) / len(cells), rel=2e-16)
    assert found.variance is None


def test_whole_numbers_are_exact_whatever_the_partition():
    cells = random.integers(-1000, 1000, size=(999, 3)).astype(float)
    expected = federated(Moments(), [cells])
    for count in (2, 3, 10, 333):
        found = federated(Moments(), np.array_split(cells, count))
        assert found.mean.tolist() == expected.mean.tolist()
        assert found.variance.tolist() == expected.variance.tolist()


def test_weights_are_like_repeated_rows():
    cells = FAR["1e9, spread 1"][:300]
    weights = random.integers(0, 5, size=300)
    mean, variance = truth(np.repeat(cells, weights, axis=0))
    statistic = Moments(weight="w")
    summaries = []
    for part in np.array_split(np.arange(300), 4):
        block = Rows("plain", cells[part], weights[part].astype(float)).block()
        summaries.append(statistic.compact(statistic.update(statistic.empty(1), block)))
    found = statistic.result(statistic.merge_all(summaries))
    assert error(found.variance[0], variance) < 1e-13
    assert error(found.mean[0], mean) < 1e-15


@pytest.mark.parametrize("weighted", [False, True])
def test_sparse_is_like_dense(weighted):
    cells = np.where(random.random((400, 3)) < [0.0, 0.5, 1.0], 0.0, 1e6 + random.random((400, 3)))
    weights = random.random(400)
    statistic = Moments(weight="w" if weighted else None)
    found = []
    for kind in ("plain", "sparse"):
        summary = statistic.update(statistic.empty(3), Rows(kind, cells, weights).block())
        statistic.check(statistic.compact(summary), 3, 400)
        found.append(statistic.result(summary))
    np.testing.assert_allclose(found[1].mean, found[0].mean, rtol=1e-14)
    np.testing.assert_allclose(found[1].variance, found[0].variance, rtol=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_sparse_full_constant_columns_with_weights(seed):
    """Rounding in sums of weights must not make a sum of squares negative."""
    weights = np.random.default_rng(seed).random(50)
    statistic = Moments(weight="w")
    block = Rows("sparse", np.full((50, 2), 3e8), weights).block()
    summary = statistic.update(statistic.empty(2), block)
    statistic.check(summary, 2, 50)
    found = statistic.result(summary)
    assert found.mean.tolist() == [3e8, 3e8]
    assert found.variance.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("kind", ["plain", "sparse"])
@pytest.mark.parametrize("size", [1e200, 1e308])
def test_numbers_too_large_to_square(kind, size):
    block = Rows(kind, np.array([[1.0, -size], [2.0, size], [3.0, size]]), np.ones(3)).block()
    with pytest.raises(BadCells) as caught:
        Moments().update(Moments().empty(2), block)
    assert caught.value.rule in ("range", "infinity")
    assert caught.value.position == 1


@pytest.mark.parametrize("kind", ["plain", "sparse"])
@pytest.mark.parametrize("statistic", [Moments(), Moments(missing=0.0)], ids=str)
def test_infinity_is_named(kind, statistic):
    block = Rows(kind, np.array([[1.0, np.inf], [2.0, 3.0]]), np.ones(2)).block()
    with pytest.raises(BadCells) as caught:
        statistic.update(statistic.empty(2), block)
    assert (caught.value.rule, caught.value.position) == ("infinity", 1)


def test_numbers_are_taken_exactly():
    numbers = np.array([0.1, -2.5e300, 5e-324, 1e-310, 3.0, -0.0, 2.0**1023])
    exact = Exact.of(numbers)
    for number, digits, exponent in zip(numbers, exact.digits, exact.exponent, strict=True):
        assert Fraction(int(digits)) * Fraction(2) ** int(exponent) == Fraction(float(number))
    assert exact.rounded().tolist() == numbers.tolist()
    column = Exact.of(numbers[:, None]).sum()
    assert column.rounded()[0] == float(sum(Fraction(float(number)) for number in numbers))
    huge, one = (
        Exact(np.array([1 << 5000], dtype=object), np.zeros(1, dtype=np.int64)),
        Exact.of(np.ones(1)),
    )
    assert huge.over(-one)[0] == float("-inf")
    assert one.over(huge)[0] == 0.0
    assert np.isnan(one.over(Exact.of(np.zeros(1)))[0])
