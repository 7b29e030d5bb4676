"""``fedps describe``, ``crosstab`` and ``corr``: the looks of a program, from a shell."""

import json

import pandas as pd
import pytest

import fedps as library
from fedps.engines.looks import look_text, read_look
from fedps.files.looks import write_look
from fedps.looks import Crosstab
from fedps.looks.column_facts import ColumnFacts
from fedps.transports import LocalTransport

CLIENTS = "--client oslo=oslo.parquet --client bergen=bergen.csv --client moss=moss.csv"
COLUMNS = "--columns age,chol --columns pain,sick"


def described(tables, *columns, **options):
    return library.Federation(tables).describe(list(columns) or None, **options)


def test_it_prints_tables_and_what_left(fedps):
    result = fedps(f"describe {CLIENTS} {COLUMNS} --percentiles 0.1,0.9")
    assert result.exit_code == 0, result.output
    for text in (
        "4 columns of 120 rows at 3 sites",
        "10%",
        "Correlation of 2 columns",
        "describe over 3 clients, 120 rows: 1 round",
        "What left each client",
    ):
        assert text in result.stdout
    assert "Written" not in result.stdout


def test_json_is_that_of_a_program(fedps, folder, tables):
    options = "--by sick --percentiles 0.5 --no-correlation --out look.json --report run.json"
    result = fedps(f"describe {CLIENTS} {COLUMNS} {options}")
    assert result.exit_code == 0, result.output
    assert "Written: look.json, run.json" in result.stdout
    expected = described(
        tables, "age", "chol", "pain", "sick", by="sick", percentiles=[0.5], correlation=False
    )
    assert (folder / "look.json").read_text("utf-8") == expected.to_json() + "\n"
    assert json.loads((folder / "run.json").read_text("utf-8"))["rounds"] == 2


def test_a_page(fedps, folder, tables):
    assert fedps(f"describe {CLIENTS} --out look.html").exit_code == 0
    assert (folder / "look.html").read_text("utf-8").lower().startswith("<!doctype html>")


def test_csv_is_the_table(fedps, folder, tables):
    assert fedps(f"describe {CLIENTS} {COLUMNS} --out look.csv").exit_code == 0
    found = pd.read_csv(folder / "look.csv", index_col=0)
    expected = described(tables, "age", "chol", "pain", "sick").to_pandas()
    assert found["50%"].tolist()[:2] == expected["50%"].tolist()[:2]
    assert fedps(f"describe {CLIENTS} {COLUMNS} --by sick --out by.csv").exit_code == 0
    by = pd.read_csv(folder / "by.csv", index_col=0, header=[0, 1])
    pooled = pd.concat(tables.values()).groupby("sick")["age"].describe()
    assert by["age"]["50%"].tolist() == pooled["50%"].tolist()


def test_csv_marks_what_is_kept_back_and_runs_nothing(tmp_path):
    import numpy as np

    cut = Crosstab(
        "=row", "smokes", ("=f", "m"), ("no", "yes"), np.array([[30, 12], [25, 0]]),
        np.array([[False, False], [False, True]]), {(1, 1): "< 5"},
    )  # fmt: skip
    write_look(cut, tmp_path / "cut.csv")
    assert (tmp_path / "cut.csv").read_text() == "'=row,no,yes\n'=f,30,12\nm,25,< 5\n"
    city = ColumnFacts("city", "categories", "str", 9, 0, unique=3, top="@x", marks={"freq": "< 5"})
    write_look(library.looks.Description({"a": 9}, (city,), (0.5,)), tmp_path / "city.csv")
    assert "city,9,0,3,'@x,< 5," in (tmp_path / "city.csv").read_text()


def test_corr(fedps, folder, tables):
    result = fedps(f"corr {CLIENTS} --columns age,chol --out corr.json")
    assert result.exit_code == 0, result.output
    expected = library.Federation(tables).corr(["age", "chol"])
    assert (folder / "corr.json").read_text("utf-8") == expected.to_json() + "\n"
    assert "VIF" in fedps(f"corr {CLIENTS}").stdout


def test_crosstab(fedps, folder, tables):
    result = fedps(f"crosstab pain sick {CLIENTS}")
    assert result.exit_code == 0, result.output
    assert "pain by sick" in result.stdout
    assert fedps(f"crosstab pain sick {CLIENTS} --out cross.csv").exit_code == 0
    pooled = pd.concat(tables.values())
    found = pd.read_csv(folder / "cross.csv", index_col=0)
    assert (
        found.to_numpy().tolist() == pd.crosstab(pooled["pain"], pooled["sick"]).to_numpy().tolist()
    )
    twice = fedps(f"crosstab pain pain {CLIENTS}")
    assert (twice.exit_code, "crosstab needs two columns" in twice.stderr) == (2, True)


def test_explain_reads_schemas_only(fedps, folder, monkeypatch):
    result = fedps(f"describe {CLIENTS} --by sick --explain --report asks.md")
    assert result.exit_code == 0, result.output
    assert "describe over 3 clients would take 2 rounds or more" in result.stdout
    assert "Heaviest" in (folder / "asks.md").read_text("utf-8")
    refused = fedps(f"describe {CLIENTS} --explain --out look.html")
    assert refused.exit_code == 2
    assert "leave out --out" in refused.stderr


def test_a_quorum_goes_on_without_a_client_that_refuses(fedps, folder):
    (folder / "strict.toml").write_text('deny = ["chol"]\n', "utf-8")
    words = f"describe {CLIENTS} --columns age,chol --policy moss=strict.toml"
    assert fedps(words).exit_code == 1
    result = fedps(f"{words} --quorum 2")
    assert result.exit_code == 0, result.output
    assert "2 columns of 90 rows at 2 sites" in result.stdout
    assert "Went on without" in result.stdout


def test_it_goes_on_from_its_checkpoint(fedps, folder, tables, monkeypatch):
    exchange, asked = LocalTransport.exchange, []

    def stop_in_round_2(self, messages):
        asked.append(1)
        if len(asked) == 2:
            raise KeyboardInterrupt
        return exchange(self, messages)

    monkeypatch.setattr(LocalTransport, "exchange", stop_in_round_2)
    words = f"describe {CLIENTS} {COLUMNS} --by sick --checkpoint look.checkpoint --out look.json"
    assert fedps(words).exit_code == 130
    again = fedps(words)
    assert again.exit_code == 0, again.output
    assert len(asked) == 3
    expected = described(tables, "age", "chol", "pain", "sick", by="sick")
    assert (folder / "look.json").read_text("utf-8") == expected.to_json() + "\n"


def test_other_dtypes_and_columns_of_owners(fedps, folder, tables):
    result = fedps(f"describe {CLIENTS} --columns age --dtype age=str")
    assert "Categories" in result.stdout
    whole = tables["oslo"]
    whole[["age"]].to_csv("left.csv", index=False)
    whole[["chol", "sick"]].to_csv("right.csv", index=False)
    result = fedps("describe --split columns --client left.csv --client right.csv")
    assert result.exit_code == 0, result.output
    assert "3 columns" in result.stdout


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("--percentiles 25", "percentiles are shares from 0 to 1"),
        ("--percentiles half", "give shares from 0 to 1, such as 0.1,0.5,0.9; got 'half'"),
        ("--columns age,,chol", "give names of columns, such as age,sex"),
        ("--columns age,age", "column 'age' is given twice"),
        ("--out look.pdf", "must end with .html, .json, .csv"),
        ("--out no/look.html", "there is no folder 'no'"),
        ("--report run.pdf", "must end with .html, .json, .md"),
    ],
)
def test_mistakes(fedps, words, text):
    result = fedps(f"describe {CLIENTS} {words}")
    assert result.exit_code == 2, result.output
    assert text in result.stderr


@pytest.mark.parametrize(
    "look",
    [
        library.Look.describe(),
        library.Look.describe(["åge", 'a"b'], by="sex", percentiles=[0.1], correlation=False),
        library.Look.crosstab("sex", "smoker"),
        library.Look.corr(["age", "bmi"]),
    ],
)
def test_a_look_is_the_same_as_text(look):
    assert read_look(look_text(look)) == look


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("describe", "is not a look. Write it as"),
        ("[]", "is not a look"),
        ('{"look": "stare"}', "is not a look"),
        ('{"look": "corr", "by": "sex"}', "is not a look"),
        ('{"look": "describe", "percentiles": [2]}', "percentiles are shares from 0 to 1"),
    ],
)
def test_what_is_no_look(text, why):
    with pytest.raises(library.UsageError, match=why):
        read_look(text)
