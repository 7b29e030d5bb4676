"""Sources by their names: in a client's file, in an engine's config, on the command line."""

import json
import sqlite3
import tomllib

import pandas as pd
import pytest
from click.testing import CliRunner

import fedps
from fedps.cli.commands import fedps_command
from fedps.engines.client_settings import ClientSettings, read_settings

PREP = """
from sklearn.preprocessing import StandardScaler
scaler = StandardScaler()
"""
FRAME = pd.DataFrame({"x": [1.5, 2.5, 4.0, 8.0], "y": [1.0, 2.0, 3.0, 5.0]})


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "prep.py").write_text(PREP)
    FRAME.to_csv("oslo.txt", sep=";", decimal=",", index=False)
    FRAME.to_csv("bergen.csv", index=False)
    with sqlite3.connect("moss.db") as made:
        FRAME.to_sql("visits", made, index=False)
    made.close()
    (tmp_path / "all.sql").write_text(
        "SELECT x, y\nFROM visits -- \"all\" of 'them'\nORDER BY x;\n"
    )
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(fedps_command, list(map(str, arguments)))


def test_the_command_line(folder):
    pytest.importorskip("adbc_driver_sqlite")
    done = run(
        "fit", "prep.py:scaler", "--out", "out.skops", "--client", "oslo=oslo.txt", "--read", "oslo:sep=;",
        "--read", "oslo:decimal=,", "--client", "bergen.csv", "--client", "moss=sqlite:///moss.db", "--query",
        "moss=SELECT * FROM visits",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    fitted = fedps.load("out.skops")
    assert fitted.mean_.tolist() == FRAME.mean().tolist()
    assert fitted.n_samples_seen_ == 12


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--read", "sep"], "write KEY=VALUE"),
        (["--read", "oslq:sep=;"], "'oslq' is not a client. Did you mean 'oslo'?"),
        (["--read", "seb=;"], "CSV has no option 'seb'. Did you mean 'sep'?"),
        (["--query", "oslo=SELECT 1"], "a query is for databases"),
        (["--query", "oslq=a.sql"], "'oslq' is not a client"),
        (["--client", "moss=sqlite:///moss.db"], "sqlite:///moss.db needs a query"),
        (
            ["--client", "moss=sqlite:///none.db", "--query", "SELECT 1"],
            "there is no file 'none.db'",
        ),
        (
            ["--client", "moss=sqlite://moss.db", "--query", "SELECT 1"],
            "three slashes, then the path",
        ),
    ],
)
def test_mistakes(folder, arguments, words):
    pytest.importorskip("adbc_driver_sqlite")
    done = run(
        "fit", "prep.py:scaler", "--out", "o.skops", "--client", "oslo=bergen.csv", *arguments
    )
    assert done.exit_code == 2
    assert words in done.output


def test_other_commands(folder):
    pytest.importorskip("adbc_driver_sqlite")
    run("fit", "prep.py:scaler", "--out", "out.skops", "--client", "bergen.csv")
    done = run("transform", "out.skops", "sqlite:///moss.db", "made.csv", "--query", "all.sql")
    assert done.exit_code == 0, done.output
    assert len(pd.read_csv("made.csv")) == 4
    done = run("policy", "check", "open", "oslo.txt", "--read", "sep=;", "--read", "decimal=,")
    assert done.exit_code == 0, done.output
    assert "2 of 2 columns offered" in done.output


def test_a_clients_file(folder):
    pytest.importorskip("adbc_driver_sqlite")
    from fedps.engines.client_settings import SETTINGS

    assert {"query", "read"} <= set(SETTINGS)
    text = 'data = "oslo.txt"\nread = { sep = ";", decimal = ",", na_values = ["?"] }\nledger = "oslo.jsonl"\n'
    settings = read_settings(tomllib.loads(text), "fedps.toml", "")
    assert settings.open("oslo").table.schema().names == ("x", "y")
    database = ClientSettings("sqlite:///moss.db", query="all.sql", ledger=folder / "moss.jsonl")
    whole = database.absolute()
    assert whole.data == f"sqlite:///{folder}/moss.db"
    assert whole.query == str(folder / "all.sql")
    assert whole.open("moss").table.schema().rows == 4
    again = read_settings(whole.given(), "the node config", "")  # as Flower has it: texts
    assert again.open("moss").table.schema().rows == 4


def test_what_an_engine_keeps(folder):
    nvflare = pytest.importorskip("fedps.nvflare.site_settings", exc_type=ImportError)
    given = {"sep": ";", "names": ["a", "b"], "keep_default_na": False, "skip_rows": 1}
    settings = ClientSettings("oslo.txt", read=given, query=None, dtypes={"a": "str"})
    nvflare.write_site_file(folder / "fedps.toml", settings)
    assert nvflare.read_site_file(folder / "fedps.toml").read == given
    assert json.loads(settings.given()["read"]) == given


def test_absent_extras(monkeypatch):
    from fedps.client.tables.files import excel_sheets
    from fedps.client.tables.sql import drivers

    monkeypatch.setattr(drivers, "find_spec", lambda name: None)
    for uri, extra in (("postgresql://host/db", "sql"), ("duckdb:///a.duckdb", "duckdb")):
        with pytest.raises(
            fedps.UsageError, match=rf"needs a driver: pip install 'fedps\[{extra}\]'."
        ):
            fedps.Federation({"oslo": fedps.SQL(uri, "SELECT 1")})
    monkeypatch.setattr(excel_sheets, "find_spec", lambda name: None)
    monkeypatch.setattr(excel_sheets.Path, "is_file", lambda self: True)
    with pytest.raises(fedps.UsageError, match=r"pip install 'fedps\[excel\]'"):
        fedps.Federation({"oslo": "oslo.xlsx"})
