"""Each cost of consent.md has a flood, and each flood is run by ``test_floods``."""

import pytest
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.preprocessing import StandardScaler

from fedps.protocol.messages import Failure, Refusal
from fedps.statistics import Moments
from tests.scripts.asking import by_columns, conversation, described, request_of
from tests.scripts.flood_rounds import CELLS, ROUNDS, TARGET

COSTS = {
    "260,000 equal centres": ("centres", "centres within bounds", "row centres"),
    "500,000 steps": ("steps", "steps within bounds", "regressions"),
    "40,000 equal asks": ("equal asks", "equal asks within bounds"),
    "17,000 knots": ("knots", "a union of knots"),
    "chained Selects": ("a column", "a column of columns", "branches"),
    "a union": ("a union", "places of a union", "unions inside"),
}


@pytest.mark.parametrize("cost", COSTS)
def test_each_cost_has_its_flood(cost):
    assert set(COSTS[cost]) <= set(ROUNDS)


def test_processes_of_an_estimator():
    """n_jobs=24: the parameter is none that a server sends."""
    scaler = described("ColumnTransformer", n_jobs=24, parts=[], remainder="drop")
    problem = conversation(scaler, (CELLS, TARGET)).say()
    assert (type(problem), problem.rule) == (Refusal, "consent")
    assert "'n_jobs'" in problem.limit


@pytest.mark.parametrize("pattern", ["(a+)+$", "(x|x)*y", "^(([a-z])+.)+[A-Z]([a-z])+$"])
def test_a_regular_expression_that_hangs(pattern):
    scaler = request_of(StandardScaler()).pipeline
    columns = {"make_column_selector": {"pattern": pattern}}
    talk = conversation(by_columns((scaler, columns)), (CELLS, TARGET))
    problem = talk.say(talk.question(Moments(), (0,)))
    assert isinstance(problem, Failure | Refusal)


def test_a_plain_one_is_matched():
    selector = make_column_selector(pattern="^a")
    pipeline = ColumnTransformer([("a", StandardScaler(), selector)])
    assert request_of(pipeline).pipeline is not None
