"""What a person sees of a wrong call: in a terminal, in a notebook, in an editor."""

from __future__ import annotations

import linecache
import re
import traceback
from pathlib import Path

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
    home = str(Path(fedps.__file__).parent)
    ours = [f for f in traceback.extract_tb(caught.tb) if f.filename.startswith(home)]
    assert len(ours) == 1
    assert caught.value.__suppress_context__


def test_a_notebook_shows_the_sentence_and_the_line():
    with pytest.raises(fedps.ClientError) as caught:
        wrong_calls()[0]()
    sentence, empty, place = caught.value._render_traceback_()
    assert sentence == f"ClientError: {caught.value}"
    assert empty == ""
    assert re.fullmatch(r"in test_wrong_calls\.py, line \d+: .*\.fit\(.*", place)


@pytest.mark.parametrize("name", ["/home/ipykernel_71/829.py", "<ipython-input-3-5f2a>"])
def test_a_notebook_names_no_file_for_a_cell(name):
    cell = "import fedps\nfedps.Policy(level='ALL')\n"
    linecache.cache[name] = (len(cell), None, cell.splitlines(True), name)
    with pytest.raises(fedps.UsageError) as caught:
        exec(compile(cell, name, "exec"))  # noqa: S102 - as a notebook does
    sentence, _, place = caught.value._render_traceback_()
    assert sentence == f"UsageError: {caught.value}"
    assert place == "in line 2 of the cell: fedps.Policy(level='ALL')"


def test_an_error_about_many_clients_says_where_all_are():
    with pytest.raises(fedps.ClientError) as caught:
        fedps.fit(StandardScaler(), [TEXT] * 9)
    error = caught.value
    assert str(error).startswith(
        "clients 'client 1', 'client 2', 'client 3', 'client 4', 'client 5' and 4 more "
    )
    assert len(error.clients) == 9
    assert error.__notes__ == ["error.clients has all 9 clients."]
    sentence, note, empty, _ = error._render_traceback_()
    assert (sentence, note, empty) == (f"ClientError: {error}", error.__notes__[0], "")


def test_an_error_names_one_more_rather_than_say_so():
    with pytest.raises(fedps.ClientError) as caught:
        fedps.fit(StandardScaler(), [TEXT] * 6)
    assert "'client 5' and 'client 6'" in str(caught.value)
    assert not hasattr(caught.value, "__notes__")


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
