"""A table with names in it, a pipeline about it, and fits of that by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    OneHotEncoder,
    StandardScaler,
)

from fedps.learned.scalers import StandardScalerNumbers
from fedps.statistics import (
    Moments,
)
from tests.scripts.asking import conversation

CELL = "J. Smith, 3 May 1974"
TABLE = pd.DataFrame(
    {
        "age": [30.0, 41.5, np.nan, 77.0] * 5,
        "bmi": np.arange(20.0),
        "name": [CELL, "A. Jones", "B. Brown", None] * 5,
    }
)
NUMBERS = ["age", "bmi"]
ENCODER = OneHotEncoder(sparse_output=False)
SCALED = ColumnTransformer(
    [
        ("numbers", make_pipeline(StandardScaler(), StandardScaler()), NUMBERS),
        ("name", ENCODER, ["name"]),
    ]
)
ONCE, TWICE, NAME = (0, 0), (0, 1), (1,)  # where these stand
FITTED = StandardScalerNumbers(
    count=np.array([15, 20]),
    mean=TABLE[NUMBERS].mean().to_numpy(),
    weighted=False,
    variance=TABLE[NUMBERS].var(ddof=0).to_numpy(),
)


def about(estimator=SCALED, table=TABLE, **more):
    return conversation(estimator, table, **more)


def begun(responder=None):
    """Return a fit of which the first round is over."""
    talk = about(table=TABLE if responder is None else responder)
    assert talk.say(talk.question(Moments(), ONCE)) is None
    return talk
