"""Sites of NVFLARE whose tables are databases and odd files: a job is a process, and holds its rows."""

import sqlite3

import numpy as np
import pandas as pd
import pytest
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import fedps

pytest.importorskip("nvflare", reason="needs NVFLARE")

import fedps.nvflare
from fedps.engines.client_settings import ClientSettings
from fedps.nvflare.site_settings import read_site_file, write_site_file
from tests.conformance.nvflare_stand_in import stood_in

PREP = make_pipeline(SimpleImputer(), StandardScaler())  # two rounds


def test_a_fit_is_that_in_process(tmp_path):
    pytest.importorskip("adbc_driver_sqlite")
    rng = np.random.default_rng(5)
    frames = {
        name: pd.DataFrame({"age": rng.normal(50, 9, 40), "dose": rng.integers(0, 9, 40)})
        for name in ("bergen", "oslo")
    }
    for name in frames:
        (tmp_path / name).mkdir()
    with sqlite3.connect(tmp_path / "bergen" / "bergen.db") as made:
        frames["bergen"].to_sql("visits", made, index=False)
    made.close()
    frames["oslo"].to_csv(tmp_path / "oslo" / "oslo.txt", sep=";", decimal=",", index=False)
    here = ClientSettings(
        "sqlite:///bergen.db", query="SELECT age, dose FROM visits", ledger="b.jsonl"
    )
    there = ClientSettings("oslo.txt", read={"sep": ";", "decimal": ","}, ledger="o.jsonl")
    write_site_file(tmp_path / "bergen" / "fedps.toml", here)
    write_site_file(tmp_path / "oslo" / "fedps.toml", there)
    assert read_site_file(tmp_path / "oslo" / "fedps.toml").read == {"sep": ";", "decimal": ","}
    with stood_in(tmp_path, ("bergen", "oslo")):
        found = fedps.nvflare.Federation(clients=2, timeout=20.0).fit(PREP)
    expected = fedps.fit(PREP, frames)
    assert found[-1].mean_.tolist() == expected[-1].mean_.tolist()
    assert found[-1].scale_.tolist() == expected[-1].scale_.tolist()
