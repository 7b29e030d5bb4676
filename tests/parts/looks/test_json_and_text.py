"""Looks as JSON and in a terminal: valid, and honest about what is kept back."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd

from fedps.looks.column_facts import Category
from tests.parts.looks.made_up import made_up_crosstab, made_up_description


def strict(text):
    def refuse(name):
        raise AssertionError(name)

    return json.loads(text, parse_constant=refuse)


def test_a_description_has_all_in_its_json():
    found = strict(made_up_description(12).to_json())
    work = next(facts for facts in found["columns"] if facts["name"] == "work_8")
    assert work["unique"] is None
    assert work["marks"]["unique"] == "< 5 rows each"
    assert work["sites"][-1]["kept_back"].startswith("Its policy")
    assert found["groups"][1]["columns"][0]["mean"] is None
    assert found["correlation"]["vif"][-1] is None


def test_values_that_json_lacks_become_text_or_null():
    found = made_up_description(1)
    odd = (pd.Timestamp("2020-01-01"), np.float64(np.inf), np.int64(3), np.nan, b"x", True)
    facts = replace(found.columns[0], categories=tuple(Category(value, 1) for value in odd))
    told = strict(replace(found, columns=(facts,)).to_json())["columns"][0]["categories"]
    values = [category["value"] for category in told]
    assert values == ["2020-01-01 00:00:00", "Infinity", 3, None, "b'x'", True]


def test_a_crosstab_says_in_json_what_it_hides():
    found = strict(made_up_crosstab().to_json())
    assert found["counts"][1][2] is None
    assert {"row": 1, "column": 2, "mark": "< 5"} in found["marks"]
    assert len(found["marks"]) == 4


def test_a_terminal_shows_marks_and_no_zero():
    found = repr(made_up_description(12))
    line = next(line for line in found.splitlines() if "work_8" in line)
    assert "< 5 rows each" in line
    assert found.startswith("12 columns of 2,351 rows at 5 sites")
    crossed = repr(made_up_crosstab()).splitlines()
    assert "< 5" in crossed[4]
    assert "hidden" in crossed[4]


def test_a_terminal_says_how_many_columns_it_leaves_out():
    assert "Numbers, the first 60 of 181: to_pandas() has all" in repr(made_up_description(225))


def test_many_correlations_are_shown_by_their_strongest_pairs():
    assert "the 20 strongest" in repr(made_up_description(20).correlation)
