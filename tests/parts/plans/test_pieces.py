"""Quantiles of tables that are too wide for a message: asked of some columns at a time."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    KBinsDiscretizer,
    OneHotEncoder,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
)

import fedps
from fedps.client import responder

CAP = 20_000  # bytes of a message
RNG = np.random.default_rng(0)
WIDE = pd.DataFrame(RNG.normal(size=(600, 40))).rename(columns="x{}".format)
WIDE["x3"] = WIDE["x3"].round()
WIDE.loc[::7, "x5"] = np.nan
QUANTILES = QuantileTransformer(n_quantiles=100, subsample=None)


@pytest.fixture(autouse=True)
def _short_messages(monkeypatch):
    monkeypatch.setattr(responder, "MAX_MESSAGE", CAP)


def fitted(estimator, table):
    federation = fedps.Federation(
        np.array_split(table, 3)
        if isinstance(table, np.ndarray)
        else [table[i::3] for i in range(3)],
        progress=False,
    )
    return federation.fit(estimator), federation.run


@pytest.mark.parametrize("table", [WIDE, WIDE.to_numpy()], ids=["frame", "array"])
def test_quantiles_are_those_of_the_pooled_rows(table):
    found, run = fitted(QUANTILES, table)
    pooled = QuantileTransformer(n_quantiles=100, subsample=None).fit(table)
    np.testing.assert_array_equal(found.quantiles_, pooled.quantiles_)
    assert run.rounds > 3
    assert max(run.bytes_up.values()) > CAP


def test_rows_that_are_drawn_are_drawn_once_for_all_pieces():
    estimator = QuantileTransformer(n_quantiles=100, subsample=500, random_state=7)
    found, _ = fitted(estimator, WIDE.to_numpy())
    rows = np.concatenate([WIDE.to_numpy()])
    np.testing.assert_array_equal(found.quantiles_, estimator.fit(rows).quantiles_)


def test_a_branch_of_a_column_transformer():
    table = WIDE.assign(sex=["a", "b"] * 300)
    estimator = make_column_transformer((QUANTILES, list(WIDE)), (OneHotEncoder(), ["sex"]))
    found, _ = fitted(estimator, table)
    pooled = QuantileTransformer(n_quantiles=100, subsample=None).fit(WIDE)
    np.testing.assert_array_equal(found.transformers_[0][1].quantiles_, pooled.quantiles_)


def test_what_fits_in_a_message_takes_no_more_rounds():
    _, run = fitted(RobustScaler(), WIDE.iloc[:, :10])
    assert run.rounds <= 2


def test_bins_of_two_rounds_come_in_pieces():
    table = RNG.normal(size=(30_000, 12))
    binner = KBinsDiscretizer(
        50, strategy="quantile", quantile_method="averaged_inverted_cdf", subsample=None
    )
    found, run = fitted(binner, table)
    for own, pooled in zip(found.bin_edges_, binner.fit(table).bin_edges_, strict=True):
        np.testing.assert_array_equal(own, pooled)
    assert run.rounds > 4


def test_columns_that_a_step_made_are_refused_as_before():
    with pytest.raises(fedps.ClientError, match="more than fits in a message"):
        fitted(make_pipeline(StandardScaler(), QUANTILES), WIDE.to_numpy())
