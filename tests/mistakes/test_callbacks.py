"""Callbacks of scikit-learn 1.9, which watch a fit on rows."""

import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import fedps
from tests.mistakes.mistake import told

callback = pytest.importorskip("sklearn.callback", reason="this scikit-learn has no callbacks")


def test_callbacks():
    scaler = StandardScaler().set_callbacks(callback.ProgressBar())
    with told(
        fedps.NotFederated,
        "StandardScaler has callbacks, which watch scikit-learn's own fit on rows; across clients there is "
        "none. Use Federation(..., progress=) and federation.run, and take them off: "
        "standardscaler.set_callbacks().",
    ):
        fedps.fit(make_pipeline(scaler), [[[1.0], [2.0]]])
