"""``fedps fit`` and ``fedps explain``: the fit of a program, from a shell."""

import json
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import fedps as library
from fedps.files import load_fitted, load_pipeline
from fedps.transports import LocalTransport

CLIENTS = "--client oslo=oslo.parquet --client bergen=bergen.csv --client moss=moss.csv"


def transformed(fitted, rows):
    made = fitted.transform(rows)
    return made.toarray() if hasattr(made, "toarray") else made


def test_the_saved_estimator_is_that_of_a_program(fedps, tables):
    result = fedps(f"fit prep.py:pipeline {CLIENTS} --out prep.skops")
    assert result.exit_code == 0, result.output
    assert "3 clients, 120 rows: 2 rounds" in result.stdout
    assert "Written: prep.skops" in result.stdout
    fitted = load_fitted("prep.skops")
    theirs = library.fit(load_pipeline("prep.py:pipeline"), tables)
    everything = pd.concat(tables.values())
    pooled = load_pipeline("prep.py:pipeline").fit(everything)
    np.testing.assert_array_equal(transformed(fitted, everything), transformed(theirs, everything))
    np.testing.assert_allclose(
        transformed(fitted, everything), transformed(pooled, everything), atol=1e-12
    )


@pytest.mark.parametrize("kind", ["html", "json", "md"])
def test_a_report(fedps, folder, kind):
    result = fedps(f"fit prep.py:made {CLIENTS} --out prep.skops --report run.{kind}")
    assert result.exit_code == 0, result.output
    text = (folder / f"run.{kind}").read_text("utf-8")
    if kind == "json":
        assert json.loads(text)["clients"] == ["oslo", "bergen", "moss"]
    else:
        assert "Moments" in text
        assert "J. Smith" not in text
    assert f"run.{kind}" in result.stdout


def test_explain_reads_schemas_only(fedps):
    result = fedps(f"explain prep.py:pipeline {CLIENTS}")
    assert result.exit_code == 0, result.output
    assert "would take 2 rounds" in result.stdout
    assert "Categories" in result.stdout


def test_explain_writes_a_report(fedps, folder):
    assert fedps(f"explain prep.py:pipeline {CLIENTS} --report ask.html").exit_code == 0
    assert "would take" in (folder / "ask.html").read_text("utf-8")


@pytest.mark.parametrize("how", ["kll", "kll:400", "req", "REQ:20"])
def test_sketches(fedps, how):
    result = fedps(f"fit prep.py:quantiles {CLIENTS} --out prep.skops --quantiles {how}")
    assert result.exit_code == 0, result.output
    assert how.partition(":")[0].upper() in result.stdout
    assert "1 round," in result.stdout


def test_options_reach_the_fit(fedps, tables):
    weighted = fedps(f"explain prep.py:power {CLIENTS} --sample-weight age")
    assert weighted.exit_code == 2
    assert "sample_weight" in weighted.stderr
    frequent = fedps(f"explain prep.py:pipeline {CLIENTS} --frequent items:50")
    assert frequent.exit_code == 0, frequent.output
    result = fedps(f"fit prep.py:labels {CLIENTS} --target sick --out labels.skops")
    assert result.exit_code == 0, result.output
    assert load_fitted("labels.skops").classes_.tolist() == ["no", "yes"]


def test_policies_for_all_and_for_one(fedps, folder):
    (folder / "strict.toml").write_text('level = "AGGREGATE"\n', "utf-8")
    (folder / "default.toml").write_text("", "utf-8")
    ok = fedps(f"fit prep.py:pipeline {CLIENTS} --policy default.toml --out prep.skops")
    assert ok.exit_code == 0, ok.output
    refused = fedps(
        f"fit prep.py:pipeline {CLIENTS} --policy default.toml --policy moss=strict.toml "
        "--out other.skops"
    )
    assert refused.exit_code == 1
    assert "client 'moss' refused Categories on column 'pain'" in refused.stderr
    assert not (folder / "other.skops").exists()


def test_a_quorum_goes_on_without_a_client_that_refuses(fedps, folder):
    (folder / "strict.toml").write_text('level = "AGGREGATE"\n', "utf-8")
    result = fedps(
        f"fit prep.py:pipeline {CLIENTS} --policy moss=strict.toml --quorum 2 --out prep.skops"
    )
    assert result.exit_code == 0, result.output
    assert "2 clients, 90 rows" in result.stdout
    assert "Went on without" in result.stdout
    assert "client 'moss' refused Categories" in result.stdout


KILLED_IN_ROUND_2 = """
import os, sys
from fedps.cli import main
from fedps.transports import LocalTransport
exchange, rounds = LocalTransport.exchange, []
def stop(self, messages):
    rounds.append(1)
    if len(rounds) == 2:
        os._exit(9)
    return exchange(self, messages)
LocalTransport.exchange = stop
main(sys.argv[1:])
"""


def test_a_fit_that_was_killed_goes_on_where_it_was(fedps, folder, tables, monkeypatch):
    words = f"fit prep.py:pipeline {CLIENTS} --checkpoint fit.checkpoint --out prep.skops"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    killed = subprocess.run(
        [sys.executable, "-c", KILLED_IN_ROUND_2, *words.split()], env=env, timeout=120, check=False
    )
    assert killed.returncode == 9
    assert (folder / "fit.checkpoint").exists()
    assert not (folder / "prep.skops").exists()
    asked = []
    exchange = LocalTransport.exchange
    monkeypatch.setattr(
        LocalTransport, "exchange", lambda self, m: asked.append(m) or exchange(self, m)
    )
    again = fedps(words)
    assert again.exit_code == 0, again.output
    assert "2 rounds" in again.stdout
    assert len(asked) == 1
    everything = pd.concat(tables.values())
    np.testing.assert_array_equal(
        transformed(load_fitted("prep.skops"), everything),
        transformed(library.fit(load_pipeline("prep.py:pipeline"), tables), everything),
    )


def test_split_by_columns(fedps, folder, tables):
    own = tables["oslo"].assign(id=range(50))
    own[["id", "age"]].fillna(50.0).to_csv("left.csv", index=False)
    own[["id", "chol", "pain"]].to_parquet("right.parquet", index=False)
    result = fedps(
        "fit prep.py:scaler --client left=left.csv --client right=right.parquet --split columns "
        "--key id --out prep.skops"
    )
    assert result.exit_code == 0, result.output
    assert "prep-left.skops, prep-right.skops" in result.stdout
    part = load_fitted("prep-right.skops")
    expected = load_pipeline("prep.py:scaler").fit(own.fillna(50.0)).transform(own)[:, 1:]
    np.testing.assert_allclose(part.transform(own[["chol", "pain"]]), expected)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("prep.py:neighbours", "a fitted KNNImputer consists of the rows that it was fitted on"),
        ("prep.py:nameless", "<lambda> has no name"),
        ("prep.py:number", "is a int, not an estimator"),
        ("prep.py:pipelin", "Did you mean 'pipeline'?"),
        ("prop.py:pipeline", "Did you mean 'prep.py'?"),
        ("prep.py:pipeline --quantiles kl", "--quantiles 'kl': must be exact, kll or kll:200"),
        ("prep.py:pipeline --quantiles kll:x", "--quantiles 'kll:x'"),
        ("prep.py:pipeline --quantiles kll:0", "--quantiles 'kll:0': "),
        ("prep.py:pipeline --frequent items:0", "--frequent 'items:0': "),
        ("prep.py:pipeline --frequent kll", "--frequent 'kll': must be exact, items"),
        ("prep.py:pipeline --report run.pdf", ".html, .json, .md"),
        ("prep.py:pipeline --report no/run.md", "there is no folder 'no'"),
        ("prep.py:pipeline --policy nope.toml", "cannot be read"),
        ("prep.py:pipeline --policy osl=nope.toml", "Did you mean 'oslo'?"),
        ("prep.py:pipeline --client oslo=moss.csv", "two clients are called 'oslo'"),
        ("prep.py:pipeline --client =moss.csv", "write NAME=FILE"),
        ("prep.py:pipeline --client x=nope.csv", "client 'x': there is no file"),
        ("prep.py:pipeline --split cols", "--split"),
        ("prep.py:pipeline --key name", "split='columns'"),
        ("prep.py:pipeline --quorum 4", "quorum"),
        ("prep.py:pipeline --quorum 0", "--quorum"),
        ("prep.py:pipeline --target sik", "Did you mean 'sick'?"),
    ],
)
def test_mistakes_are_one_line_and_code_2(fedps, folder, words, says):
    result = fedps(f"fit {words} {CLIENTS} --out prep.skops")
    assert result.exit_code == 2, result.output
    assert says in result.stderr
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""
    assert not (folder / "prep.skops").exists()


@pytest.mark.parametrize("out", ["prep.pkl", "no/prep.skops"])
def test_a_bad_place_for_the_result_is_found_before_the_fit(fedps, out):
    result = fedps(f"fit prep.py:pipeline {CLIENTS} --out {out}")
    assert result.exit_code == 2
    assert out in result.stderr


def test_functions_of_the_pipelines_file_are_read_back_where_they_are_trusted(fedps, folder):
    result = fedps(f"fit prep.py:halved {CLIENTS} --out prep.skops")
    assert result.exit_code == 0, result.output
    plain = fedps("transform prep.skops moss.csv out.csv")
    assert plain.exit_code == 2
    assert "prep.halve" in plain.stderr
    trusted = fedps("transform prep.skops moss.csv out.csv --trust prep.halve")
    assert trusted.exit_code == 0, trusted.output
    halves = pd.read_csv("out.csv").iloc[:, 0]
    np.testing.assert_allclose(halves, pd.read_csv("moss.csv")["chol"] / 2)
