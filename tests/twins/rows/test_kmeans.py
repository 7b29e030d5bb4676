"""KMeans: scikit-learn's own from the same start, over hostile partitions."""

from itertools import cycle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import fedps
from benchmarks import data
from benchmarks.downloads import DataMissing
from tests.twins import partitions, tables
from tests.twins.compare import FLOAT32, assert_same_fit, assert_same_transform
from tests.twins.partitions import EVERY, FEW, pool
from tests.twins.quiet import quiet
from tests.twins.twin import RAISED, cross, fit_pooled

CLOSE = 1e-10
EPS = np.finfo(float).eps
ABOUT = {"cluster_centers_", "inertia_", "_tol", "labels_"}


def check_kmeans(estimator, clients):
    """Compare the fit across clients with the pooled one; where that raises, ours must too."""
    table = pool(clients)
    federation = fedps.Federation(clients)
    pooled = fit_pooled(estimator, table)
    if isinstance(pooled, Exception):
        with quiet(), pytest.raises((*RAISED, type(pooled))):
            federation.fit(estimator)
        return None
    with quiet():
        ours = federation.fit(estimator)
        assert_same_clusters(ours, pooled, table)
    return federation


def assert_same_clusters(ours, pooled, table):
    """Assert that all attributes but the labels are the same, and what comes out of predict."""
    cells = numbers_of(table)
    narrow = pooled.cluster_centers_.dtype == np.float32
    rtol = FLOAT32 if narrow else CLOSE
    spread, size = np.ptp(cells, axis=0), np.abs(cells).max(axis=0)
    assert ours.cluster_centers_.dtype == pooled.cluster_centers_.dtype
    away = np.abs(ours.cluster_centers_ - pooled.cluster_centers_)
    assert (away <= rtol * spread.max() + (rtol if narrow else 8 * EPS) * size).all(), away.max()
    slack = rtol * (spread**2).sum() * len(cells) * 1e-3
    assert ours.inertia_ == pytest.approx(pooled.inertia_, rel=rtol, abs=slack)
    assert ours._tol == pytest.approx(pooled._tol, rel=max(rtol, 1e-9))
    assert type(ours._tol) is type(pooled._tol)
    assert set(vars(pooled)) - set(vars(ours)) == {"labels_"}
    assert set(vars(ours)) <= set(vars(pooled))
    for name in set(vars(ours)) - ABOUT:
        mine, theirs = getattr(ours, name), getattr(pooled, name)
        assert type(mine) is type(theirs), name
        if not isinstance(theirs, np.random.RandomState):
            np.testing.assert_array_equal(mine, theirs, err_msg=name)
    assert list(ours.get_feature_names_out()) == list(pooled.get_feature_names_out())
    apart = ((cells[:, None] - ours.cluster_centers_) ** 2).sum(axis=2)
    np.testing.assert_array_equal(apart.argmin(axis=1), pooled.labels_)
    if size.max() >= 1e9:
        return  # scikit-learn's predict subtracts no mean, so that far from zero it is rounding
    np.testing.assert_array_equal(ours.predict(table), pooled.predict(table))
    np.testing.assert_allclose(
        ours.transform(table), pooled.transform(table), rtol=1e-3, atol=float(spread.max()) * 1e-6
    )


def numbers_of(table):
    cells = table.toarray() if hasattr(table, "toarray") else np.asarray(table)
    return cells.astype(float)


# Tables -----------------------------------------------------------------------------------------


def blobs(dtype=np.float64, rows=150, width=3, seed=0):
    rng = np.random.default_rng(seed)
    centres = rng.normal(scale=4, size=(5, width))
    return (centres[rng.integers(5, size=rows)] + rng.normal(size=(rows, width))).astype(dtype)


def frame_of_blobs():
    return tables.frame(blobs())


def blobs_far_away():
    return tables.frame(blobs() + 1e9)


def blobs_and_constants():
    return np.column_stack([blobs(), np.full(150, 0.1), np.full(150, -1e9)])


def one_column():
    return pd.DataFrame({"only": blobs(width=1)[:, 0]})


def narrow_frame():
    return tables.frame(blobs(np.float32))


def polars_frame():
    return pl.DataFrame(dict(zip("abc", blobs().T, strict=True)))


def narrow_polars():
    return pl.DataFrame(dict(zip("abc", blobs(np.float32).T, strict=True)))


def sparse_blobs():
    cells = blobs()
    cells[np.abs(cells) < 2] = 0.0
    return tables.sp.csr_matrix(cells)


def mixed_dtypes():
    table = tables.frame(blobs())
    table["count"] = np.random.default_rng(1).integers(0, 1000, len(table))
    table["yes"] = table["a"] > 0
    return table


def wide():
    return blobs(rows=12, width=40)


PLUS = KMeans(4, random_state=0)
RANDOM = KMeans(4, init="random", n_init=3, random_state=1)
GIVEN = blobs()[[3, 50, 70, 120]]
BUILDERS = {
    "frame": frame_of_blobs,
    "array": blobs,
    "far": blobs_far_away,
    "constants": blobs_and_constants,
    "one": one_column,
    "float32": narrow_frame,
    "polars": polars_frame,
    "polars32": narrow_polars,
    "sparse": sparse_blobs,
    "mixed": mixed_dtypes,
    "wide": wide,
    "holes": tables.numbers,
    "csc": lambda: sparse_blobs().tocsc(),
    "fortran": lambda: np.asfortranarray(blobs()),
}
SETTINGS = {
    **{f"plus-{name}": (PLUS, builder) for name, builder in BUILDERS.items()},
    "given-frame": (KMeans(4, init=GIVEN), frame_of_blobs),
    "given-list": (KMeans(4, init=GIVEN.tolist(), n_init=1), blobs),
    "given-float32": (KMeans(4, init=GIVEN), narrow_frame),
    "given-far": (KMeans(4, init=GIVEN + 1e9), blobs_far_away),
}


AT_RANDOM = {f"random-{name}": (RANDOM, builder) for name, builder in BUILDERS.items()}
CASES = [*cross(SETTINGS, *EVERY), *cross(AT_RANDOM, *FEW)]


@pytest.mark.parametrize(("estimator", "builder", "partition"), CASES)
def test_equals_pooled(estimator, builder, partition):
    check_kmeans(estimator, partition(builder()))


PARAMETERS = [
    {"n_clusters": 1},
    {"n_clusters": 1, "algorithm": "elkan"},
    {"n_clusters": 2},
    {"n_clusters": 13},
    {"n_clusters": 150},
    {"n_clusters": 5, "algorithm": "elkan"},
    {"n_clusters": 5, "algorithm": "elkan", "init": "random"},
    {"n_clusters": 5, "init": "random"},
    {"n_clusters": 5, "n_init": 4},
    {"n_clusters": 5, "max_iter": 1},
    {"n_clusters": 5, "max_iter": 2, "n_init": 3},
    {"n_clusters": 5, "tol": 0},
    {"n_clusters": 5, "tol": 0.1},
    {"n_clusters": 5, "tol": 1e6},
    {"n_clusters": 4, "init": GIVEN, "n_init": 7},
    {"n_clusters": 5, "verbose": 0, "copy_x": False},
]


@pytest.mark.parametrize(
    ("params", "seed"), [*zip(PARAMETERS, cycle(range(3)), strict=False)], ids=str
)
def test_parameters(params, seed, recwarn):
    check_kmeans(KMeans(random_state=seed, **params), partitions.ten_unequal(blobs(seed=seed)))


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("init", ["k-means++", "random"])
def test_draws_the_rows_that_scikit_learn_draws(seed, init):
    rng = np.random.default_rng(seed)
    table = rng.lognormal(size=(int(rng.integers(20, 400)), int(rng.integers(1, 6))))
    cuts = np.sort(rng.integers(0, len(table) + 1, 4))
    estimator = KMeans(
        int(rng.integers(1, 12)), init=init, n_init=2, random_state=seed, max_iter=1, tol=0
    )
    check_kmeans(estimator, np.split(table, cuts))


def test_a_random_state_gives_what_it_would_have_given():
    table = blobs()
    state = np.random.RandomState(5)
    ours = fedps.fit(KMeans(4, random_state=state), np.array_split(table, 3))
    assert state.randint(10**6) == np.random.RandomState(5).randint(10**6)
    pooled = KMeans(4, random_state=np.random.RandomState(5)).fit(table)
    assert_same_clusters(ours, pooled, table)
    np.random.seed(3)  # noqa: NPY002 - that is what random_state=None uses
    ours = fedps.fit(KMeans(4), np.array_split(table, 3))
    np.random.seed(3)  # noqa: NPY002
    assert_same_clusters(ours, KMeans(4).fit(table), table)


# Clusters without rows --------------------------------------------------------------------------


@pytest.mark.parametrize("lost", [1, 2])
@pytest.mark.parametrize("partition", [partitions.thirds, partitions.sorted_rows])
def test_clusters_without_rows_get_the_farthest_rows(lost, partition):
    clients = partition(blobs())
    start = np.concatenate([pool(clients)[:3], np.full((lost, 3), 1e3) + np.arange(lost)[:, None]])
    federation = check_kmeans(KMeans(3 + lost, init=start), clients)
    shown = [ask for ask in federation.run.asks if ask.statistic == "FarthestRows"]
    assert [ask.level for ask in shown] == ["ROWS"]


def test_more_clusters_than_distinct_rows():
    table = np.repeat(blobs(rows=3), 5, axis=0)
    start = np.concatenate([table[[0, 5, 10]], table[[0]] + 50])
    clients = partitions.thirds(table)
    with pytest.warns(UserWarning, match=r"Number of distinct clusters \(3\) found smaller"):
        ours = fedps.fit(KMeans(4, init=start), clients)
    with quiet():
        pooled = KMeans(4, init=start).fit(table)
        drawn = [KMeans(4, random_state=0), KMeans(4, init="random", random_state=0)]
        others = [fedps.fit(each, clients) for each in drawn]
    np.testing.assert_allclose(np.unique(ours.cluster_centers_, axis=0), np.unique(table, axis=0))
    np.testing.assert_array_equal(ours.predict(table), pooled.labels_)
    for found in (ours, *others):
        assert found.inertia_ == pytest.approx(0, abs=1e-20)


def test_a_cluster_that_stays_empty_is_not_moved_for_ever():
    """The mean of equal rows is rounded, so that they are not quite at their own centre."""
    table = np.repeat([[0.1], [0.3]], [5, 8], axis=0)
    estimator = KMeans(3, init=[[0.1], [0.11], [0.32]])
    with quiet():
        ours = fedps.fit(estimator, [table[:4], table[4:]])
        assert ours.n_iter_ == clone(estimator).fit(table).n_iter_ == 3


@pytest.mark.parametrize("init", ["k-means++", "random"])
def test_as_many_clusters_as_rows(init):
    check_kmeans(KMeans(9, init=init, random_state=2), partitions.single_rows(blobs(rows=9)))


# In a Pipeline, and beyond ----------------------------------------------------------------------


@pytest.mark.parametrize("builder", [frame_of_blobs, narrow_frame, polars_frame, blobs_far_away])
@pytest.mark.parametrize("partition", [partitions.thirds, partitions.shuffled_columns])
def test_last_step_of_a_pipeline(builder, partition):
    clients = partition(builder())
    table = pool(clients)
    pipe = make_pipeline(StandardScaler(), clone(PLUS))
    ours, pooled = fedps.fit(pipe, clients), clone(pipe).fit(table)
    # where rows are far from zero, what a scaler gives is rounded
    scale = 1e-6 if builder is blobs_far_away else 1e-10
    scale = 1e-5 if builder is narrow_frame else scale
    np.testing.assert_allclose(ours[-1].cluster_centers_, pooled[-1].cluster_centers_, atol=scale)
    assert ours[-1].n_iter_ == pooled[-1].n_iter_
    np.testing.assert_array_equal(ours.predict(table), pooled[-1].labels_)
    assert not hasattr(ours[-1], "labels_")


@pytest.mark.parametrize("estimator", [PLUS, make_pipeline(StandardScaler(), PLUS)])
def test_predicts_for_clients_of_other_precisions(estimator):
    table = blobs()
    narrow = table[20:].astype(np.float32)
    federation = fedps.Federation([table[:20], narrow, narrow[:0]])
    fitted = federation.fit(estimator)
    labels = federation.predict(fitted)
    assert [part.shape for part in labels] == [(20,), (len(narrow),), (0,)]
    np.testing.assert_array_equal(labels[1], fitted.predict(narrow.astype(float)))


@pytest.mark.parametrize("builder", [frame_of_blobs, sparse_blobs])
def test_distances_are_columns_for_the_next_step(builder):
    clients = partitions.thirds(builder())
    pipe = make_pipeline(KMeans(4, init=GIVEN), StandardScaler())
    pooled = clone(pipe).fit(pool(clients))
    ours = fedps.fit(pipe, clients)
    assert_same_fit(ours[-1], pooled[-1], rtol=1e-10)
    assert_same_transform(ours, pooled, pool(clients), rtol=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize("dataset", ["adult", "covertype"])
@pytest.mark.parametrize("init", ["k-means++", "random"])
def test_real_rows(dataset, init):
    try:
        table = data.LOADERS[dataset](download=False)
    except DataMissing as error:
        pytest.skip(str(error))
    cells = data.encoded(table.drop(columns=data.TARGETS[dataset])).iloc[:4000]
    scaled = StandardScaler().fit_transform(cells)
    check_kmeans(KMeans(8, init=init, n_init=2, random_state=0), np.array_split(scaled, 5))
