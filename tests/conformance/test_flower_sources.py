"""Clients of Flower whose tables are databases and odd files: each round is opened anew."""

import sqlite3

import numpy as np
import pandas as pd
import pytest
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import fedps

pytest.importorskip("flwr")

import fedps.flower
from fedps.engines.client_settings import ClientSettings
from fedps.flower import client_app
from fedps.flower.node_config import node_config
from tests.conformance.flower_grid import InProcessGrid, in_a_run

PREP = make_pipeline(SimpleImputer(), StandardScaler())  # two rounds


@pytest.fixture(autouse=True)
def _run():
    with in_a_run():
        yield


@pytest.fixture
def frames():
    rng = np.random.default_rng(5)
    made = {}
    for size, name in enumerate(("bergen", "oslo"), start=40):
        made[name] = pd.DataFrame(
            {"age": rng.normal(50, 9, size), "dose": rng.integers(0, 9, size)}
        )
        made[name].loc[::7, "age"] = np.nan
    return made


@pytest.fixture
def nodes(frames, tmp_path):
    """The config of a node with a database, and of one with a file that Excel wrote in Oslo."""
    pytest.importorskip("adbc_driver_sqlite")
    with sqlite3.connect(tmp_path / "bergen.db") as made:
        frames["bergen"].to_sql("visits", made, index=False)
    made.close()
    (tmp_path / "visits.sql").write_text("SELECT age, dose\nFROM visits -- \"all\" of 'them'\n")
    frames["oslo"].to_csv(tmp_path / "oslo.txt", sep=";", decimal=",", index=False)
    settings = {
        "bergen": ClientSettings(
            f"sqlite:///{tmp_path}/bergen.db",
            query=str(tmp_path / "visits.sql"),
            ledger=tmp_path / "bergen.jsonl",
        ),
        "oslo": ClientSettings(
            str(tmp_path / "oslo.txt"),
            read={"sep": ";", "decimal": ","},
            ledger=tmp_path / "oslo.jsonl",
        ),
    }
    return [node_config(name, one) for name, one in settings.items()]


def fit(nodes, **how):
    grid = InProcessGrid(client_app.app, nodes, **how)
    return fedps.flower.Federation(grid, clients=2, timeout=20.0).fit(PREP)


def test_a_fit_is_that_in_process(nodes, frames):
    found, expected = fit(nodes), fedps.fit(PREP, frames)
    assert found[-1].mean_.tolist() == expected[-1].mean_.tolist()
    assert found[-1].scale_.tolist() == expected[-1].scale_.tolist()


@pytest.mark.parametrize("who", ["bergen", "oslo"])
def test_rows_that_change_between_rounds(nodes, frames, tmp_path, who):
    def change(name, number):
        if number == 2 and name == who == "bergen":
            with sqlite3.connect(tmp_path / "bergen.db") as other:
                other.execute("INSERT INTO visits VALUES (50, 3)")
            other.close()
        elif number == 2 and name == who:
            (tmp_path / "oslo.txt").write_text((tmp_path / "oslo.txt").read_text() + "50,0;3\n")

    with pytest.raises(fedps.ClientError, match=f"'{who}' has other rows than in the first round"):
        fit(nodes, fault=change)
    fit(nodes)  # the next fit sees what is there now


def test_a_database_that_is_gone_between_rounds(nodes, tmp_path):
    def change(name, number):
        if number == 2 and name == "bergen":
            with sqlite3.connect(tmp_path / "bergen.db") as other:
                other.execute("DROP TABLE visits")
            other.close()

    with pytest.raises(fedps.ClientError, match="'bergen' could not open its table"):
        fit(nodes, fault=change)
