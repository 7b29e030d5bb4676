"""KBinsDiscretizer(strategy="kmeans"): scikit-learn's Lloyd, from tables and step by step."""

import numpy as np
import pandas as pd
import pytest

from tests.rotation import in_turn
from tests.twins import partitions, shapes, tables
from tests.twins.partitions import EVERY, FEW
from tests.twins.rows.kmeans_bins import PATHS, check_kmeans, kmeans
from tests.twins.twin import cross

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


@pytest.mark.parametrize(("bins", "path"), in_turn(zip(range(2, 11)), PATHS))
def test_numbers_of_bins(bins, path):
    check_kmeans(kmeans(bins), partitions.interleaved(shapes.shapes()), path)


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
