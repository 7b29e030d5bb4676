"""max_share and budget: what all answers of a ledger together may show of a column, over its life."""

from __future__ import annotations

import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, OneHotEncoder, StandardScaler

from fedps.client import Ledger, Responder, open_table
from fedps.client.ledger import Spent
from fedps.protocol.messages import Refusal
from fedps.statistics import Categories, Extremes, Missing, Moments
from tests.parts.rules.limits import numbers, only
from tests.scripts.asking import NAME, conversation

ROWS = 64
TABLE = pd.DataFrame({"x": numbers(ROWS)})
# what is asked of the column, the single values that the answer shows, and the numbers that it tells
MEAN = (SimpleImputer(), Moments(order=1), Spent(0, 1))
BOTH = (StandardScaler(), Moments(), Spent(0, 2))
GAPS = (MissingIndicator(), Missing(), Spent(0, 1))
RANGE = (MinMaxScaler(), Extremes(), Spent(2, 0))
LARGEST = (MaxAbsScaler(), Extremes(absolute=True), Spent(1, 0))


@pytest.fixture(params=["file", "memory"])
def ledger(request, tmp_path):
    """A ledger as each fit finds it: the same file opened again, or the same object."""
    if request.param == "file":
        return lambda: Ledger(tmp_path / "ledger.jsonl")
    kept = Ledger()
    return lambda: kept


def fit(ledger, policy, question, table=TABLE):
    """Ask one question in a fit of its own, and return the answer."""
    estimator, statistic, _ = question
    client = Responder(NAME, open_table(table), policy, ledger=ledger())
    return conversation(estimator, client).ask(statistic)


def passes(ledger, policy, *questions):
    return [not isinstance(fit(ledger, policy, one), Refusal) for one in questions]


@pytest.mark.parametrize("question", [MEAN, BOTH, GAPS, RANGE, LARGEST])
def test_what_an_answer_costs(ledger, question):
    policy = only(budget=1.0, max_share=0.5)
    fit(ledger, policy, question)
    assert ledger().account().spent("x") == question[2]
    fit(ledger, policy, question)
    assert ledger().account().spent("x") == question[2]  # the same again costs nothing


def test_the_budget_is_for_all_fits(ledger):
    policy = only(budget=3 / ROWS)
    assert passes(ledger, policy, BOTH, MEAN) == [True, True]  # three numbers: exactly the limit
    refusal = fit(ledger, policy, GAPS)
    limit = (
        "tells at most 5% as many numbers about a column as there are rows, in all answers together"
    )
    assert (refusal.rule, refusal.column) == ("budget", "x")
    assert refusal.limit.startswith(limit)
    assert passes(ledger, policy, BOTH, MEAN) == [True, True]  # again, and free
    assert ledger().account().spent("x") == Spent(0, 3)


def test_one_number_less(ledger):
    assert passes(ledger, only(budget=2 / ROWS), MEAN, BOTH, GAPS) == [True, False, True]


def test_the_share_is_of_all_fits(ledger):
    policy = only(max_share=3 / ROWS)
    assert passes(ledger, policy, RANGE, LARGEST) == [True, True]  # three values: exactly the limit
    again = TABLE.assign(x=TABLE["x"] + 1.0)  # another answer to the same question shows new values
    refusal = fit(ledger, policy, LARGEST, again)
    assert (refusal.rule, refusal.column) == ("max_share of all answers", "x")
    assert refusal.limit.startswith("shows at most 5% of a column's cells in all answers together")
    assert passes(ledger, policy, RANGE, LARGEST) == [True, True]
    assert passes(ledger, policy, MEAN) == [True]  # numbers are another rule
    assert ledger().account().spent("x") == Spent(3, 1)


def test_one_value_less(ledger):
    assert passes(ledger, only(max_share=2 / ROWS), LARGEST, RANGE) == [True, False]
    assert passes(ledger, only(max_share=1 / ROWS), LARGEST) == [True]
    assert fit(ledger, only(max_share=1 / ROWS), RANGE).rule == "max_share"  # at once


def test_values_of_an_encoder(ledger):
    """Numbers as categories are single values; texts are not."""
    few = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0] * 16})
    names = (OneHotEncoder(), Categories(), None)
    assert not isinstance(fit(ledger, only(max_share=4 / ROWS), names, few), Refusal)
    assert ledger().account().spent("x").values == 4
    five = few.assign(x=[1.0, 2.0, 3.0, 4.0] * 15 + [5.0] * 4)
    assert fit(ledger, only(max_share=4 / ROWS), names, five).rule == "max_share"
    words = five.astype({"x": int}).astype({"x": str})
    assert not isinstance(fit(ledger, only(max_share=0.0), names, words), Refusal)


@pytest.mark.parametrize(("most", "fits"), [(3, [True, True]), (2, [True, False])])
def test_questions_of_one_round_add_up(ledger, most, fits):
    both = make_column_transformer((StandardScaler(), ["x"]), (MissingIndicator(), ["x"]))
    client = Responder(NAME, open_table(TABLE), only(budget=most / ROWS), ledger=ledger())
    talk = conversation(both, client)
    talk.say(talk.question(Moments(), (0,)), talk.question(Missing(), (1,)))
    found = [talk.answer(Moments(), 0), talk.answer(Missing(), 1)]
    assert [not isinstance(answer, Refusal) for answer in found] == fits


def test_other_columns_have_budgets_of_their_own(ledger):
    policy = only(budget=2 / ROWS)
    assert passes(ledger, policy, BOTH) == [True]
    other = TABLE.rename(columns={"x": "y"})
    assert not isinstance(fit(ledger, policy, BOTH, other), Refusal)
    assert ledger().account().columns() == ["x", "y"]


def test_no_limit(ledger):
    policy = only(budget=None, max_share=1.0)
    assert passes(ledger, policy, BOTH, MEAN, GAPS, RANGE, LARGEST) == [True] * 5
