"""Transformers that learn nothing: no round of their own."""

from __future__ import annotations

from typing import Any

import sklearn
from sklearn.utils.validation import check_is_fitted

from fedps.learned import Learned, Nothing, Parameters
from fedps.plans.shared.parameters import learned
from fedps.protocol.plan import Plan, View, ask
from fedps.statistics import Finite


def finite_only(transformer: Any, view: View) -> Plan[Learned]:
    """Have the clients' own tables checked for missing values, as ``fit`` would.

    The output of earlier steps is not checked: that would cost a round.
    """
    if not view.is_transformed and not sklearn.get_config()["assume_finite"]:
        yield from ask(Finite(), view)
    return learned(transformer)


def function_transformer(transformer: Any, view: View) -> Plan[Learned]:
    """Check only if the transformer itself would."""
    if transformer.validate:
        return (yield from finite_only(transformer, view))
    return learned(transformer)


def frozen_estimator(frozen: Any, view: View) -> Plan[Learned]:
    """Learn nothing: it is fitted. Taken apart only in case a later step needs its output."""
    check_is_fitted(frozen.estimator)
    assert view.pooled.freeze is not None
    try:
        inside = view.pooled.freeze(frozen.estimator)
    except KeyError:
        # it cannot be sent, and need not be unless some step comes after it
        return Learned("FrozenEstimator", Parameters(estimator=frozen.estimator), Nothing())
    return Learned("FrozenEstimator", Parameters(), Nothing(), (inside,))
    yield
