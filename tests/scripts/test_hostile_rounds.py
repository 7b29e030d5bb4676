"""Rounds of a server that means harm: refused or failed, and the next fit goes on."""

from __future__ import annotations

import logging

import numpy as np
import pytest
from sklearn.impute import KNNImputer
from sklearn.preprocessing import (
    OneHotEncoder,
)

from fedps.errors import PeerError
from fedps.learned import FrozenState, Learned, Nothing, Parameters
from fedps.learned.imputers import SimpleImputerNumbers
from fedps.learned.scalers import StandardScalerNumbers
from fedps.protocol.messages import (
    Among,
    Beside,
    Failure,
    Fitted,
    Keep,
    Order,
    Refusal,
)
from fedps.statistics import (
    Categories,
    Incomplete,
    Known,
    Missing,
    Moments,
)
from tests.scripts.asking import by_columns, client, described, in_order
from tests.scripts.scaled import (
    CELL,
    FITTED,
    NAME,
    NUMBERS,
    TABLE,
    TWICE,
    about,
    begun,
)


def frozen(name):
    """Return attributes of an object of a class that a server would like to have."""
    return Learned(name, Parameters(), FrozenState({"a": 1}))


BARE = StandardScalerNumbers(count=np.array([20, 20]), weighted=False)
COUNTS = np.array([5, 0])
IMPUTED = SimpleImputerNumbers(statistics=np.array([1.0, 2.0]), missing=COUNTS, rows=20)


@pytest.mark.parametrize(
    "tells",
    [
        [Fitted(99, FITTED)],
        [Fitted(5, FITTED)],
        [Fitted(2, FITTED), Fitted(2, FITTED)],
        [Fitted(2, BARE)],
        [Fitted(2, IMPUTED)],
        [Fitted(2, Nothing())],
        [Fitted(2, FrozenState({"mean": CELL}))],
        [Fitted(2, FITTED, trial=True)],
        [Fitted(2, FITTED.replace(mean=np.zeros(7)))],
        [Fitted(2, FITTED.replace(mean=np.array(["a", "b"], dtype=object)))],
        [Fitted(2, FITTED), Order(("age",))],
        [Fitted(2, FITTED), Order(("age", "bmi", "sex"))],
        [Fitted(2, FITTED), *[Order(("age", "bmi", "name"))] * 2],
        [Fitted(2, FITTED), Among(99, 0, 20)],
        [Fitted(2, FITTED), Beside(0, 3)],
        [Fitted(2, FITTED), Keep()],
        [],
    ],
    ids=[
        "unknown",
        "next",
        "twice",
        "bare",
        "other",
        "nothing",
        "odd",
        "trial",
        "wide",
        "text",
        "short order",
        "other order",
        "two orders",
        "among",
        "beside",
        "keep",
        "untold",
    ],
)
def test_hostile_tells(tells, caplog):
    caplog.set_level(logging.CRITICAL)
    talk = about()
    assert isinstance(talk.tell(*tells).ask(Moments(), TWICE), Failure | Refusal)
    # and the next fit goes on as if nothing had happened
    assert isinstance(begun(talk.responder).ask(Categories(), NAME), Categories.summary)


SCALER, GAP = described("StandardScaler"), described("MissingIndicator", missing_values=np.nan)


def scaler(**params):
    return described("StandardScaler", **{"with_mean": True, "with_std": True, **params})


def where(**chosen):
    some = {"pattern": None, "dtype_include": None, "dtype_exclude": None, **chosen}
    return {"make_column_selector": some}


@pytest.mark.parametrize(
    ("pipeline", "path"),
    [
        (in_order("Pipeline", described("FrozenEstimator", frozen=frozen("os.system")), GAP), (1,)),
        (in_order("Pipeline", described("FrozenEstimator"), GAP), (1,)),
        (in_order("Pipeline", scaler(magic=1), GAP), (1,)),
        (in_order("Pipeline", described("Normalizer", norm="l9"), GAP), (1,)),
        (in_order("Pipeline", described("os.system"), GAP), (1,)),
        (in_order("Pipeline", described("FunctionTransformer", func="os.system"), GAP), (1,)),
        (described("MissingIndicator"), ()),
        (described("ColumnTransformer", GAP), (0,)),
        (described("ColumnTransformer", GAP, parts=[], remainder="drop"), (0,)),
        (described("ColumnTransformer", GAP, parts=3, remainder=None), (0,)),
        (described("ColumnTransformer", GAP, parts=[("a", None, 3)], remainder="drop"), (0,)),
        (by_columns((GAP, [7])), (0,)),
        (by_columns((GAP, [2**62])), (0,)),
        (by_columns((GAP, ["age", 1])), (0,)),
        (by_columns((GAP, [0.5])), (0,)),
        (by_columns((GAP, {})), (0,)),
        (by_columns((GAP, {"slice": [0]})), (0,)),
        (by_columns((GAP, {"slice": ["a", "b", 0]})), (0,)),
        (by_columns((GAP, {"make_column_selector": {}})), (0,)),
        (by_columns((GAP, where(pattern="("))), (0,)),
        (by_columns((GAP, where(pattern=3))), (0,)),
        (by_columns((GAP, where(dtype_include=["no such dtype"]))), (0,)),
    ],
)
def test_hostile_pipelines(pipeline, path, caplog):
    caplog.set_level(logging.CRITICAL)
    talk = about(pipeline)
    place = talk.place(path)
    if pipeline.estimator == "Pipeline" and pipeline.steps[0].estimator == "StandardScaler":
        talk.fitted((0,), FITTED)
    problem = talk.say(talk.asks(place, 0)) or talk.answer(Missing())
    assert isinstance(problem, Failure | Refusal)
    assert CELL not in repr(problem)
    assert isinstance(begun(talk.responder).ask(Categories(), NAME), Categories.summary)


def test_an_array_is_no_part_of_a_pipeline():
    talk = about(described("Pipeline", GAP, parts=[("a", np.arange(2))]))
    assert talk.say(talk.asks(talk.place((0,)), 0)).rule == "estimator"


@pytest.mark.parametrize(
    ("pipeline", "statistic", "options"),
    [
        (scaler(), Moments(weight="no such column"), {"weight": "no such column"}),
        (scaler(), Moments(weight="name"), {"weight": "name"}),
        (scaler(), Moments(weight=CELL), {"weight": CELL}),
        (described("SimpleImputer", strategy="mean", missing_values=np.inf), Moments(), {}),
        (described("SimpleImputer", strategy="median", missing_values=[1]), Missing(), {}),
        (described("SimpleImputer", strategy="no such", missing_values=None), Missing(), {}),
        *(
            (described("MissingIndicator", missing_values=marker), Missing(), {})
            for marker in ([1], {"a": [1]}, np.arange(3), "x" * 1000, (1,), True)
        ),
        *(
            (
                described(
                    "OneHotEncoder",
                    categories=categories,
                    handle_unknown="error",
                    min_frequency=None,
                    max_categories=None,
                ),
                Known(()),
                {},
            )
            for categories in ([[], [], []], [[1]], [[[1]], [{}], [None]], 3, [3], {"a": 1}, None)
        ),
        (
            described("KMeans", n_clusters="many", n_init=1, init="random", max_iter=1),
            Moments(),
            {},
        ),
        (described("IterativeImputer"), Missing(), {}),
        (described("KNNImputer", missing_values="x", n_neighbors=-1), Missing(), {}),
        (described("KNeighborsRegressor", metric="x", n_neighbors=1), Missing(), {}),
    ],
)
def test_hostile_parameters(pipeline, statistic, options, caplog):
    """What they make of a question is refused, fails or is answered: nothing else, and no cell in it."""
    caplog.set_level(logging.CRITICAL)
    talk = about(pipeline, TABLE[NUMBERS].assign(name=TABLE["name"]), **options)
    found = talk.say(talk.asks(0, 0)) or talk.answer(statistic)
    assert isinstance(found, Failure | Refusal | statistic.summary)
    assert isinstance(begun(talk.responder).ask(Categories(), NAME), Categories.summary)


@pytest.mark.parametrize(
    ("place", "question", "free", "more"),
    [
        (99, 0, (), {}),
        (1, 0, (), {}),
        (2, 1, (), {}),
        (2, 100_000, (), {}),
        (2, 0, (1,), {}),
        (2, 0, (CELL,), {}),
        (2, 0, (), {"columns": [0]}),
        (2, 0, (), {"columns": []}),
        (2, 0, (), {"given": 1}),
    ],
    ids=["place", "compound", "next", "far", "free", "text", "some", "no columns", "given"],
)
def test_what_no_estimator_asks(place, question, free, more):
    talk = about()
    assert isinstance(talk.say(talk.asks(place, question, *free, **more)), Refusal)
    assert talk.reply.answers == talk.reply.schemas == ()
    assert isinstance(begun(talk.responder).ask(Categories(), NAME), Categories.summary)


def test_a_question_is_asked_so_often():
    talk = about(KNNImputer(), TABLE[NUMBERS], outputs=True)
    sent = [talk.ask(Incomplete(ignored=ignored)) for ignored in ((), (0,), (0,), (1,))]
    assert [type(each) for each in sent[:3]] == [
        Incomplete.summary
    ] * 3  # the same again is the same
    assert sent[3].rule == "consent"
    assert "more than 2 times" in sent[3].limit


@pytest.mark.parametrize("columns", [(1, 0), (0, 0), (2,), ()])
def test_columns_of_a_place_each_once_and_in_their_order(columns):
    talk = about(
        OneHotEncoder(handle_unknown="infrequent_if_exist", min_frequency=2), TABLE[NUMBERS]
    )
    asked = talk.asks(0, 2, tuple(() for _ in columns), columns=columns)
    assert talk.say(asked).rule == "consent"


def test_an_undecodable_round_is_the_servers_fault():
    with pytest.raises(PeerError, match="the server sent"):
        client(TABLE).answer(b"\x02\xc1")
