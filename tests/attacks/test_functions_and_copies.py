"""Attacks 1, 2 and 10: estimators whose arguments choose cells, show memory, or write into the table."""

import numpy as np
import pytest
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Binarizer, FunctionTransformer, StandardScaler

from fedps.assembly import freeze
from fedps.learned import Function
from fedps.protocol.messages import Refusal
from fedps.statistics import Moments
from tests.attacks.hostile import NUMBERS, ROWS, Victim, everywhere
from tests.scripts.asking import by_columns, described, in_order, request_of

MASK = np.eye(ROWS, len(NUMBERS), dtype=bool)
ARGUMENTS = {
    "every cell": {"where": MASK, "out": np.zeros((ROWS, len(NUMBERS)))},
    "old memory": {"where": np.zeros((ROWS, len(NUMBERS)), dtype=bool)},
    "any argument": {"casting": "unsafe"},
}


def scaled(step):
    """Return a pipeline as data: a step, and the means of what comes out of it."""
    scaler = request_of(StandardScaler()).pipeline
    return by_columns((in_order("Pipeline", step, scaler), NUMBERS))


@everywhere
@pytest.mark.parametrize("arguments", ARGUMENTS)
def test_no_arguments_of_functions(kind, level, arguments):
    victim = Victim(kind, level)
    step = described(
        "FunctionTransformer", func=Function("numpy.positive"), kw_args=ARGUMENTS[arguments]
    )
    talk = victim.talk(scaled(step))
    problem = talk.say(talk.question(Moments(), (0, 1)))
    assert (type(problem), problem.rule) == (Refusal, "functions")
    assert talk.reply.answers == ()
    victim.check_unchanged()


@everywhere
def test_nor_of_one_that_was_fitted_before(kind, level):
    victim = Victim(kind, level)
    function = FunctionTransformer(np.positive, kw_args={"where": MASK}).fit(np.zeros((ROWS, 5)))
    frozen = described("FrozenEstimator", frozen=freeze(function))
    talk = victim.talk(scaled(frozen))
    problem = talk.say(talk.question(Moments(), (0, 1)))
    assert (type(problem), problem.rule) == (Refusal, "functions")


@everywhere
def test_a_listed_function_takes_arguments_but_never_these(kind, level):
    victim = Victim(kind, level, functions=["numpy.positive"])
    for arguments in ({"where": MASK}, {"out": None}):
        step = described("FunctionTransformer", func=Function("numpy.positive"), kw_args=arguments)
        assert victim.talk(scaled(step)).say().rule == "functions"
    step = described(
        "FunctionTransformer",
        func=Function("numpy.positive"),
        kw_args={"casting": "unsafe"},
        validate=False,
    )
    assert victim.talk(scaled(step)).say() is None


@everywhere
def test_no_estimator_that_writes_into_the_table(kind, level):
    victim = Victim(kind, level)
    for parameter, value in (("copy", False), ("n_jobs", 24), ("verbose", 3)):
        talk = victim.talk(scaled(described("Binarizer", threshold=1e300, **{parameter: value})))
        problem = talk.say(talk.question(Moments(), (0, 1)))
        assert (type(problem), problem.rule) == (Refusal, "consent")
        assert repr(parameter) in problem.limit
    victim.check_unchanged()


@everywhere
def test_one_that_was_fitted_before_writes_elsewhere(kind, level):
    table = Victim(kind, level).table[NUMBERS]
    victim = Victim(kind, level, table)
    fitted = Binarizer(threshold=1e300, copy=False).fit(table)
    talk = victim.talk(make_pipeline(FrozenEstimator(fitted), StandardScaler()))
    assert talk.ask(Moments(), (1,)).count.tolist() == [[ROWS] * len(NUMBERS)]
    victim.check_unchanged()
