"""What a person sees of a wrong call: in a terminal, in a notebook, in an editor."""

from __future__ import annotations

import traceback

import numpy as np
import pandas as pd
import pytest
from sklearn.preprocessing import StandardScaler

import fedps

TEXT = pd.DataFrame({"age": ["x", "y"]})


def wrong_calls():
    federation = fedps.Federation({"oslo": TEXT})
    return [
        lambda: federation.fit(StandardScaler()),
        lambda: federation.fit_transform(StandardScaler()),
        lambda: federation.transform(StandardScaler()),
        lambda: federation.explain(StandardScaler),
        lambda: fedps.Federation({"oslo": TEXT}, split="cols"),
    ]


@pytest.mark.parametrize("number", range(5))
def test_the_traceback_ends_at_the_caller(number):
    with pytest.raises(fedps.FedPSError) as caught:
        wrong_calls()[number]()
    ours = [f for f in traceback.extract_tb(caught.tb) if "caller_frames.py" in f.filename]
    assert len(ours) == 1
    assert caught.value.__suppress_context__


def test_a_notebook_shows_the_line_and_the_sentence():
    with pytest.raises(fedps.ClientError) as caught:
        wrong_calls()[0]()
    *line, sentence = caught.value._render_traceback_()
    assert sentence == f"ClientError: {caught.value}"
    assert len(line) <= 3
    assert not any("caller_frames.py" in text for text in line)


def test_completion_shows_what_is_public():
    federation = fedps.Federation([np.array([[1.0]])])
    federation.fit(StandardScaler())
    shown = {name for name in dir(federation) if not name.startswith("_")}
    assert shown == {
        *("corr", "crosstab", "describe", "explain", "fit", "fit_transform", "ledgers", "predict"),
        *("run", "schema", "transform"),
    }
    assert [name for name in dir(fedps.KLL()) if not name.startswith("_")] == ["error", "k", "seed"]
    of_policy = {name for name in dir(fedps.Policy()) if not name.startswith("_")}
    assert {"min_rows", "level", "allow", "deny"} <= of_policy
    assert not of_policy & {"check_request", "check_rows"}


@pytest.mark.slow
def test_a_type_checker_knows_what_fit_returns(tmp_path):
    api = pytest.importorskip("mypy.api", reason="needs mypy, of the extra 'dev'")
    file = tmp_path / "call.py"
    file.write_text(
        "import fedps\n"
        "class Scaler: ...\n"
        "federation = fedps.Federation([])\n"
        "reveal_type(federation.fit(Scaler()))\n"
        "reveal_type(fedps.fit(Scaler(), []))\n"
        "federation.fit(Scaler(), quantile=3)\n",
        "utf-8",
    )
    shown, _, _ = api.run([str(file), "--cache-dir", str(tmp_path), "--follow-imports=silent"])
    assert shown.count('Revealed type is "call.Scaler"') == 2
    assert 'did you mean "quantiles"?' in shown
