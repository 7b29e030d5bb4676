"""Naming an estimator in a file or a module: what is found, and what is said when it is not."""

import sys

import pytest
from sklearn.compose import ColumnTransformer

from fedps.errors import UsageError
from fedps.files.pipelines import load_pipeline


def failing(where):
    with pytest.raises(UsageError) as caught:
        load_pipeline(where)
    return str(caught.value)


@pytest.mark.parametrize("where", ["prep.py:pipeline", "./prep.py:pipeline", "prep:pipeline"])
def test_files_and_modules(folder, where):
    assert isinstance(load_pipeline(where), ColumnTransformer)


def test_an_absolute_path_from_elsewhere(folder, monkeypatch):
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    assert isinstance(load_pipeline(f"{folder}/prep.py:pipeline"), ColumnTransformer)


def test_a_function_that_makes_it(folder):
    assert isinstance(load_pipeline("prep.py:made"), ColumnTransformer)


def test_a_file_beside_it_can_be_imported(folder):
    (folder / "beside.py").write_text("from prep import scaler as pipeline\n", "utf-8")
    assert isinstance(load_pipeline("beside.py:pipeline"), ColumnTransformer)
    sys.modules.pop("beside")


def test_a_file_is_read_anew(folder):
    assert load_pipeline("prep.py:number and more".partition(" ")[0].replace("number", "scaler"))
    text = (folder / "prep.py").read_text("utf-8")
    (folder / "prep.py").write_text(text + "\nlate = scaler\n", "utf-8")
    assert isinstance(load_pipeline("prep.py:late"), ColumnTransformer)


def test_a_name_of_the_standard_library_is_left_alone(folder):
    import json

    (folder / "json.py").write_text("from prep import scaler as pipeline\n", "utf-8")
    assert isinstance(load_pipeline("json.py:pipeline"), ColumnTransformer)
    assert sys.modules["json"] is json


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("\nimport nowhere\n", "other.py, line 2: ModuleNotFoundError: No module named 'nowhere'"),
        ("pipeline = (\n", "other.py, line 1: SyntaxError"),
        ("def f():\n    raise KeyError('x')\n\nf()\n", "other.py, line 2: KeyError"),
        ("raise SystemExit(3)\n", "other.py, line 1: SystemExit: 3"),
    ],
)
def test_a_file_that_fails_is_named_with_the_line(folder, text, says):
    (folder / "other.py").write_text(text, "utf-8")
    assert says in failing("other.py:pipeline")
    assert "other" not in sys.modules


def test_names_that_lead_nowhere(folder):
    assert "There is prep.py:pipeline, prep.py:scaler" in failing("prep.py")
    assert "Did you mean 'scaler'?" in failing("prep.py:scalr")
    assert "There is prep.py:pipeline" in failing("prep.py:zzz")
    assert "there is no file" in failing("no/prep.py:pipeline")
    assert "there is no module 'nowhere'" in failing("nowhere:x")
    assert "Or is it a file? Write prep.py." not in failing("nowhere.prep:x")
    assert "is a class" in failing("prep.py:StandardScaler")
    assert "called without arguments" in failing("prep.py:halve")
    assert "does not name a file" in failing(":x")


def test_a_module_that_fails(folder):
    (folder / "other.py").write_text("import nowhere\n", "utf-8")
    assert "No module named 'nowhere'" in failing("other:pipeline")


def test_what_is_not_python(folder):
    assert "is not a Python file" in failing("./moss.csv:pipeline")
