"""What refusals, failures and notes tell is charged, and no question is taken for another one."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.frozen import FrozenEstimator
from sklearn.impute import MissingIndicator
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    MinMaxScaler,
    OneHotEncoder,
    PolynomialFeatures,
    StandardScaler,
    TargetEncoder,
)

import fedps
from fedps.client import Ledger, Policy, Responder, open_table
from fedps.learned.compose import ColumnTransformerNumbers
from fedps.learned.scalers import MinMaxScalerNumbers
from fedps.protocol.codec import decode_part
from fedps.protocol.messages import Order, ShownLess
from fedps.protocol.packing.arrays import Budget
from fedps.statistics import Finite, Known, Missing, Moments, Positive
from tests.attacks.hostile import NUMBERS, ROWS, Victim, is_no, people
from tests.attacks.readings import Scene, frozen_one_hot, multiplied, on
from tests.attacks.thirteen import below
from tests.scripts.asking import Conversation, request_of

MOST = int(0.33 * ROWS)


def spent(victim, column):
    return victim.client.ledger.account().spent(column).numbers


def guessed(victim, town):
    """Return the answer to how many are from a town that somebody has in mind, and what was noted."""
    encoder = OneHotEncoder(categories=[[town]], handle_unknown="ignore")
    talk = victim.talk(on(encoder, "town"))
    asked = Known(((town,),))
    assert talk.say(talk.question(asked, (0,))) is None
    kind = asked.summary | ShownLess
    return decode_part(talk.reply.answers[0], kind, "oslo", Budget(), "answer")


def test_a_guess_is_neither_confirmed_nor_denied():
    """A town of one person, and one of nobody: the same answer, and the same note."""
    fulda, nowhere = (guessed(Victim("in process", "SUMMARY"), t) for t in ("Fulda", "Atlantis"))
    assert isinstance(fulda, ShownLess)
    assert (fulda.summary, fulda.kept_back) == (nowhere.summary, nowhere.kept_back)


def test_all_other_towns_are_given():
    """The rest of a strict encoder is the one from Fulda: that it fails costs a number."""
    victim = Victim("in process", "SUMMARY")
    encoder = OneHotEncoder(categories=[["Berlin", "Jena", "Köln"]])
    talk = victim.talk(on(encoder, "town"))
    answer = talk.ask(Known((("Berlin", "Jena", "Köln"),), strict=True), (0,))
    assert answer.rule == "unknown category"
    assert spent(victim, "town") == 1


@pytest.mark.parametrize("marker", ["Fulda", 70.2])
def test_a_marker_that_is_a_guess(marker):
    victim = Victim("in process", "SUMMARY")
    column = "town" if marker == "Fulda" else "age"
    for _ in range(3):
        talk = victim.talk(on(MissingIndicator(missing_values=marker), column))
        assert talk.ask(Missing(marker), (0,)).rule == "min_count of markers"
        assert spent(victim, column) == 1  # the same question and answer, each time


def test_refusals_are_charged():
    """Whether somebody is from a town that one has in mind: a number for each guess, until there is none left."""
    victim = Victim("in process", "SUMMARY")
    said = []
    for i in range(MOST + 20):
        towns = ["Fulda", f"nowhere {i}"]
        talk = victim.talk(on(make_pipeline(frozen_one_hot(*towns), StandardScaler()), "town"))
        said.append(talk.ask(Moments(), (0, 1)).rule)
    assert said == ["min_count"] * MOST + ["budget"] * 20
    assert spent(victim, "town") == MOST


def test_failures_are_charged_and_look_the_same_in_the_end():
    victim = Victim("in process", "AGGREGATE")
    finite = [below(1e9 + i) for i in range(MOST)]
    for pipeline in finite:
        assert not is_no(victim.talk(pipeline).ask(Positive(), (0, 1)))
    for bound in (1.0, 2e9):  # it would fail, or not: nobody can tell any more
        talk = victim.talk(below(bound))
        assert talk.ask(Positive(), (0, 1)).rule == "budget"
        assert talk.reply.problem is None
    assert spent(victim, "income") == MOST


def contradicted(victim, upper):
    steps = on(make_pipeline(MinMaxScaler(), StandardScaler()), "income")
    talk = victim.talk(steps)
    one = np.ones(1)
    numbers = MinMaxScalerNumbers(lower=one * 0.0, upper=one * upper, rows=900)
    talk.fitted((0, 0), numbers)
    talk.say(talk.question(Moments(), (0, 1)))
    return talk


def test_contradictions_are_charged():
    """Extremes that a server makes up are contradicted by rows: that says where the largest is."""
    victim = Victim("in process", "AGGREGATE")
    for i in range(10):
        talk = contradicted(victim, 1e3 + i)
        assert talk.reply.problem.rule == "consent"
        assert spent(victim, "income") == 1 + i
    for i in range(MOST):
        contradicted(victim, 1e9 + i)  # two numbers, which leave one at last
    contradicted(victim, 1.5e3)
    assert spent(victim, "income") == MOST
    for upper in (2e3, 2e9):  # contradicted, or not
        talk = contradicted(victim, upper)
        assert (talk.reply.problem, talk.answer(Moments()).rule) == (None, "budget")


def test_equal_answers_to_different_questions_are_charged():
    """All cells are finite, whatever was done to them: each time it is another question."""
    victim = Victim("in process", "AGGREGATE")
    for i, function in enumerate((np.sin, np.cos, np.tanh)):
        pipeline = on(make_pipeline(FunctionTransformer(function), Binarizer()), "income")
        for _ in range(2):
            assert not is_no(victim.talk(pipeline).ask(Finite(), (0, 1)))
            assert spent(victim, "income") == 1 + i


def test_noise_in_parameters_is_no_way_around():
    victim = Victim("in process", "AGGREGATE")
    for i in range(5):
        threshold = 3e4 * (1 + i * 1e-15)
        pipeline = on(make_pipeline(Binarizer(threshold=threshold), StandardScaler()), "income")
        assert not is_no(victim.talk(pipeline).ask(Moments(), (0, 1)))
        assert spent(victim, "income") == 2 * (1 + i)


def test_the_same_question_in_another_pipeline_is_free():
    victim = Victim("in process", "AGGREGATE")
    for pipeline in (
        on(StandardScaler(), "income"),
        on(StandardScaler(), "income", "age"),
        ColumnTransformer([("a", MinMaxScaler(), ["age"]), ("s", StandardScaler(), ["income"])]),
    ):
        path = (len(pipeline.transformers) - 1,)
        assert not is_no(victim.talk(pipeline).ask(Moments(), path))
        assert spent(victim, "income") == 2


DERIVED = {
    "a scaler": FrozenEstimator(StandardScaler().fit(pd.DataFrame({"income": [0.0, 1.0]}))),
    "a function": FunctionTransformer(np.log1p),
    "powers": PolynomialFeatures(2, include_bias=False),
    "a branch of a union": FeatureUnion([("a", FunctionTransformer(np.sqrt))]),
}


@pytest.mark.parametrize("how", DERIVED)
def test_derived_columns_are_charged_to_what_they_are_made_of(how):
    victim = Victim("in process", "AGGREGATE")
    pipeline = make_pipeline(on(DERIVED[how], "income"), StandardScaler())
    federation = fedps.Federation({"oslo": victim.table}, policy=victim.policy)
    federation.fit(pipeline)
    account = federation.ledgers["oslo"].account()
    assert account.spent("income").numbers >= 2
    assert account.columns() == ["income"]


def test_products_are_charged_to_both():
    federation = fedps.Federation({"oslo": people()}, policy=Policy())
    pipeline = make_pipeline(
        on(PolynomialFeatures(2, interaction_only=True, include_bias=False), "age", "income"),
        StandardScaler(),
    )
    federation.fit(pipeline)
    account = federation.ledgers["oslo"].account()
    assert account.spent("age").numbers == account.spent("income").numbers >= 4


def test_another_order_of_columns_is_no_other_question():
    table, ledger = people()[NUMBERS], Ledger()
    for names in (NUMBERS, NUMBERS[::-1]):
        client = Responder("oslo", open_table(table), Policy(), ledger=ledger)
        talk = Conversation(client, request_of(StandardScaler()))
        talk.tell(Order(tuple(names)))
        assert not is_no(talk.ask(Moments()))
        assert {ledger.account().spent(name).numbers for name in NUMBERS} == {2}


@pytest.mark.parametrize("clients", [1, 2, 1000])
def test_claimed_clients_change_nothing_but_min_clients(clients):
    victim = Victim("in process", "SUMMARY", min_clients=2)
    talk = victim.talk(multiplied(frozen_one_hot("Fulda"), "income"), clients=clients)
    told = ColumnTransformerNumbers(rows=900, stored={})
    talk.fitted((0,), told).fitted((1,))
    answer = talk.ask(Moments(), (2,))
    assert answer.rule == ("min_clients" if clients == 1 else "min_count")


def test_a_label_beside_a_rare_category():
    """Neither the label beside Fulda, nor all less those beside the other towns."""
    scene = Scene("default")
    for target, kind in (("age", "continuous"), ("visits", "multiclass")):
        made = fedps.Federation({"oslo": scene.table}, target=target, policy=scene.policy)
        try:
            encoder = made.fit(on(TargetEncoder(target_type=kind, smooth=0.0), "town"))
        except fedps.Refused:
            continue
        found = encoder.transformers_[0][1]
        assert "Fulda" not in found.categories_[0]
        # with one row hidden, a second town is, too: what is left is not one person
        assert len(found.categories_[0]) < 3
