"""KBinsDiscretizer(strategy="kmeans"): scikit-learn's Lloyd, from tables and step by step.

Where two values are exactly as far from a centre, or from two, the order of rows decides what
scikit-learn does. Only where it differs from itself, with the same rows in another order, may ours
differ from it.
"""

import numpy as np
import pandas as pd
import pytest
from sklearn.preprocessing import KBinsDiscretizer

import fedps
from tests.twins import partitions, shapes, tables
from tests.twins.compare import KMEANS, assert_same_fit, assert_same_transform
from tests.twins.partitions import EVERY, FEW, pool, rearrange
from tests.twins.quiet import quiet
from tests.twins.twin import RAISED, cross, fit_pooled

# With so small a share of values to show, all that is not whole numbers goes without a table.
PATHS = {"table": None, "steps": fedps.Policy(min_rows=0, max_share=0.01)}
SHUFFLES = 12


def kmeans(n_bins=5, **params):
    return KBinsDiscretizer(n_bins, strategy="kmeans", **{"subsample": None, **params})


def check_kmeans(estimator, clients, path="table"):
    """Compare the fit across clients with the pooled one; where that raises, ours must too."""
    table = pool(clients)
    federation = fedps.Federation(clients, policy=PATHS[path])
    pooled = fit_pooled(estimator, table)
    if isinstance(pooled, Exception):
        with quiet(), pytest.raises((*RAISED, type(pooled))):
            federation.fit(estimator)
        return None
    with quiet():
        ours = federation.fit(estimator)
    try:
        assert_same_fit(ours, pooled)
        assert_same_transform(ours, pooled, table)
    except AssertionError:
        assert_only_ties_differ(ours, pooled, estimator, table)
    return federation.run


def assert_only_ties_differ(ours, pooled, estimator, table):
    """Assert that each column's edges are scikit-learn's, or that it cannot decide itself."""
    assert estimator.subsample is None, "another draw is no excuse"
    for j, (mine, theirs) in enumerate(zip(ours.bin_edges_, pooled.bin_edges_, strict=True)):
        column = np.asarray(rearrange(table, [j]), dtype=float).reshape(len(table), -1)
        if column.shape[1] > 1:
            column = column[:, [j]]
        if not same_edges(mine, theirs):
            assert mine[0] == theirs[0]
            assert mine[-1] == theirs[-1]
            bins = np.broadcast_to(estimator.n_bins, len(ours.bin_edges_))[j]
            assert is_undecided(column, int(bins), theirs), f"column {j}: {mine}, pooled {theirs}"


def same_edges(mine, theirs):
    if mine.shape != theirs.shape:
        return False
    inner = np.isfinite(theirs)
    size = np.ptp(theirs[inner]) if inner.any() else 0.0
    return bool((np.abs(mine[inner] - theirs[inner]) <= KMEANS * size).all())


def is_undecided(column, bins, expected):
    """Whether scikit-learn finds other edges for the same rows in another order."""
    for seed in range(SHUFFLES):
        shuffled = np.random.default_rng(seed).permutation(column)
        other = fit_pooled(kmeans(bins, encode="ordinal"), shuffled)
        if not same_edges(other.bin_edges_[0], expected):
            return True
    return False


# Settings ---------------------------------------------------------------------------------------


def far_whole():
    """Whole numbers far from zero, and a few values only."""
    rng = tables.random(41)
    n = shapes.ROWS
    return pd.DataFrame(
        {
            "far": 1e9 + rng.integers(0, 300, n),
            "years": rng.integers(1900, 2024, n),
            "two": rng.choice([0.5, 2.5], n),
            "narrow": 1 + 1e-7 * rng.random(n),
        }
    )


TABLES = {
    "ints": tables.ints,
    "plain": tables.plain_numbers,
    "shapes": shapes.shapes,
    "sparse-like": shapes.sparse_like,
    "far-whole": far_whole,
    "float32": shapes.float32_shapes,
    "array": tables.array_ints,
    "holes": tables.numbers,
    "strings": tables.strings,
}
SETTINGS = {
    **{f"{name}-5": (kmeans(), builder) for name, builder in TABLES.items()},
    **{
        f"shapes-{encode}": (kmeans(4, encode=encode), shapes.shapes)
        for encode in ("onehot-dense", "ordinal")
    },
    "own": (kmeans([2, 3, 5, 8, 9, 10, 4, 6]), shapes.shapes),
    "float32-out": (kmeans(4, dtype=np.float32), shapes.shapes),
    "more-bins-than-rows": (kmeans(9), lambda: tables.plain_numbers().iloc[:6]),
    "other-width": (kmeans([2, 3]), shapes.shapes),
    "polars": (kmeans(), lambda: tables.polars_numbers().select("count")),
    "csr": (kmeans(), tables.csr),
}
BY_BINS = {f"shapes-{bins}": (kmeans(bins), shapes.shapes) for bins in range(2, 11)}
FEW_OF = {name: SETTINGS[name] for name in ("shapes-5", "own", "far-whole-5", "sparse-like-5")}


@pytest.mark.parametrize(("estimator", "builder", "partition"), cross(SETTINGS, partitions.thirds))
def test_settings(estimator, builder, partition):
    check_kmeans(estimator, partition(builder()))


@pytest.mark.parametrize(
    ("estimator", "builder", "partition"),
    cross(
        {"shapes": SETTINGS["shapes-ordinal"], "far": SETTINGS["far-whole-5"]},
        *[each for each in EVERY if each is not partitions.thirds],
    ),
)
def test_partitions(estimator, builder, partition):
    check_kmeans(estimator, partition(builder()))


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    ("estimator", "builder", "partition"), cross(BY_BINS, partitions.interleaved)
)
def test_numbers_of_bins(estimator, builder, partition, path):
    check_kmeans(estimator, partition(builder()), path)


@pytest.mark.parametrize(("estimator", "builder", "partition"), cross(FEW_OF, *FEW))
def test_without_tables(estimator, builder, partition):
    run = check_kmeans(estimator, partition(builder()), "steps")
    assert run.rounds > 2
    assert {ask.statistic for ask in run.asks} <= {"Spread", "Moments", "Clusters", "Farthest"}


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("seed", [0, 1, np.random.RandomState(7)], ids=["0", "1", "state"])
def test_subsamples(seed, path):
    estimator = kmeans(4, subsample=400, random_state=seed)
    check_kmeans(estimator, partitions.ten_unequal(shapes.shapes()), path)


def test_tables_take_one_round():
    run = check_kmeans(kmeans(), partitions.interleaved(far_whole()[["far", "years", "two"]]))
    assert run.rounds == 1
