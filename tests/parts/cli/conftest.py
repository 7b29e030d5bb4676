"""A folder with a pipeline and three clients' files, and the command ``fedps`` run in it."""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

PREP = """
import numpy as np
from sklearn.compose import make_column_transformer
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, LabelEncoder, OneHotEncoder
from sklearn.preprocessing import PowerTransformer, QuantileTransformer, StandardScaler

def halve(rows):
    return rows / 2

pipeline = make_column_transformer(
    (make_pipeline(SimpleImputer(), StandardScaler()), ["age"]),
    (OneHotEncoder(handle_unknown="ignore"), ["pain"]),
)
scaler = make_column_transformer((StandardScaler(), ["age", "chol"]))
power = make_column_transformer((PowerTransformer(), ["chol"]))
quantiles = make_column_transformer((QuantileTransformer(n_quantiles=10), ["chol"]))
halved = make_column_transformer((FunctionTransformer(halve), ["chol"]))
nameless = make_column_transformer((FunctionTransformer(lambda rows: rows), ["chol"]))
neighbours = make_pipeline(SimpleImputer(), make_pipeline(KNNImputer()))
labels = LabelEncoder()
number = 3

def made():
    return scaler
"""


def rows(n, seed):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "age": rng.integers(20, 90, n).astype(float),
            "chol": rng.normal(200, 30, n).round(1),
            "pain": rng.choice(["typical", "none", "atypical"], n),
            "name": [f"J. Smith {seed} {i}" for i in range(n)],
            "sick": rng.choice(["yes", "no"], n),
        }
    )
    table.loc[::7, "age"] = np.nan
    return table


@pytest.fixture
def tables():
    return {"oslo": rows(50, 1), "bergen": rows(40, 2), "moss": rows(30, 3)}


@pytest.fixture
def folder(tmp_path, monkeypatch, tables):
    """The current folder, with prep.py, oslo.parquet, bergen.csv and moss.csv in it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    for name in ("prep", "other"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    (tmp_path / "prep.py").write_text(PREP, "utf-8")
    tables["oslo"].to_parquet("oslo.parquet", index=False)
    tables["bergen"].to_csv("bergen.csv", index=False)
    tables["moss"].to_csv("moss.csv", index=False)
    return tmp_path


@pytest.fixture
def fedps(folder):
    """Run a command in this process; words are given in one text."""
    from fedps.cli.commands import fedps_command

    def run(words, *more):
        return CliRunner().invoke(fedps_command, [*words.split(), *more], prog_name="fedps")

    return run


@pytest.fixture
def shell(folder):
    """Run a command in a process of its own, as a shell does."""

    def run(words, *more):
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "COLUMNS": "200"}
        return subprocess.run(
            [sys.executable, "-m", "fedps.cli", *words.split(), *more],
            env=env,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return run
