"""Two hundred odd or wrong calls: equal to pooled, refused with a reason, or pooled fails too."""

from __future__ import annotations

from datetime import datetime, timedelta

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.experimental import enable_iterative_imputer  # noqa: F401 (brings the class in)
from sklearn.impute import IterativeImputer, KNNImputer, SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    SplineTransformer,
    StandardScaler,
)
from sklearn.utils import check_array

import fedps
from fedps.client import Responder
from fedps.protocol.codec import decode
from fedps.protocol.messages import Round
from tests.mistakes.odd_calls import as_objects, call, pooled, with_one_gap
from tests.twins.compare import assert_same_fit, assert_same_output, assert_same_transform
from tests.twins.nearest import close, filled
from tests.twins.quiet import quiet
from tests.twins.rows.power import same_column, same_form

SEEDS = [seed for seed in range(400) if call(seed) is not None][:200]


def outcome(seed):
    """Return what became of a call: "equal", "refused" or "pooled fails"; an AssertionError if none."""
    odd = call(seed)
    with quiet():
        table = expected = None
        try:
            table = pooled(odd.clients)
            expected = clone(odd.estimator).fit(table)
        except Exception as error:  # noqa: BLE001 (whatever pooled raises)
            expected = error
        federation = fedps.Federation(odd.clients)
        try:
            found = federation.fit(odd.estimator)
        except Exception as error:  # noqa: BLE001 (it is looked at)
            found = error
        if isinstance(found, fedps.FedPSError):
            assert _has_a_reason(str(found)), f"{odd.said}: {found}"
            return "pooled fails" if isinstance(expected, Exception) else "refused"
        if isinstance(found, Exception):
            # of a text that quotes cells, such as those of complex numbers, the first line
            first, wanted = str(found).partition("\n")[0], str(expected).partition("\n")[0]
            same = type(found) is type(expected) and first == wanted
            assert same, f"{odd.said}: {found!r} instead of {expected!r}"
            return "pooled fails"
        if isinstance(expected, Exception):
            same_as_objects(odd, found, table, expected)
            return "pooled fails"  # at what holds the cells, not at the cells
        table, expected = _with_one_gap(odd, table, expected)
        if _lists_each_nat(expected) or _has_no_bins(expected):
            return "pooled fails"  # without a word
        same_fit(found, expected, table)
    return "equal"


def same_fit(found, expected, table):
    """Assert that both are the same fit; where they may differ, that ours is what the guide says."""
    if isinstance(expected, PowerTransformer):  # whose search ends before ours
        same_form(found, expected)
        for j, cells in enumerate(as_floats(table).T):
            lambdas = ((fitted, fitted.lambdas_[j]) for fitted in (found, expected))
            same_column(j, *lambdas, table, cells, "table")
        return
    if isinstance(expected, KNNImputer):  # it asks the clients
        mine, theirs = (as_floats(fitted.transform(table)) for fitted in (found, expected))
        if not np.allclose(mine, theirs, equal_nan=True):  # of equally near rows it takes the first
            close(mine, filled(as_floats(table), as_floats(table)))
        return
    assert_same_fit(found, expected, 1e-9, 0.0)
    assert_same_transform(found, expected, table, 1e-6)


def as_floats(table):
    return check_array(table, dtype=float, ensure_all_finite=False)


def same_as_objects(odd, found, table, error):
    """Assert the fit of the same rows as objects: scikit-learn does not take them in this container."""
    rows = as_objects(pd.DataFrame(table) if isinstance(table, np.ndarray) else table)
    if any(isinstance(cell, datetime | timedelta) for cell in rows.to_numpy().ravel()):
        return  # which are other cells as objects, and are not found again where one is missing
    try:
        expected = clone(odd.estimator).fit(rows)
    except (ValueError, TypeError):
        pytest.fail(f"{odd.said}: pooled raises {error!r}")
    assert_same_output(found.transform(rows), expected.transform(rows), expected, 1e-6)


def _with_one_gap(odd, table, expected):
    """Return the pooled rows with one value for missing, and their fit."""
    unified = with_one_gap(table, odd.clients)
    return unified, clone(odd.estimator).fit(unified)


def _lists_each_nat(fitted):
    """Whether scikit-learn has taken each missing time for a category of its own."""
    found = getattr(fitted, "categories_", ())
    return any(each.dtype.kind in "mM" and np.isnat(each).sum() > 1 for each in found)


def _has_no_bins(fitted):
    """Whether scikit-learn has found that integers differ which are one number as doubles."""
    return isinstance(fitted, KBinsDiscretizer) and (fitted.n_bins_ < 1).any()


def _has_a_reason(text):
    """Whether an error says more than that something failed, and ends as a sentence."""
    return len(text) > 40 and "failed in this round" not in text and "did not answer" not in text


@pytest.mark.parametrize("seed", SEEDS)
def test_an_odd_call(seed):
    assert outcome(seed) in ("equal", "refused", "pooled fails")


def test_every_outcome_occurs():
    found = [outcome(seed) for seed in SEEDS[:60]]
    assert {"equal", "refused", "pooled fails"} == set(found)
    assert found.count("equal") >= 10
    assert np.mean([one == "refused" for one in found]) < 0.4


WRONG = [
    StandardScaler(with_mean="no"),
    MinMaxScaler(feature_range=(1, 0)),
    RobustScaler(quantile_range=(90, 10)),
    KBinsDiscretizer(n_bins=1),
    KBinsDiscretizer(strategy="bogus"),
    OneHotEncoder(handle_unknown="bogus"),
    OrdinalEncoder(handle_unknown="use_encoded_value"),
    SimpleImputer(strategy="bogus"),
    IterativeImputer(max_iter=-1),
    QuantileTransformer(n_quantiles=0),
    PolynomialFeatures(degree=-1),
    SplineTransformer(n_knots=1),
    PowerTransformer(method="bogus"),
    make_pipeline(SimpleImputer(), StandardScaler(), LogisticRegression()),
    make_pipeline(StandardScaler(), KBinsDiscretizer(n_bins=1)),
    make_column_transformer((PCA(), [0])),
    FunctionTransformer(lambda X: X - X.mean()),
    "not an estimator",
]


@pytest.mark.parametrize("estimator", WRONG, ids=range(len(WRONG)))
def test_a_wrong_call_asks_no_client_about_its_rows(estimator, monkeypatch):
    """At most the schema is asked for, which a function is tried on."""
    asked = []
    answer = Responder.answer

    def watched(self, message):
        asked.extend(decode(message, Round, "the server").asks)
        return answer(self, message)

    monkeypatch.setattr(Responder, "answer", watched)
    table = np.arange(30.0).reshape(10, 3)
    with pytest.raises((fedps.FedPSError, ValueError, TypeError)):
        fedps.Federation([table, table + 1]).fit(estimator)
    assert not asked
