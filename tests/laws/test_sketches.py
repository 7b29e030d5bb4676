"""KLL and REQ: their bounds at their confidence, their coins, and what hostile clients send."""

from __future__ import annotations

from itertools import product

import msgspec
import numpy as np
import pytest
from scipy import sparse

from fedps.client.block import TableBlock
from fedps.client.tables import Chunk
from fedps.errors import PeerError
from fedps.protocol.codec import decode_part, encode_part
from fedps.protocol.packing.arrays import Budget
from fedps.statistics import KLL, REQ, AnyStatistic, BadCells
from tests.laws.examples import bits
from tests.rotation import in_turn

WHOLE = 10**9
DISTRIBUTIONS = {
    "normal": lambda rng, n: rng.normal(size=n),
    "lognormal": lambda rng, n: rng.lognormal(0, 3, size=n),
    "cauchy": lambda rng, n: rng.standard_cauchy(size=n),
    "ties": lambda rng, n: rng.choice([-1.0, 0.0, 0.5, 7.0], size=n, p=[0.1, 0.6, 0.25, 0.05]),
    "integers": lambda rng, n: rng.poisson(40, size=n).astype(float),
    "up": lambda rng, n: np.sort(rng.uniform(size=n)),
    "down": lambda rng, n: -np.sort(rng.uniform(size=n)),
}
SKETCHES = [
    KLL(),
    KLL(k=8),
    KLL(k=50),
    REQ(),
    REQ(k=4),
    REQ(k=50),
    REQ(high_rank_accuracy=False),
]
every_sketch = pytest.mark.parametrize("statistic", SKETCHES, ids=repr)


def every_distribution(names, *circumstances):
    """Try every sketch on every distribution, in circumstances that take turns."""
    pairs = product(range(len(SKETCHES)), DISTRIBUTIONS)
    cases = [
        pytest.param(SKETCHES[i], shape, *each, id=f"{SKETCHES[i]}-{shape}-{each}")
        for i, shape, each in in_turn(pairs, circumstances)
    ]
    return pytest.mark.parametrize(("statistic", "shape", *names), cases)


def build(statistic, cells, chunk=WHOLE):
    """Return what a client sends that reads its rows in chunks."""
    if not sparse.issparse(cells) and cells.ndim == 1:
        cells = cells[:, None]
    summary = statistic.empty(cells.shape[1])
    for start in range(0, cells.shape[0], chunk):
        part = cells[start : start + chunk]
        summary = statistic.update(summary, TableBlock(part, Chunk(part, None)))
    summary = statistic.compact(summary)
    statistic.check(summary, cells.shape[1], cells.shape[0])
    return summary


def grouped(statistic, summaries, rng):
    """Merge in a random order and grouping."""
    items = [summaries[i] for i in rng.permutation(len(summaries))]
    while len(items) > 1:
        i = int(rng.integers(len(items) - 1))
        items[i : i + 2] = [statistic.merge(items[i], items[i + 1])]
    return items[0]


def seeded(statistic, seed):
    return msgspec.structs.replace(statistic, seed=seed)


def allowed(statistic, rank):
    """Return the error that is allowed at each rank."""
    if isinstance(statistic, KLL):
        return np.full(len(rank), statistic.error)
    return np.array([statistic.error(r) for r in rank])


def certain(statistic, below, n):
    """Return how many rows a rank may be off where clients sort their columns as a whole."""
    if isinstance(statistic, KLL):
        return np.full(len(below), n / statistic.k)
    distance = n - below if statistic.high_rank_accuracy else below
    return distance * 0.24 / statistic.k


# ------------------------------------------------------------------------------------- bounds


SEEDS = 25


def violations(statistic, shape, clients, rows, chunk):
    """Return by seed and rank whether a rank is off by more than is allowed, and the worst error."""
    outside, worst = [], []
    for seed in range(SEEDS):
        rng = np.random.default_rng(seed)
        own = seeded(statistic, seed)
        tables = [DISTRIBUTIONS[shape](rng, rows + 7 * i) for i in range(clients)]
        merged = grouped(own, [build(own, table, chunk) for table in tables], rng)
        (sketched,) = own.result(merged)
        pooled = np.sort(np.concatenate(tables))
        points = pooled[np.linspace(0, len(pooled) - 1, 60).astype(int)]
        true = np.searchsorted(pooled, points, side="right") / len(pooled)
        error = np.abs(sketched.rank(points) - true)
        outside.append(error > allowed(statistic, true) + 1e-12)
        worst.append(error.max())
    return np.array(outside), np.array(worst)


@every_distribution(("clients", "rows", "chunk"), (1, 6000, 200), (3, 2500, 411))
def test_ranks_are_within_the_bound_at_its_confidence(statistic, shape, clients, rows, chunk):
    outside, worst = violations(statistic, shape, clients, rows, chunk)
    rate = 0.01 if isinstance(statistic, KLL) else 0.003
    assert outside.mean() <= rate
    # at no single rank much more often: three of 25 have a chance of 0.002 at the rate of 1 %
    assert outside.sum(axis=0).max() <= 2
    if isinstance(statistic, KLL):
        everywhere = 2.446 / statistic.k**0.9433
        assert (worst > everywhere).sum() <= 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("statistic", "shape"),
    [(KLL(k=8), "normal"), (KLL(k=20), "down"), (REQ(k=4), "down"), (REQ(k=6), "normal")],
    ids=repr,
)
def test_a_few_rows_at_a_time(statistic, shape):
    outside, _ = violations(statistic, shape, 1, 900, 3)
    assert outside.mean() <= (0.01 if isinstance(statistic, KLL) else 0.003)


@every_distribution(("clients", "most"), (1, 20), (1, 5000), (3, 2000), (50, 300))
def test_the_bound_is_certain_where_columns_are_sorted_as_a_whole(statistic, shape, clients, most):
    for seed in range(6):
        rng = np.random.default_rng(seed)
        sizes = rng.integers(1, most, size=clients)
        tables = [DISTRIBUTIONS[shape](rng, int(n)) for n in sizes]
        merged = grouped(statistic, [build(statistic, table) for table in tables], rng)
        (sketched,) = statistic.result(merged)
        pooled = np.sort(np.concatenate(tables))
        below = np.searchsorted(pooled, pooled, side="right")
        error = np.abs(sketched.rank(pooled) * len(pooled) - below)
        assert (error <= certain(statistic, below, len(pooled)) + 1e-6).all()
        extremes = sketched.quantiles([0, 1])
        assert (sketched.minimum, sketched.maximum) == (pooled[0], pooled[-1]) == tuple(extremes)


@every_sketch
def test_errors_of_many_clients_average_out(statistic):
    """Clients with one seed and tables of one size do not err the same way."""
    rng = np.random.default_rng(0)
    tables = [rng.normal(size=1000) for _ in range(50)]
    own = seeded(statistic, 5)
    points = np.quantile(np.concatenate(tables), np.linspace(0.1, 0.9, 9))

    def error(some):
        (sketched,) = own.result(own.merge_all([build(own, t, 100) for t in some]))
        pooled = np.sort(np.concatenate(some))
        true = np.searchsorted(pooled, points, side="right") / len(pooled)
        return np.sqrt(np.mean((sketched.rank(points) - true) ** 2))

    assert error(tables) < 0.5 * np.mean([error([table]) for table in tables])


# ------------------------------------------------------------------------------------- results


@every_sketch
def test_few_cells_are_kept_as_they_are(statistic):
    rng = np.random.default_rng(1)
    cells = np.append(rng.normal(size=7), np.nan)
    summary = build(statistic, cells)
    (sketched,) = statistic.result(summary)
    q = np.linspace(0, 1, 23)
    expected = np.quantile(cells[:7], q, method="inverted_cdf")
    assert bits(sketched.quantiles(q)) == bits(expected)
    assert (sketched.n, sketched.nan) == (7, 1)
    assert summary.retained().tolist() == [7]
    assert bits(sketched.rank(cells[:7])) == bits((np.argsort(np.argsort(cells[:7])) + 1) / 7)


@every_sketch
def test_nothing_but_missing_cells(statistic):
    summary = build(statistic, np.full((30, 2), np.nan))
    for sketched in statistic.result(summary):
        assert (sketched.n, sketched.nan) == (0, 30)
        assert np.isnan(sketched.quantiles([0, 0.5, 1])).all()
        assert np.isnan(sketched.rank(3.0))
    assert summary.retained().tolist() == summary.support().tolist() == [0, 0]


def test_shares_outside_are_refused():
    (sketched,) = KLL().result(build(KLL(), np.arange(5.0)))
    for q in (-0.1, 1.1, np.nan):
        with pytest.raises(ValueError, match="q must be in"):
            sketched.quantiles([0.5, q])


@every_sketch
def test_dense_sparse_and_narrow_tables_give_the_same(statistic):
    rng = np.random.default_rng(2)
    cells = np.where(rng.uniform(size=(900, 4)) < 0.7, 0.0, rng.normal(size=(900, 4)))
    cells = cells.astype(np.float32)
    cells[:, 3] = 0
    cells[::9, 2] = np.nan
    own = seeded(statistic, 3)
    expected = bits(build(own, cells.astype(np.float64), 400))
    assert bits(build(own, cells, 400)) == expected
    assert bits(build(own, sparse.csr_array(cells.astype(np.float64)), 400)) == expected
    assert bits(build(own, np.asfortranarray(cells), 400)) == expected


@every_sketch
def test_infinity_is_refused(statistic):
    for bad in (np.inf, -np.inf):
        cells = np.array([[1.0, bad], [2.0, np.nan]])
        with pytest.raises(BadCells, match="infinity") as caught:
            build(statistic, cells)
        assert caught.value.position == 1


# --------------------------------------------------------------------------------------- coins


@every_sketch
@pytest.mark.parametrize("chunk", [WHOLE, 600])
def test_a_seed_makes_answers_the_same_to_the_bit(statistic, chunk):
    cells = np.random.default_rng(3).normal(size=(5000, 2))
    first = bits(build(seeded(statistic, 1), cells, chunk))
    assert bits(build(seeded(statistic, 1), cells, chunk)) == first
    assert bits(build(seeded(statistic, 2), cells, chunk)) != first
    # few coins may fall alike by chance, but not always
    assert any(bits(build(seeded(statistic, None), cells, chunk)) != first for _ in range(8))
    moved = build(seeded(statistic, 1), cells[:, ::-1], chunk)
    assert bits(moved.items[::-1]) == bits(build(seeded(statistic, 1), cells, chunk).items)


@every_sketch
def test_a_sketch_stays_small(statistic):
    most = 0
    for n in (100, 1000, 10_000, 100_000):
        summary = build(statistic, np.random.default_rng(n).normal(size=n))
        (kept,) = summary.retained().tolist()
        levels = len(summary.lengths[0])
        assert len(summary.items[0]) <= statistic.most_items(levels)
        assert kept <= n
        most = max(most, kept)
    assert most <= (4 * statistic.k + 80 if isinstance(statistic, KLL) else 80 * statistic.k)


@every_sketch
def test_compacting_again_changes_nothing(statistic):
    summary = build(statistic, np.random.default_rng(0).normal(size=20_000), 3000)
    assert bits(statistic.compact(summary)) == bits(summary)


def test_retained_counts_extremes_that_are_no_items():
    summary = build(KLL(k=8, seed=0), np.arange(1000.0))
    items = set(summary.items[0].tolist()) | {0.0, 999.0}
    assert summary.retained().tolist() == [len(items)]


# ------------------------------------------------------------------------------------- options


@pytest.mark.parametrize(
    ("make", "options"),
    [(KLL, {"k": k}) for k in (7, 65536, 200.0, True, None, np.int64(200))]
    + [(REQ, {"k": k}) for k in (2, 13, 1026, 12.0, "12")]
    + [(REQ, {"high_rank_accuracy": 1})]
    + [(make, {"seed": seed}) for make in (KLL, REQ) for seed in (-1, 2**63, 0.5, True)],
    ids=str,
)
def test_bad_options_are_named(make, options):
    ((name, _),) = options.items()
    with pytest.raises(ValueError, match=f"^{name} must be "):
        make(**options)


@pytest.mark.parametrize("sent", [["kll", 0, None], ["req", 12, True, -1], ["req", 5, True, 1]])
def test_bad_options_from_a_server_are_refused(sent):
    with pytest.raises(PeerError):
        decode_part(msgspec.msgpack.encode(sent), AnyStatistic, "the server", Budget(), "Ask")


def test_what_a_data_owner_reads():
    assert "600 of the cells themselves" in KLL().shows
    assert "60 of the cells themselves" in REQ().shows
    assert "the largest" in REQ().shows
    assert "the smallest" in REQ(high_rank_accuracy=False).shows


# ------------------------------------------------------------------------------------- hostile

N = 1000
HONEST = build(KLL(seed=0), np.random.default_rng(0).normal(size=N))
LENGTHS = HONEST.lengths[0].tolist()
ITEMS = HONEST.items[0]


def integers(*values):
    return np.array(values, dtype=np.int64)


def changed(place, value):
    items = ITEMS.copy()
    items[place] = value
    return (items,)


HOSTILE = [
    ("items", ()),
    ("items", (ITEMS, ITEMS)),
    ("items", (ITEMS[:-1],)),
    ("items", (ITEMS.reshape(2, -1),)),
    ("items", (ITEMS.astype(np.float32),)),
    ("items", (ITEMS.astype(object),)),
    ("items", (np.append(ITEMS[:-2], ITEMS[:-3:-1]),)),
    ("items", changed(-1, np.nan)),
    ("items", changed(-1, np.inf)),
    ("items", changed(-1, HONEST.maximum[0] + 1)),
    ("items", changed(0, HONEST.minimum[0] - 1)),
    ("lengths", ()),
    ("lengths", (integers(*LENGTHS, 0),)),
    ("lengths", (integers(*LENGTHS[:-1], LENGTHS[-1] - 1),)),
    ("lengths", (integers(*LENGTHS[:-2], -1, LENGTHS[-1] + 1),)),
    ("lengths", (integers(2**62, 2**62, 2**62, 2**62, len(ITEMS)),)),
    ("lengths", (integers(len(ITEMS)),)),
    ("lengths", (integers(*[0] * 63, len(ITEMS)),)),
    ("lengths", (np.zeros(100_000, dtype=np.int64),)),
    ("lengths", (np.array(LENGTHS, dtype=float),)),
    ("lengths", (integers(LENGTHS),)),
    ("steps", (integers(0),)),
    ("n", integers(N - 1)),
    ("n", integers(0)),
    ("n", integers(-1)),
    ("n", integers(2**63 - 1)),
    ("n", np.array([float(N)])),
    ("n", integers(N, N)),
    ("nan", integers(1)),
    ("nan", integers(-1)),
    ("nan", integers(2**63 - 1)),
    ("minimum", np.array([np.nan])),
    ("minimum", np.array([-np.inf])),
    ("minimum", HONEST.maximum),
    ("minimum", np.array([], dtype=float)),
    ("maximum", np.array([np.nan])),
    ("maximum", HONEST.minimum),
    ("maximum", HONEST.maximum.astype(np.float32)),
]


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_hostile_answers_are_refused(number):
    field, value = HOSTILE[number]
    hostile = msgspec.structs.replace(HONEST, **{field: value})
    packed = encode_part(hostile)
    with pytest.raises((ValueError, PeerError), match="(items|lengths|steps|n|nan|m..imum) "):
        KLL().check(decode_part(packed, KLL.summary, "a client", Budget()), 1, N)


def test_more_items_than_the_sketch_keeps_are_refused():
    everything = build(KLL(k=2000), np.random.default_rng(0).normal(size=N))
    with pytest.raises(ValueError, match="items are 1000, more than"):
        KLL().check(everything, 1, N)
    with pytest.raises(ValueError, match="items are 1000, more than"):
        REQ().check(everything, 1, N)
    KLL(k=2000).check(everything, 1, N)


def test_a_sample_of_the_rows_is_accepted():
    KLL().check(HONEST, 1, 10 * N)
    with pytest.raises(ValueError, match="n is not in"):
        KLL().check(HONEST, 1, N - 1)
