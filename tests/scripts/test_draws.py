"""Rows that a client draws as the pipeline says: no sample and no fold may single out a few of them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.model_selection import KFold, PredefinedSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    KBinsDiscretizer,
    QuantileTransformer,
    StandardScaler,
    TargetEncoder,
)

from fedps.client import Policy
from fedps.client import work_limits as bounds
from fedps.draws.samples import rows_drawn, times_drawn
from fedps.learned.encoders import TargetEncoderNumbers
from fedps.protocol.messages import Beside, Failure, Keep, Refusal
from fedps.questions import FOLDS, SAMPLE, NotDeclared
from fedps.statistics import ByKnown, Extremes, Moments, Spread
from tests.scripts.asking import conversation

ROWS = 100
TABLE = pd.DataFrame({"age": np.arange(float(ROWS)), "sex": ["f", "m"] * 50})
AGE, SEX = TABLE[["age"]], TABLE[["sex"]]
FEW = "min_rows of samples"
ENDS = Extremes(gaps=False)


def bins(size, seed=0, **more):
    """Return what draws rows, some of them twice."""
    return KBinsDiscretizer(3, strategy="uniform", subsample=size, random_state=seed, **more)


def quantiles(size, seed=0):
    """Return what draws rows, each at most once."""
    return QuantileTransformer(n_quantiles=5, subsample=size, random_state=seed)


def cells_of(size, *, start=0, rows=ROWS, seed=0, policy=None, **more):
    """Return how many cells a sample has, or why there is none."""
    talk = conversation(bins(size, seed), AGE, policy or Policy())
    talk.among((), start, rows, **more)
    found = talk.ask(ENDS, (), SAMPLE)
    return found.count.tolist() if isinstance(found, Extremes.summary) else found


# Samples ------------------------------------------------------------------------------------------


def test_a_sample_of_half_the_rows():
    """Rows that are drawn twice count twice."""
    assert cells_of(50) == [50]


@pytest.mark.parametrize(("start", "rows"), [(0, 300), (100, 300), (150, 250), (7, 1000)])
def test_a_client_draws_its_own_rows_of_all(start, rows):
    wanted = times_drawn(rows_drawn(rows, 120, 0, replace=True), start, start + ROWS).sum()
    assert cells_of(120, start=start, rows=rows) == [wanted]


def test_a_generator_without_a_seed():
    state = np.random.RandomState(5)
    wanted = times_drawn(rows_drawn(300, 120, state, replace=True), 0, ROWS).sum()
    assert cells_of(120, rows=300, seed=None, state=state) == [wanted]


def test_the_pipelines_seed_is_kept_to():
    """A server cannot choose another sample by a state of its own."""
    other = np.random.RandomState(5)
    assert cells_of(120, rows=300, state=other) == cells_of(120, rows=300)


@pytest.mark.parametrize(
    ("estimator", "statistic", "rows"),
    [
        (bins(9), ENDS, ROWS),
        (bins(1), ENDS, ROWS),
        (bins(50), ENDS, 1000),
        (quantiles(9), Spread(targets=5), ROWS),
        (quantiles(91), Spread(targets=5), ROWS),
        (quantiles(99), Spread(targets=5), ROWS),
    ],
    ids=["few", "one", "few of very many", "few once", "all but few", "all but one"],
)
def test_few_rows_are_refused(estimator, statistic, rows):
    talk = conversation(estimator, AGE, Policy())
    refusal = talk.among((), 0, rows).ask(statistic, (), SAMPLE)
    assert isinstance(refusal, Refusal)
    assert refusal.rule == FEW
    assert refusal.limit == (
        "needs 10 rows in each sample or fold, outside of it, between two samples, and for each of them, and there are "
        "fewer"
    )


@pytest.mark.parametrize(
    ("among", "found"),
    [
        ({"start": 1}, Failure("draw")),
        ({"rows": 99}, Failure("draw")),
        ({"start": 2**53}, Failure("draw")),
        (
            {"size": 2**24 + 1, "rows": 2**53},
            Failure("too much", "a sample of more than 16777216 rows"),
        ),
        ({"seed": None}, Failure("journal")),
        ({"size": None}, Refusal("consent", "draws no sample there")),
        ({"size": ROWS}, Refusal("consent", "draws no sample there")),
    ],
    ids=["start", "rows", "far", "very many", "no state", "no sample", "all rows"],
)
def test_what_no_honest_server_says(among, found):
    assert cells_of(**{"size": 50, "policy": Policy.open(), **among}) == found


@pytest.mark.parametrize(("rows", "refused"), [(2**24, False), (2**24 + 1, True)])
def test_rows_that_are_shuffled(rows, refused):
    """To draw no row twice, scikit-learn shuffles all."""
    talk = conversation(quantiles(50), AGE, Policy.open())
    found = talk.among((), 0, rows).ask(Spread(targets=5), (), SAMPLE)
    assert (found == Failure("too much", "a sample of more than 16777216 rows")) == refused


def test_where_rows_stand_is_told_once():
    talk = conversation(bins(50), AGE, Policy())
    talk.among((), 0, ROWS).among((), 0, 2 * ROWS)
    assert talk.ask(ENDS, (), SAMPLE).rule == "consent"


def test_a_sample_before_it_is_known_where_rows_stand():
    assert conversation(bins(50), AGE).ask(ENDS, (), SAMPLE) == Failure("journal")


def test_estimators_that_draw_nothing():
    with pytest.raises(NotDeclared):
        conversation(StandardScaler(), AGE).question(Moments(), (), SAMPLE)


def side_by_side(*estimators):
    """Return the answers about samples that several branches draw of the same rows."""
    talk = conversation(make_column_transformer(*((e, ["age"]) for e in estimators)), AGE, Policy())
    for i, _ in enumerate(estimators):
        talk.among((i,), 0, ROWS)
    statistic = Spread(targets=5)
    problem = talk.say(*(talk.question(statistic, (i,), SAMPLE) for i, _ in enumerate(estimators)))
    return problem or [talk.answer(statistic, i) for i, _ in enumerate(estimators)]


@pytest.mark.parametrize(("more", "refused"), [(0, False), (1, True), (9, True), (10, False)])
def test_two_samples_that_differ_by_few_rows(more, refused):
    """Their difference would tell these rows."""
    first, second = side_by_side(quantiles(30), quantiles(30 + more))
    assert not isinstance(first, Refusal)
    assert isinstance(second, Refusal) == refused


def test_very_many_samples(monkeypatch):
    monkeypatch.setattr(bounds, "MOST_SAMPLES", 3)
    assert not isinstance(side_by_side(*(quantiles(50, seed) for seed in range(3)))[-1], Failure)
    found = side_by_side(*(quantiles(50, seed) for seed in range(5)))
    assert found[-1] == Failure("too much", "more than 3 samples of the rows")


def test_a_very_long_fit(monkeypatch):
    monkeypatch.setattr(bounds, "MAX_JOURNAL", 1000)
    talk = conversation(StandardScaler(), AGE, Policy())
    found = [talk.ask(Moments()) for _ in range(100)]
    problems = [each for each in found if isinstance(each, Failure)]
    assert problems[0] == Failure("too much", "more than 0 MB in one fit")
    assert sum(map(len, talk.responder.heard)) <= 1000


# Folds --------------------------------------------------------------------------------------------

TARGET = np.arange(ROWS) / 7
HALVES = KFold(2)


def encoder(cv=HALVES, **more):
    return TargetEncoder(cv=cv, target_type="continuous", **more)


def in_folds(number=2):
    return ByKnown((("f", "m"),), "numbers", folds=number)


def folded(cv, number, *, rows=ROWS, policy=None, **among):
    """Return the target beside each category in each fold, or why there is none."""
    talk = conversation(encoder(cv), (SEX, TARGET), policy or Policy(), outputs=True)
    talk.among((), 0, rows, **among)
    return talk.ask(in_folds(number), (), FOLDS)


@pytest.mark.parametrize(("cv", "refused"), [(2, False), (5, False), (11, True), (50, True)])
def test_folds_of_few_rows(cv, refused):
    found = folded(KFold(cv), cv)
    assert isinstance(found, Refusal) == refused, found


def test_a_fold_of_few_rows_here():
    """The folds of very many rows leave a few of them to this client, if the server says so."""
    assert folded(HALVES, 2, rows=190).rule == FEW
    assert not isinstance(folded(HALVES, 2, rows=160), Refusal)


LISTED = PredefinedSplit([0, 1] * 50)
OWN = np.array([0, 1] * 50)


@pytest.mark.parametrize(
    ("cv", "policy", "folds", "found"),
    [
        (
            HALVES,
            Policy.open(),
            OWN,
            Refusal("consent", "draws its folds itself, and was told others"),
        ),
        (
            LISTED,
            Policy(),
            OWN,
            Refusal("level", "allows folds that are listed row by row at ROWS only"),
        ),
        (LISTED, Policy.open(), OWN[:50], Failure("folds")),
        (LISTED, Policy.open(), OWN.astype(float), Failure("folds")),
        (LISTED, Policy.open(), OWN - 1, Failure("folds")),
        (LISTED, Policy.open(), None, Failure("folds")),
        (LISTED, Policy(level="ROWS"), np.arange(ROWS) // 99, FEW),
    ],
    ids=["drawn", "level", "short", "floats", "negative", "none", "one row"],
)
def test_folds_that_are_listed(cv, policy, folds, found):
    answer = folded(cv, 2, policy=policy, folds=folds)
    assert getattr(answer, "rule", None) == found if isinstance(found, str) else answer == found


def test_listed_folds():
    assert isinstance(folded(LISTED, 2, policy=Policy.open(), folds=OWN), in_folds().summary)


@pytest.mark.parametrize(
    "more",
    [
        {"classes": np.array([50, 50])},
        {"classes": np.array([50, 50]), "own": np.array([0]), "before": np.array([0])},
        {"classes": np.array([1, 99]), "own": np.array([0, 1]), "before": np.array([0, 0])},
        {"classes": np.array([50, 49]), "own": np.array([0, 1]), "before": np.array([0, 0])},
        {"classes": np.array([50, 50]), "own": np.array([0, 7]), "before": np.array([0, 0])},
        {"classes": np.array([50, 50]), "own": np.array([0, -1]), "before": np.array([0, 0])},
        {"classes": np.array([50, 50]), "own": np.array([0, 1]), "before": np.array([0, 1])},
        {"classes": np.array([50.0, 50]), "own": np.array([0, 1]), "before": np.array([0, 0])},
    ],
)
def test_classes_that_are_not_the_clients(more):
    labels = TargetEncoder(target_type="binary", shuffle=False)
    talk = conversation(labels, (SEX, np.array(["no", "yes"] * 50)), outputs=True)
    talk.among((), 0, ROWS, **more)
    wanted = ByKnown((("f", "m"),), "labels", labels=("no", "yes"), folds=5)
    assert talk.ask(wanted, (), FOLDS) == Failure("folds")


# Rows that are encoded fold by fold ---------------------------------------------------------------


def numbers(**changes):
    """Return what encodes the rows of the second fold by their category, and all others alike."""
    return TargetEncoderNumbers(
        **{
            "fold_encodings": [np.array([[0.0, 0.0], [0.0, 1.0]])],
            "fold_means": np.zeros(2),
            "categories": [np.array(["f", "m"], dtype=object)],
            "encodings": [np.array([7.0, 7.0])],
            "mean": 7.0,
            "classes": None,
            "target": ["numpy <f8"],
            **changes,
        }
    )


def encoded(*steps, rows=ROWS, told=None):
    """Return a fit in which a client encodes its rows by folds, up to the steps after that."""
    talk = conversation(make_pipeline(encoder(), *steps), (SEX, TARGET), Policy(), outputs=True)
    return talk.among((0,), 0, rows).fitted((0,), told or numbers())


@pytest.mark.parametrize(
    ("rows", "refused"), [(100, False), (180, False), (182, True), (198, True)]
)
def test_encoded_folds_of_few_rows(rows, refused):
    """A fold of one row, encoded by its category, would tell which one that is."""
    found = encoded(StandardScaler(), rows=rows).ask(Moments(), (1,))
    assert isinstance(found, Refusal) == refused, found


@pytest.mark.parametrize("size", [45, 55, 95])
def test_a_sample_of_folds(size):
    """Some of a fold's rows, or all but some: here of the second, by how many the sample has."""
    talk = encoded(quantiles(size), rows=180)
    assert talk.among((1,), 0, ROWS).ask(Spread(targets=5), (1,), SAMPLE).rule == FEW


def test_folds_within_folds():
    talk = encoded(encoder())
    talk.among((1,), 0, 102)
    assert talk.ask(in_folds(), (1,), FOLDS).rule == FEW


@pytest.mark.parametrize(("rows", "refused"), [(100, False), (102, True), (120, False)])
def test_folds_that_differ_by_few_rows(rows, refused):
    """A server that says at two places that there are other numbers of rows."""
    both = make_column_transformer((encoder(), ["sex"]), (encoder(), ["sex"]))
    talk = conversation(both, (SEX, TARGET), Policy(), outputs=True)
    talk.among((0,), 0, ROWS).among((1,), 0, rows)
    assert not isinstance(talk.ask(in_folds(), (0,), FOLDS), Refusal)
    found = talk.ask(in_folds(), (1,), FOLDS)
    assert (getattr(found, "rule", None) == FEW) == refused


@pytest.mark.parametrize(
    "changes",
    [
        {"fold_means": np.zeros(1), "fold_encodings": [np.array([[0.0, 0.0]])]},
        {"fold_means": np.zeros(0), "fold_encodings": [np.empty((0, 2))]},
        {"fold_means": np.zeros(1)},
        {"fold_encodings": []},
        {"fold_encodings": [np.zeros((2, 1))]},
        {"fold_means": None},
    ],
    ids=["one fold", "no fold", "one mean", "no encodings", "one category", "no means"],
)
def test_numbers_for_other_folds_than_there_are(changes):
    """Rows without numbers would come out as whatever was in memory before."""
    found = encoded(StandardScaler(), told=numbers(**changes)).ask(Moments(), (1,))
    assert isinstance(found, Failure)


# For other splits ---------------------------------------------------------------------------------


@pytest.mark.parametrize("tell", [Beside(0, 2), Keep()], ids=["beside", "keep"])
def test_what_is_for_columns_only(tell):
    assert conversation(StandardScaler(), AGE).tell(tell).say() == Failure("split")
    assert conversation(StandardScaler(), AGE, across=True).say() == Failure("split")


def test_no_statistic_that_is_for_columns_only():
    talk = conversation(None, AGE)
    assert talk.say(talk.asks(0, 0)).rule == "consent"
    assert conversation(None, talk.responder).say() is None  # schemas are for all
