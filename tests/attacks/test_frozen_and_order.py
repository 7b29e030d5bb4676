"""What a fitted estimator inside a pipeline hides, and columns that a server puts into another order."""

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.preprocessing import Binarizer, PolynomialFeatures, RobustScaler, StandardScaler

from fedps.assembly import freeze
from fedps.client import Policy, Responder, open_table
from fedps.learned import FrozenState, Function, Learned, Parameters
from fedps.protocol.messages import Failure, Order, Refusal
from fedps.statistics import Moments, Spread, Within
from tests.attacks.hostile import NUMBERS, ROWS, Victim, everywhere, is_no
from tests.scripts.asking import (
    NAME,
    Conversation,
    by_columns,
    described,
    in_order,
    request_of,
)

SCALER = request_of(StandardScaler()).pipeline


def behind(attributes, name):
    """Return a pipeline as data: an estimator with any attributes, as if it had been fitted before."""
    frozen = Learned(name, Parameters(), FrozenState(attributes), ())
    step = described("FrozenEstimator", frozen=frozen)
    return by_columns((in_order("Pipeline", step, SCALER), NUMBERS))


def hidden(attributes):
    return {"__dict__": {"keys": list(attributes), "values": list(attributes.values())}}


@everywhere
def test_all_attributes_at_once(kind, level):
    """By the name of the dict that holds them, they would not be seen one by one."""
    attributes = {
        "func": Function("numpy.positive"),
        "kw_args": {"keys": ["where"], "values": [np.eye(ROWS, len(NUMBERS), dtype=bool)]},
        "validate": False,
    }
    talk = Victim(kind, level).talk(behind(hidden(attributes), "FunctionTransformer"))
    assert talk.ask(Moments(), (0, 1)) == Failure("estimator", "FunctionTransformer")


@everywhere
@pytest.mark.parametrize("name", ["transform", "__class__", "get_params"])
def test_no_method_is_replaced(kind, level, name):
    attributes = {"threshold": 0.0, name: Function("numpy.positive")}
    talk = Victim(kind, level).talk(behind(attributes, "Binarizer"))
    assert talk.ask(Moments(), (0, 1)) == Failure("estimator", "Binarizer")


@everywhere
def test_the_table_is_not_written_to(kind, level):
    table = Victim(kind, level).table[NUMBERS]
    victim = Victim(kind, level, table)
    fitted = Binarizer(threshold=1e300, copy=False).fit(table)
    attributes = dict(freeze(fitted).numbers.attributes)
    for each in (attributes, hidden(attributes)):
        talk = victim.talk(behind(each, "Binarizer"))
        talk.ask(Moments(), (0, 1))
    victim.check_unchanged()


@everywhere
def test_a_polynomial_that_says_another_degree(kind, level):
    table = np.zeros((1, len(NUMBERS)))
    attributes = dict(freeze(PolynomialFeatures(2).fit(table)).numbers.attributes)
    more = {"_max_degree": 24, "_n_out_full": 118755, "n_output_features_": 118755}
    talk = Victim(kind, level).talk(behind({**attributes, **more}, "PolynomialFeatures"))
    assert talk.ask(Moments(), (0, 1)).rule == "too much"


class Approved:
    """An owner who approved whatever is asked."""

    def check(self, request, peer):
        return None


@pytest.mark.parametrize("columns", [[0], {"slice": [0, 1, None]}])
def test_positions_mean_what_the_owner_was_shown(columns):
    table = Victim("in process", "SUMMARY").table[NUMBERS]
    pipeline = by_columns((SCALER, columns))
    for consent, approved in (("owner", Approved()), ("policy", None)):
        client = Responder(NAME, open_table(table), Policy(consent=consent), consent=approved)
        talk = Conversation(client, request_of(pipeline))
        assert not is_no(talk.ask(Moments(), (0,)))
        talk.tell(Order(tuple(reversed(NUMBERS))))
        problem = talk.say(talk.question(Moments(), (0,)))
        assert (type(problem), problem.rule) == (
            Refusal,
            "consent",
        )  # asked once, whatever the order


def test_names_may_be_put_into_any_order():
    table = Victim("in process", "SUMMARY").table[NUMBERS]
    client = Responder(NAME, open_table(table), Policy(consent="owner"), consent=Approved())
    talk = Conversation(client, request_of(ColumnTransformer([("s", StandardScaler(), ["age"])])))
    talk.tell(Order(tuple(reversed(NUMBERS))))
    assert talk.say(talk.question(Moments(), (0,))) is None


@everywhere
def test_intervals_come_after_bins(kind, level):
    pipeline = ColumnTransformer([("only", RobustScaler(), ["income"])])
    all_ = Within((np.array([[0.0], [1e9]]),))
    assert Victim(kind, level).talk(pipeline).ask(all_, (0,)).rule == "consent"
    talk = Victim(kind, level).talk(pipeline)
    assert not is_no(talk.ask(Spread(targets=3), (0,)))
    assert not is_no(talk.ask(all_, (0,)))
    assert talk.answer(all_).tallies()[0].values.size == 0  # more than max_share
