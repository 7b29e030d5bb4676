"""What a hostile server may not make of a few bytes."""

from __future__ import annotations

import time

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    KBinsDiscretizer,
    PolynomialFeatures,
    QuantileTransformer,
    SplineTransformer,
    StandardScaler,
)

import fedps
from fedps.client import Policy, Responder, open_table
from fedps.client import work_limits as bounds
from fedps.learned import Learned, Nothing, Parameters
from fedps.learned.quantiles import (
    KBinsDiscretizerNumbers,
    QuantileTransformerNumbers,
    SplineTransformerNumbers,
)
from fedps.protocol.codec import decode, encode
from fedps.protocol.messages import (
    Apply,
    Ask,
    At,
    Except,
    Failure,
    Reply,
    Round,
    Select,
    Tell,
    Where,
)
from fedps.statistics import Missing

LONG = "a" * 60
TABLE = pd.DataFrame({"age": np.arange(20.0), LONG: np.arange(20.0), "bmi": np.arange(20.0)})


def answer(change, functions=None):
    responder = Responder("oslo", open_table(TABLE), Policy.open(), functions)
    message = encode(Round(1, (Tell(2, 0, change),), (Ask(Missing(), 2),)))
    return decode(responder.answer(message), Reply, "client 'oslo'")


def failure(reply):
    if reply.problem is not None:
        return reply.problem
    found = decode(b"\x02" + bytes(reply.answers[0]), Failure, "client 'oslo'")
    assert isinstance(found, Failure)
    return found


NUMBERS = {
    "KBinsDiscretizer": KBinsDiscretizerNumbers(lower=np.zeros(3), upper=np.ones(3)),
    "QuantileTransformer": QuantileTransformerNumbers(quantiles=np.zeros((2, 3)), rows=20),
    "SplineTransformer": SplineTransformerNumbers(),
}


def unfitted(kind, **params):
    return Apply(Learned(kind, Parameters(params), NUMBERS.get(kind, Nothing())))


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (unfitted("KBinsDiscretizer", n_bins=10**7), "KBinsDiscretizer(n_bins=...)"),
        (
            unfitted("QuantileTransformer", n_quantiles=10**9),
            "QuantileTransformer(n_quantiles=...)",
        ),
        (unfitted("SplineTransformer", n_knots=10**7), "SplineTransformer(n_knots=...)"),
        (unfitted("SplineTransformer", degree=10**4), "SplineTransformer(degree=...)"),
        (unfitted("PolynomialFeatures", degree=(2, 10**5)), "PolynomialFeatures(degree=...)"),
        (unfitted("PolynomialFeatures", degree=10**5), "PolynomialFeatures(degree=...)"),
        (Select(At((0,) * 90_000)), "a choice of columns"),
    ],
)
def test_too_much(change, what):
    started = time.monotonic()
    assert failure(answer(change)) == Failure("too much", what)
    assert time.monotonic() - started < 2


def nested(kind, *steps):
    parts = tuple((f"step {i}", None) for i in range(len(steps)))
    return Learned(kind, Parameters(parts=parts), Nothing(), steps)


def polynomial(degree, **more):
    return Learned("PolynomialFeatures", Parameters(degree=degree, **more), Nothing())


@pytest.mark.parametrize(
    "learned",
    [
        nested("Pipeline", polynomial(20), polynomial(20)),
        nested("FeatureUnion", nested("Pipeline", *[polynomial(9)] * 3)),
    ],
)
def test_too_much_inside(learned):
    """How many columns a step makes depends on those of the steps before it."""
    found = failure(answer(Apply(learned)))
    assert found.rule == "too much"
    assert found.column.startswith("PolynomialFeatures of ")


def test_a_step_of_few_columns_of_a_wide_table():
    wide = pd.DataFrame(np.ones((20, 1000)), columns=[f"c{i}" for i in range(1000)])
    federation = fedps.Federation({"oslo": wide})
    for responder in federation._session.transport.responders.values():
        responder.functions = None
    few = make_column_transformer((PolynomialFeatures(2), ["c1", "c2"]))
    federation.fit(make_pipeline(few, StandardScaler()))


def test_a_table_that_would_not_fit(monkeypatch):
    monkeypatch.setattr(bounds, "MOST_MADE_CELLS", 100)
    found = failure(answer(Apply(polynomial(2))))
    assert found == Failure("too much", "a table of 10 columns")
    assert answer(Apply(polynomial(2)), {}).problem is None


@pytest.mark.parametrize(
    "pattern",
    [
        "(a+)+$",
        "(a|aa)+$",
        "(a|a)*b",
        r"(.*)*\1",
        "a*a*a*a*a*b",
        "((a*)*)*",
        "x" * 501,
        "(",
        r"(a*)\1*b" * 9,
    ],
)
@pytest.mark.parametrize("wrap", [False, True])
def test_slow_patterns(pattern, wrap):
    where = Where(pattern, (), ())
    change = Select(Except((where,)) if wrap else where)
    started = time.monotonic()
    assert failure(answer(change)) == Failure("pattern")
    assert time.monotonic() - started < 2


@pytest.mark.parametrize(
    "pattern", ["^a", "age|bmi", ".*a.*", "^(?:age|bmi)$", r"x\d+_[ab]{2}", None]
)
def test_usual_patterns(pattern):
    assert answer(Select(Where(pattern, (), ()))).problem is None


def test_reasonable_parameters():
    federation = fedps.Federation({"oslo": TABLE, "bergen": TABLE})
    for responder in federation._session.transport.responders.values():
        responder.functions = None
    for estimator in (
        KBinsDiscretizer(5),
        QuantileTransformer(n_quantiles=10),
        SplineTransformer(n_knots=6, degree=3),
        PolynomialFeatures(3),
    ):
        federation.fit(estimator)


def test_in_process_nothing_is_bounded():
    federation = fedps.Federation({"oslo": TABLE, "bergen": TABLE})
    steep = PolynomialFeatures(21, interaction_only=True)
    assert federation.fit(steep).transform(TABLE).shape == (20, 8)
    nested = make_column_transformer((StandardScaler(), make_column_selector("(?:a|b)+g")))
    assert federation.fit(nested).transform(TABLE).shape == (20, 1)
