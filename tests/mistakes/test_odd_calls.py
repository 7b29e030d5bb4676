"""Two hundred odd or wrong calls: equal to pooled, refused with a reason, or pooled fails too."""

from __future__ import annotations

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

import fedps
from fedps.client import Responder
from fedps.protocol.codec import decode
from fedps.protocol.messages import Round
from tests.mistakes.odd_calls import call, pooled, with_one_gap
from tests.twins.compare import assert_same_fit, assert_same_transform
from tests.twins.quiet import quiet

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
        if isinstance(expected, Exception) and _fails_at_gaps_only(odd, table):
            return "pooled fails"  # at pandas' NA, which works here
        table, expected = _with_one_gap(odd, table, expected)
        if _lists_each_nat(expected):
            return "pooled fails"  # to see that they are one category, as here
        assert not isinstance(expected, Exception), f"{odd.said}: pooled raises {expected!r}"
        if not isinstance(expected, KNNImputer):  # which asks the clients
            rtol = (
                1e-3 if isinstance(expected, PowerTransformer) else 1e-9
            )  # its search ends before
            assert_same_fit(found, expected, rtol, 0.0)
        assert_same_transform(found, expected, table, 1e-6)
    return "equal"


def _with_one_gap(odd, table, expected):
    """Return the pooled rows with one value for missing, and their fit."""
    if isinstance(expected, Exception):
        return table, expected
    same = with_one_gap(table, odd.clients)
    return same, clone(odd.estimator).fit(same)


def _lists_each_nat(fitted):
    """Whether scikit-learn has taken each missing time for a category of its own."""
    found = getattr(fitted, "categories_", ())
    return any(each.dtype.kind in "mM" and np.isnat(each).sum() > 1 for each in found)


def _fails_at_gaps_only(odd, table):
    """Whether scikit-learn takes the same rows with NaN for pandas' NA, or NaT."""
    if not isinstance(table, pd.DataFrame):
        return False
    try:
        clone(odd.estimator).fit(table.astype(object).mask(table.isna(), np.nan))
    except (ValueError, TypeError):
        return False
    return bool(table.isna().any(axis=None))


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
