"""Attacks 4 and 6: sums over many sets of rows that the server chooses."""

import warnings

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import PredefinedSplit
from sklearn.pipeline import FeatureUnion
from sklearn.preprocessing import KBinsDiscretizer, TargetEncoder

from fedps import Federation, Policy
from fedps.protocol.codec import encode_part
from fedps.protocol.messages import Among, Refusal
from fedps.questions import FOLDS, SAMPLE
from fedps.statistics import ByKnown, Moments, RowClusters
from tests.attacks.hostile import NUMBERS, ROWS, Victim, everywhere, is_no
from tests.attacks.readings import moved_past

DRAWS = KBinsDiscretizer(3, strategy="kmeans", subsample=200)
SEEDED = KBinsDiscretizer(3, strategy="kmeans", subsample=200, random_state=0)


def drawing(binner):
    return ColumnTransformer([("only", binner, NUMBERS)])


# 4: samples


def sample_mean(talk, state):
    talk.among((0,), 0, ROWS, state=state)
    return talk.ask(Moments(), (0,), SAMPLE, columns=range(len(NUMBERS)))


@everywhere
def test_a_place_draws_once(kind, level):
    talk = Victim(kind, level).talk(drawing(DRAWS))
    told = [not is_no(sample_mean(talk, np.random.RandomState(seed))) for seed in range(20)]
    assert told == [True] + [False] * 19


@everywhere
def test_a_seed_of_the_pipeline_is_the_seed(kind, level):
    """What a server says of a generator makes no difference then."""
    victim = Victim(kind, level)
    means = []
    for seed in range(3):
        talk = victim.talk(drawing(SEEDED))
        means.append(encode_part(sample_mean(talk, np.random.RandomState(seed))))
    assert len(set(means)) == 1


@everywhere
def test_no_sample_where_the_pipeline_draws_none(kind, level):
    victim = Victim(kind, level)
    for subsample, rows in ((None, 300), (200, 200), (400, 300)):
        binner = KBinsDiscretizer(3, strategy="kmeans", subsample=subsample, random_state=0)
        talk = victim.talk(drawing(binner)).among((0,), 0, rows)
        assert is_no(talk.ask(Moments(), (0,), SAMPLE, columns=[0]))


@everywhere
def test_many_samples_in_one_pipeline(kind, level):
    """As many means of samples as there are rows would be a linear system for the rows."""
    victim = Victim(kind, level)
    many = [
        (f"part {seed}", KBinsDiscretizer(3, strategy="kmeans", subsample=200, random_state=seed))
        for seed in range(100)
    ]
    talk = victim.talk(ColumnTransformer([("only", FeatureUnion(many), NUMBERS)]))
    for seed in range(100):
        talk.among((0, seed), 0, ROWS)
    asks = [talk.question(Moments(), (0, seed), SAMPLE, columns=[0]) for seed in range(100)]
    assert talk.say(*asks) is None
    answers = [talk.answer(Moments(), seed) for seed in range(100)]
    answered = [answer for answer in answers if not is_no(answer)]
    assert 0 < len(answered) <= ROWS // victim.policy.min_rows


@everywhere
@pytest.mark.parametrize("listed", [False, True])
def test_rows_listed_by_the_server(kind, level, listed):
    """Folds row by row are a choice of rows: not below ROWS, and not where the pipeline draws them."""
    town = Victim(kind, level).table[["town"]]
    victim = Victim(kind, level, town.assign(y=np.arange(ROWS) % 7 / 3))
    encoder = TargetEncoder(cv=PredefinedSplit(np.arange(ROWS) % 5) if listed else 5)
    talk = victim.talk(ColumnTransformer([("only", encoder, ["town"])]), outputs=True)
    folds = (np.arange(ROWS) < 20).astype(np.int64)
    talk.tell(Among(1, 0, ROWS, folds=folds))
    towns = (("Berlin", "Fulda", "Jena", "Köln"),)
    asked = ByKnown(towns, "numbers", True, folds=2)
    problem = talk.ask(asked, (0,), FOLDS)
    assert is_no(problem)
    assert problem.rule in ("consent", "level")


# 6: clusters


@everywhere
def test_no_row_by_moving_a_centre_past_it(kind, level):
    steps = 200 if kind == "in process" else 25
    victim = Victim(kind, level)
    assert moved_past(victim, steps) == 0
    victim.check_unchanged()


@everywhere
def test_many_clusters_do_not_determine_the_rows(kind, level):
    """As many sums over different clusters as there are rows would be a linear system for the rows."""
    victim = Victim(kind, level)
    rows = victim.table[NUMBERS].to_numpy()
    mean, rng = rows.mean(axis=0), np.random.default_rng(0)
    talk = victim.talk(ColumnTransformer([("only", KMeans(2, init=rows[:2], n_init=1), NUMBERS)]))
    sums = set()
    for _ in range(200 if kind == "in process" else 60):
        answer = talk.ask(RowClusters(rng.normal(0, 1e5, (2, len(NUMBERS))), mean), (0,))
        if not is_no(answer):
            sums |= {line.tobytes() for line in answer.sums[0]}
    assert len(sums) <= victim.policy.max_share * ROWS + 2


def test_without_a_floor_rows_are_read():
    """The attack is a real one: it is ``min_rows`` that stops it."""
    no_floor = {"min_rows": 0, "min_count": 0, "budget": None}
    assert moved_past(Victim("in process", "SUMMARY", **no_floor), 100) > 90


@pytest.mark.parametrize("seed", range(3))
def test_honest_clusters_are_found_all_the_same(seed):
    rng = np.random.default_rng(seed)
    rows = np.concatenate([rng.normal(c, 1, (300, 3)) for c in (0, 6, 12)])
    rng.shuffle(rows)
    start = rows[:3].copy()
    federation = Federation({"a": rows[:400], "b": rows[400:]}, policy=Policy())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = federation.fit(KMeans(3, init=start, n_init=1))
        pooled = KMeans(3, init=start, n_init=1).fit(rows)
    assert found.inertia_ <= 1.05 * pooled.inertia_


def test_held_rows_are_said_to_be():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(400, 2))
    federation = Federation({"a": rows[:200], "b": rows[200:]}, policy=Policy())
    with pytest.warns(UserWarning, match="may differ from a pooled fit: some client's policy"):
        federation.fit(KMeans(3, init=rows[:3], n_init=1))


@everywhere
def test_clusters_with_an_array_of_any_size(kind, level):
    talk = Victim(kind, level).talk(
        ColumnTransformer([("only", KMeans(2, init=np.zeros((2, 5)), n_init=1), NUMBERS)])
    )
    many = RowClusters(np.zeros((3, 5)), np.zeros(5))
    problem = talk.ask(many, (0,))
    assert (type(problem), problem.rule) == (Refusal, "consent")
