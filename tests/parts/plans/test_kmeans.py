"""KMeans across clients: what it costs, what it shows to whom, and what it refuses."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.cluster import KMeans, MiniBatchKMeans
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.utils.validation import check_is_fitted

import fedps
from fedps.statistics import RowClusters

ROWS = 60
RNG = np.random.default_rng(0)
BLOBS = RNG.normal(size=(ROWS, 2)) + 9 * RNG.integers(3, size=(ROWS, 1))
START = BLOBS[:3]


def said(kind, text):
    """Expect an error that says so."""
    return pytest.raises(kind, match=re.escape(text))


def federation(*tables, **options):
    names = ["oslo", "bergen", "hamar"]
    return fedps.Federation(dict(zip(names, tables, strict=False)), **options)


def in_three(table=BLOBS, **options):
    return federation(*np.array_split(table, 3), **options)


# What it costs ----------------------------------------------------------------------------------


def rounds_of(estimator):
    clients = in_three()
    fitted = clients.fit(estimator)
    asks = [ask.statistic for ask in clients.run.asks]
    return clients.run.rounds, fitted.n_iter_, asks


def test_a_round_for_each_step():
    rounds, steps, asks = rounds_of(KMeans(3, init=START, tol=0))
    assert rounds == 1 + steps
    assert asks == ["Moments", "RowCounts", "Finite", *["RowClusters"] * steps]


def test_one_more_round_where_the_centres_still_move():
    rounds, steps, _ = rounds_of(KMeans(3, init=START, max_iter=1))
    assert (rounds, steps) == (3, 1)


def test_a_round_for_starts_at_random_however_many():
    rounds, _, asks = rounds_of(KMeans(3, init="random", n_init=8, random_state=0, max_iter=1))
    assert asks.count("PickedRows") == 1
    assert rounds == 1 + 1 + 1 + 1


@pytest.mark.parametrize("runs", [1, 5])
@pytest.mark.parametrize("clusters", [1, 2, 7])
def test_two_rounds_for_each_centre_of_plus_plus(clusters, runs):
    estimator = KMeans(clusters, n_init=runs, random_state=0, max_iter=1, tol=0)
    rounds, _, _ = rounds_of(estimator)
    assert rounds in (1 + 2 * clusters + 1, 1 + 2 * clusters + 2)


def test_bytes_do_not_grow_with_the_rows():
    def sent(times):
        clients = in_three(np.repeat(BLOBS, times, axis=0))
        clients.fit(KMeans(3, init=START, max_iter=2, tol=0))
        return max(clients.run.bytes_up.values())

    assert sent(50) < sent(1) + 60


# What it shows ----------------------------------------------------------------------------------


def test_what_a_run_shows_is_written_down():
    clients = in_three()
    clients.fit(KMeans(3, random_state=0))
    levels = {ask.statistic: ask.level for ask in clients.run.asks}
    assert levels == {
        "Moments": "AGGREGATE",
        "RowCounts": "AGGREGATE",
        "Finite": "AGGREGATE",
        "PickedRows": "ROWS",
        "Potentials": "ROWS",
        "RowClusters": "SUMMARY",
    }


def test_explain_tells_that_rows_are_shown():
    explanation = in_three().explain(KMeans(3))
    shown = {ask.statistic: ask.shows for ask in explanation.asks if ask.level == "ROWS"}
    assert shown == {
        "PickedRows": "some whole rows, drawn at random, as first centres of the clusters",
        "Potentials": "how far all rows together are from the centres",
        "FarthestRows": "the few whole rows farthest from all centres, if a cluster is left without rows",
    }
    assert explanation.rounds == 1 + 2 * 3 + 2
    pipe = make_pipeline(PolynomialFeatures(), KMeans(3, init=np.zeros((3, 6))))
    assert (
        in_three().explain(pipe).rounds == 3
    )  # how many columns come out shows when they are there
    given = in_three().explain(KMeans(3, init=START))
    assert [ask.statistic for ask in given.asks if ask.round <= 2][-1] == "RowClusters"


def test_only_the_owner_of_a_row_is_asked_for_it():
    clients = in_three()
    clients.fit(KMeans(3, init="random", n_init=1, random_state=0))
    state = np.random.RandomState(0)
    chosen = state.choice(ROWS, 3, replace=False, p=np.full(ROWS, 1 / ROWS))
    sizes = next(ask.bytes for ask in clients.run.asks if ask.statistic == "PickedRows")
    owns = np.isin([0, 1, 2], chosen // (ROWS // 3))
    assert owns.tolist() == [False, True, True]  # of this seed
    sent = np.array([*sizes.values()])
    assert sent[~owns].max() < sent[owns].min()  # nothing but zeros


def test_deployed_clients_do_not_show_rows():
    clients = in_three(policy=fedps.Policy(budget=None))
    with said(
        fedps.Refused,
        "clients 'oslo', 'bergen' and 'hamar' refused PickedRows: the policy there (level) allows "
        "SUMMARY, this needs ROWS. It would show the server: some whole rows, drawn at random, as first centres of the clusters. "
        "Start from centres of your own with KMeans(init=...), or ask the data owner to raise level in the "
        "policy.",
    ):
        clients.fit(KMeans(3))
    with said(fedps.Refused, "refused FarthestRows: the policy there (level) allows SUMMARY"):
        clients.fit(KMeans(2, init=[[5.0, 5.0], [1e3, 1e3]]))


def test_deployed_clients_show_what_their_policy_allows():
    table = np.concatenate([RNG.normal(i * 20, 1, (40, 2)) for i in (0, 1, 2)])
    given, drawn = KMeans(3, init=table[[0, 50, 100]]), KMeans(3, random_state=0)
    for estimator, level in ((given, "SUMMARY"), (drawn, "ROWS")):
        clients = federation(table[::2], table[1::2], policy=fedps.Policy(level=level))
        pool = np.concatenate([table[::2], table[1::2]])
        pooled = clone(estimator).fit(pool)
        fitted = clients.fit(estimator)
        np.testing.assert_allclose(fitted.cluster_centers_, pooled.cluster_centers_)


def test_deployed_clients_do_not_show_sums_of_few_rows():
    table = np.vstack([RNG.normal(size=(40, 2)), [[30.0, 30.0]] * 9])
    clients = federation(table, policy=fedps.Policy())
    with said(
        fedps.Refused,
        "client 'oslo' refused RowClusters: the policy there (min_rows of clusters) needs 10 rows in "
        "each cluster, and there are fewer. Ask for fewer clusters, leave the client out, or ask the "
        "data owner to lower min_rows in the policy.",
    ):
        clients.fit(KMeans(2, init=[[0.0, 0.0], [30.0, 30.0]]))


def test_labels_stay_with_the_clients():
    fitted = in_three().fit(KMeans(3, init=START))
    check_is_fitted(fitted)
    assert not hasattr(fitted, "labels_")
    pooled = KMeans(3, init=START).fit(BLOBS)
    np.testing.assert_array_equal(fitted.predict(BLOBS), pooled.labels_)
    assert fitted.score(BLOBS) == pytest.approx(pooled.score(BLOBS))


# What it refuses --------------------------------------------------------------------------------


def test_too_few_rows():
    with said(fedps.UsageError, "n_samples=3 should be >= n_clusters=8: all clients"):
        federation(BLOBS[:2], BLOBS[2:3]).fit(KMeans(8))
    with said(fedps.UsageError, "n_samples=3 should be >= n_clusters=8: all clients"):
        federation(BLOBS[:2], BLOBS[2:3]).explain(KMeans(8))


def test_starts_by_a_function():
    with said(fedps.NotFederated, "KMeans(init=<function>) would run the function on the rows"):
        in_three().fit(KMeans(3, init=lambda X, k, random_state: X[:k]))


@pytest.mark.parametrize(
    ("start", "says"),
    [
        (START[:2], "(2, 2) does not match the number of clusters 3."),
        (BLOBS[:3, :1], "(3, 1) does not match the number of features of the data 2."),
        (np.full((3, 2), np.nan), "KMeans cannot start from init=: Input contains NaN"),
    ],
)
def test_starts_of_another_shape(start, says):
    with said(fedps.UsageError, says):
        in_three().fit(KMeans(3, init=start))


def test_parameters_are_checked_before_anything_is_asked():
    with pytest.raises(ValueError, match="n_clusters"):
        in_three().fit(KMeans(0))


def test_missing_values():
    frame = pd.DataFrame({"age": [1.0, np.nan, 3.0], "fare": [1.0, 2.0, 3.0]})
    with said(fedps.ClientError, "client 'oslo' has missing values in column 'age'"):
        federation(frame).fit(KMeans(2))
    with said(fedps.ClientError, "client 'oslo' has an infinite or too large number in column"):
        federation(frame.replace({np.nan: np.inf})).fit(KMeans(2))
    with said(fedps.ClientError, "client 'oslo' has cells in column 'age' that are not numbers"):
        federation(frame.assign(age=["a", "b", "c"])).fit(KMeans(2))
    with said(fedps.ClientError, "client 'oslo' has numbers"):
        federation(frame.fillna(1e200)).fit(KMeans(2))


def test_row_weights():
    frame = pd.DataFrame({"a": BLOBS[:, 0], "w": 1.0})
    with said(fedps.UsageError, "FedPS does not support sample_weight for KMeans."):
        federation(frame).fit(KMeans(2), sample_weight="w")


def test_its_relatives():
    with said(fedps.NotFederated, "FedPS cannot fit MiniBatchKMeans"):
        in_three().fit(MiniBatchKMeans(2))


def test_a_server_that_asks_for_nonsense():
    good = RowClusters(START, np.zeros(2))
    assert good.empty(2).counts.tolist() == [0, 0, 0]
    for centres, mean in [
        (START, np.zeros(3)),
        (START[:, :1], np.zeros(2)),
        (START[0], np.zeros(2)),
        (START[:0], np.zeros(2)),
        (START * np.nan, np.zeros(2)),
        (START, np.full(2, np.inf)),
        (START.astype(int), np.zeros(2)),
    ]:
        with pytest.raises(Exception, match="width"):
            RowClusters(centres, mean).empty(2)


def test_after_a_scaler():
    pipe = make_pipeline(StandardScaler(), KMeans(3, random_state=0))
    clients = in_three()
    fitted = clients.fit(pipe)
    outputs = clients.transform(fitted)
    assert [(name, out.shape) for name, out in outputs.items()] == [
        ("oslo", (20, 3)),
        ("bergen", (20, 3)),
        ("hamar", (20, 3)),
    ]


@pytest.mark.parametrize("init", ["k-means++", "random"])
def test_files_that_are_read_in_chunks(init, tmp_path, monkeypatch):
    monkeypatch.setattr("fedps.client.tables.sources.source_table.CHUNK_ROWS", 7)
    frames = [pd.DataFrame(part, columns=["a", "b"]) for part in np.array_split(BLOBS, 3)]
    for i, frame in enumerate(frames):
        frame.to_csv(tmp_path / f"{i}.csv", index=False)
    estimator = KMeans(5, init=init, n_init=3, random_state=0)
    fitted = federation(*[str(tmp_path / f"{i}.csv") for i in range(3)]).fit(estimator)
    pooled = clone(estimator).fit(pd.concat(frames))
    np.testing.assert_allclose(fitted.cluster_centers_, pooled.cluster_centers_, rtol=1e-10)
    assert fitted.n_iter_ == pooled.n_iter_
