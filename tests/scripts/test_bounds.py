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
from fedps.client import work_budget
from fedps.learned.compose import ColumnTransformerNumbers
from fedps.learned.quantiles import (
    KBinsDiscretizerNumbers,
    QuantileTransformerNumbers,
    SplineTransformerNumbers,
)
from fedps.protocol.messages import Failure, Refusal
from fedps.statistics import Missing
from tests.scripts.asking import by_columns, conversation, described, in_order
from tests.twins.quiet import quiet

LONG = "a" * 60
TABLE = pd.DataFrame({"age": np.arange(20.0), LONG: np.arange(20.0), "bmi": np.arange(20.0)})
BOTH = ("Pipeline", "FeatureUnion")
GAPS = described("MissingIndicator", missing_values=np.nan)

NUMBERS = {
    "KBinsDiscretizer": KBinsDiscretizerNumbers(lower=np.zeros(3), upper=np.ones(3)),
    "QuantileTransformer": QuantileTransformerNumbers(quantiles=np.zeros((2, 3)), rows=20),
    "SplineTransformer": SplineTransformerNumbers(lower=np.zeros(3), upper=np.ones(3)),
    "ColumnTransformer": ColumnTransformerNumbers(rows=20, stored={}),
}


def answer(step, functions=None):
    """Return what a client says of what comes out of a step."""
    talk = conversation(in_order("Pipeline", step, GAPS), TABLE.copy(), functions=functions)
    for place in talk.declared.places:
        if place.described.estimator in NUMBERS:
            talk.fitted(place.path, NUMBERS[place.described.estimator])
    return talk.ask(Missing(), (1,))


@pytest.mark.parametrize(
    ("step", "what"),
    [
        (described("KBinsDiscretizer", n_bins=10**7), "KBinsDiscretizer(n_bins=...)"),
        (
            described("QuantileTransformer", n_quantiles=10**9),
            "QuantileTransformer(n_quantiles=...)",
        ),
        (described("SplineTransformer", n_knots=10**7), "SplineTransformer(n_knots=...)"),
        (described("SplineTransformer", degree=10**4), "SplineTransformer(degree=...)"),
        (described("PolynomialFeatures", degree=(2, 10**5)), "PolynomialFeatures(degree=...)"),
        (described("PolynomialFeatures", degree=10**5), "PolynomialFeatures(degree=...)"),
    ],
)
def test_too_much(step, what):
    started = time.monotonic()
    assert answer(step) == Failure("too much", what)
    assert time.monotonic() - started < 2


def test_a_column_very_often():
    """A branch may take a column twice; what it takes is never wider than a table may be."""
    often = by_columns(
        (described("StandardScaler", with_mean=False, with_std=False), [0] * 300_000)
    )
    found = conversation(often, TABLE).ask(Missing(every=True), (0,))
    assert isinstance(found, Failure)
    assert found.rule == "too much"


def polynomial(degree, **more):
    return described("PolynomialFeatures", degree=degree, **more)


@pytest.mark.parametrize(
    "step",
    [
        in_order("Pipeline", polynomial(20), polynomial(20)),
        in_order("FeatureUnion", in_order("Pipeline", *[polynomial(9)] * 3)),
    ],
)
def test_too_much_inside(step):
    """How many columns a step makes depends on those of the steps before it."""
    found = answer(step)
    assert found.rule == "too much"
    assert found.column.startswith("PolynomialFeatures that gives ")


@pytest.mark.parametrize(
    ("kind", "how"),
    [
        ("FeatureUnion", {"n_jobs": 2}),
        ("FeatureUnion", {"verbose": True}),
        ("Pipeline", {"memory": "a folder"}),
        ("Pipeline", {"transform_input": ["X"]}),
        ("Binarizer", {"copy": False}),
        ("FunctionTransformer", {"check_inverse": True}),
    ],
)
def test_how_an_estimator_runs_is_up_to_the_client(kind, how):
    """In how many processes, with what on disk, and whether into the owner's own table."""
    step = (
        in_order(kind, described("Binarizer", threshold=0.0)) if kind in BOTH else described(kind)
    )
    params = {**step.params, **how}
    assert isinstance(answer(described(kind, *step.steps, **params)), Refusal)


def test_a_table_is_not_written_to():
    """Whatever a pipeline says: the owner's own cells stay as they are."""
    cells = np.arange(40.0).reshape(20, 2)
    step = described("Binarizer", threshold=1e300, copy=False)
    talk = conversation(in_order("Pipeline", step, GAPS), cells)
    talk.ask(Missing(), (1,))
    np.testing.assert_array_equal(cells, np.arange(40.0).reshape(20, 2))


def test_a_step_of_few_columns_of_a_wide_table():
    wide = pd.DataFrame(np.ones((20, 1000)), columns=[f"c{i}" for i in range(1000)])
    federation = fedps.Federation({"oslo": wide})
    for responder in federation._session.transport.responders.values():
        responder.functions = None
    few = make_column_transformer((PolynomialFeatures(2), ["c1", "c2"]))
    federation.fit(make_pipeline(few, StandardScaler()))


def test_a_table_that_would_not_fit(monkeypatch):
    monkeypatch.setattr(work_budget, "LEAST_MADE", 100)
    monkeypatch.setattr(work_budget, "MADE_PER_CELL", 1)
    found = answer(polynomial(2))
    assert found == Failure("too much", "PolynomialFeatures that gives 10 columns")
    assert isinstance(answer(polynomial(2), {}), Missing.summary)


def where(pattern):
    chosen = {"pattern": pattern, "dtype_include": None, "dtype_exclude": None}
    return {"make_column_selector": chosen}


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
@pytest.mark.parametrize("inside", [False, True])
def test_slow_patterns(pattern, inside):
    """Neither at the place of a branch, nor behind the ColumnTransformer as a whole."""
    started = time.monotonic()
    if inside:
        found = answer(by_columns((described("Binarizer"), where(pattern))))
    else:
        found = conversation(by_columns((GAPS, where(pattern))), TABLE).ask(Missing(), (0,))
    assert found == Failure("pattern")
    assert time.monotonic() - started < 2


@pytest.mark.parametrize(
    "pattern", ["^a", "age|bmi", ".*a.*", "^(?:age|bmi)$", r"x\d+_[ab]{2}", None]
)
def test_usual_patterns(pattern):
    some = by_columns((GAPS, where(pattern)))
    assert isinstance(conversation(some, TABLE).ask(Missing(), (0,)), Missing.summary)


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
        with quiet():
            federation.fit(estimator)


def test_in_process_nothing_is_bounded():
    federation = fedps.Federation({"oslo": TABLE, "bergen": TABLE})
    steep = PolynomialFeatures(21, interaction_only=True)
    assert federation.fit(steep).transform(TABLE).shape == (20, 8)
    nested = make_column_transformer((StandardScaler(), make_column_selector("(?:a|b)+g")))
    assert federation.fit(nested).transform(TABLE).shape == (20, 1)
