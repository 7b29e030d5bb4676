"""Policies with one rule, and fits by one client that pass or do not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer

from fedps import Federation, Policy
from fedps.errors import Refused

OFF = {"min_rows": 0, "min_count": 0, "max_share": 1.0, "budget": None}


def only(**rules):
    """Return a policy of the default level that has some rules, and no others."""
    return Policy(**{**OFF, **rules})


def on(step, *columns):
    return make_column_transformer((step, list(columns)))


def numbers(rows, seed=0):
    """Return numbers of which no two are equal."""
    return np.random.default_rng(seed).permutation(rows) * 1.25 + 0.5


def people(*rows, seed=0):
    """Return a table of several people, who have so many rows each, one row after the other in turn."""
    turns = [(turn, who) for who, many in enumerate(rows) for turn in range(many)]
    names = [f"p{who:02}" for _, who in sorted(turns)]
    return pd.DataFrame({"person": names, "x": numbers(len(names), seed)})


def fit(estimator, table, policy, **options):
    """Return what one client's fit learns, and how far it may be off."""
    federation = Federation({"oslo": table}, policy=policy, **options)
    return federation.fit(estimator), federation.run.limitations


def refused(rule, limit, estimator, table, policy, **options):
    """Assert that a fit ends with a refusal by a rule, which says the limit and the way out."""
    with pytest.raises(Refused) as caught:
        fit(estimator, table, policy, **options)
    text = str(caught.value)
    assert f"({rule}) {limit}" in text
    assert ", or ask the data owner" in text
    return text
