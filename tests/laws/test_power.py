"""Slopes of likelihoods against sixty digits, in any partition, and the search on hard columns."""

from __future__ import annotations

from decimal import Decimal, localcontext

import numpy as np
import pytest

from fedps.client.block import TableBlock
from fedps.client.tables import Chunk
from fedps.plans.rows.power.lambda_search import Search
from fedps.plans.rows.power.power_table import bounds, search_for, slopes_of
from fedps.statistics import BadCells, PowerSums
from fedps.statistics.sums.power_curves import Curve, PowerForm
from fedps.statistics.sums.power_sum_parts import Trial
from fedps.statistics.sums.power_sums import PowerSummary
from tests.laws.power_truth import DIGITS, is_best, likelihood, tabled

random = np.random.default_rng(5)
POSITIVE = {
    "years": random.integers(2003, 2011, 500).astype(float),
    "years, all equally often": np.arange(2003.0, 2011.0),
    "lognormal": random.lognormal(3, 1, 60),
    "very skew": random.lognormal(0, 4, 60),
    "1e9 and a little": 1e9 + random.integers(0, 30, 400),
    "1e9, symmetric": 1e9 + np.arange(100.0),
    "1e12, symmetric": 1e12 + np.arange(11.0),
    "exponential, tiny": random.exponential(1e-5, 60),
    "tiny beyond squares": 1e-155 * np.array([1, 2, 7, 9.0]),
    "1e-300 to 1e300": 10.0 ** random.uniform(-300, 300, 40),
    "two values": np.repeat([1.0, 3.0], [7, 400]),
    "one outlier": np.repeat([1.0, 2.0], [1999, 1]),
    "one low outlier": np.repeat([1.0, 2.0], [1, 1999]),
    "heavily tied": np.repeat([1.0, 2.0, 5.0, 900.0], [5000, 40, 3, 1]),
    "three": np.array([1.0, 2.0, 4.0]),
    "below 1": random.beta(0.3, 0.2, 50),
}
MIXED = {
    "normal": random.normal(size=60),
    "Cauchy": random.standard_cauchy(60),
    "far outlier": np.append(random.normal(size=50), 1e6),
    "nearly all positive": np.append(random.integers(2003, 2011, 100), -1e-12),
    "nearly all negative": np.append(-random.lognormal(3, 1, 50), 1e-3),
    "1e-300 to 1e60": np.array([-1e60, -1e-300, 1e-300, 1.0, 5.0, 1e50]),
}
COLUMNS = {
    **{f"box-cox {name}": ("box-cox", cells) for name, cells in POSITIVE.items()},
    **{f"positive {name}": ("yeo-johnson", cells) for name, cells in POSITIVE.items()},
    **{f"negative {name}": ("yeo-johnson", -cells) for name, cells in POSITIVE.items()},
    **{f"zero and {name}": ("yeo-johnson", np.append(x, 0.0)) for name, x in POSITIVE.items()},
    **{f"mixed {name}": ("yeo-johnson", cells) for name, cells in MIXED.items()},
}
every_column = pytest.mark.parametrize("name", COLUMNS)


def curve_of(method, cells):
    return Curve.over(float(cells.min()), float(cells.max()), box_cox=method == "box-cox")


def block(cells):
    table = np.asarray(cells, dtype=np.float64)[:, None]
    return TableBlock(table, Chunk(table, None, None))


def true_slope(method, curve, t, cells):
    """Return the slope of the negative log-likelihood by t, from a difference of sixty digits."""
    values, counts = tabled(cells)
    with localcontext(DIGITS):
        lam = Decimal(curve.lambda_of(t))
        step = max(abs(lam), 1) * Decimal("1e-12")
        low, high = (likelihood(method, lam + s, values, counts) for s in (-step, step))
        slope = (low - high) / (2 * step) / Decimal(curve.reach)
    return float(slope) * (-1 if curve.form == PowerForm.NEGATIVE else 1)


@every_column
def test_slopes(name):
    method, cells = COLUMNS[name]
    curve = curve_of(method, cells)
    search = search_for(curve, float(cells.min()), float(cells.max()), np.float64)
    ts = tuple(search.wanted[2:-1:3])
    statistic = PowerSums((Trial(curve, ts),))
    parts = np.array_split(random.permutation(cells), 7)
    clients = [statistic.update(statistic.empty(1), block(part)) for part in parts]
    ((found, _),) = statistic.result(statistic.merge_all(clients))
    # lambda is rounded on the way to the truth, and moves its slope by as much
    for t, slope in zip(ts, found, strict=True):
        truth = true_slope(method, curve, t, cells)
        assert slope == pytest.approx(truth, abs=1e-12 + 1e-15 * abs(t)), t


@every_column
def test_the_best_lambda_of_a_table(name):
    method, cells = COLUMNS[name]
    values, counts = tabled(cells)
    curve = curve_of(method, cells)
    search = search_for(curve, values[0], values[-1], np.float64)
    slopes, rounds = slopes_of(curve, values, counts), 0
    while search.best is None:
        search.learn(slopes(search.wanted))
        rounds += 1
    limits = (-np.inf, np.inf)
    if method != "box-cox":
        limits = bounds(values[0], values[-1], np.float64)
    lam = min(max(curve.lambda_of(search.best), limits[0]), limits[1])
    assert is_best(method, lam, cells, within=1e-7, bounds=limits)
    assert rounds <= 5


def test_the_search_ends_whatever_the_slopes():
    for slope in (lambda t: np.full(len(t), -1.0), lambda t: np.ones(len(t)), np.sign, np.cbrt):
        search, rounds = Search(-np.inf, np.inf, 1.0), 0
        while search.best is None and rounds < 100:
            search.learn(slope(np.array(search.wanted) - 0.1234))
            rounds += 1
        assert search.best is not None


def test_a_step_is_found():
    search = Search(-30.0, 30.0, 1.0)
    while search.best is None:
        search.learn(np.sign(np.array(search.wanted) - 0.1234))
    assert search.best == pytest.approx(0.1234, abs=1e-9)


TRIAL = Trial(Curve(PowerForm.POSITIVE, 1.0, 0.5), (0.0, 1.0))


def summary(**changes):
    fields = {
        "count": np.array([[3]]),
        "logs": np.array([[0.5]]),
        "sums": (np.ones((1, 4, 2)),),
    }
    return PowerSummary(**(fields | changes))


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"count": np.array([[-1]])}, "count"),
        ({"count": np.array([[9]])}, "count"),
        ({"count": np.array([[3.0]])}, "count"),
        ({"count": np.array([[1], [2]]), "logs": np.ones((2, 1))}, "count"),
        ({"count": np.array([[0]])}, "logs"),
        ({"count": np.array([[0]]), "logs": np.zeros((1, 1))}, "sums"),
        ({"logs": np.array([[np.nan]])}, "logs"),
        ({"sums": (np.full((1, 4, 2), np.inf),)}, "sums"),
        ({"sums": (-np.ones((1, 4, 2)),)}, "sums"),
        ({"sums": (np.ones((1, 4, 3)),)}, "sums"),
        ({"sums": (np.ones((1, 3, 2)),)}, "sums"),
        ({"sums": (np.ones((2, 4, 2)),)}, "sums"),
        ({"sums": ()}, "sums"),
    ],
)
def test_bad_summaries(changes, field):
    statistic = PowerSums((TRIAL,))
    statistic.check(summary(), 1, 3)
    with pytest.raises(ValueError, match=field):
        statistic.check(summary(**changes), 1, 3)


def test_a_cell_out_of_range():
    statistic = PowerSums((Trial(Curve(PowerForm.POSITIVE, 1.0, 1e-6), (290.0,)),))
    with pytest.raises(BadCells, match="range"):
        statistic.update(statistic.empty(1), block([1.0, 1e9]))
    with pytest.raises(BadCells, match="width"):
        statistic.empty(2)
