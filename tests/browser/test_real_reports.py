"""The reports of real tables across sites: Adult over five, and the four hospitals."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import fedps
from tests.browser.page_scripts import FIRST_VIEW, POOR_CONTRAST, SHOWN
from tests.browser.test_keyboard import tab_to
from tests.browser.test_looks import SECOND

ADULT = (
    *("age", "workclass", "fnlwgt", "education", "education_num", "marital_status", "occupation"),
    *("relationship", "race", "sex", "capital_gain", "capital_loss", "hours_per_week"),
    *("native_country", "income"),
)
HEART = (
    *("age", "sex", "cp", "trestbps", "chol", "fbs", "restecg", "thalach", "exang", "oldpeak"),
    *("slope", "ca", "thal", "num"),
)


def adult(folder):
    """Sites of different sizes and ages, some of which show no small counts."""
    table = pd.read_csv(folder / "adult.data.gz", names=ADULT, skipinitialspace=True, na_values="?")
    order = np.argsort(table["age"] + np.random.default_rng(0).normal(0, 25, len(table)))
    parts = np.split(np.asarray(order), [9000, 16000, 24000, 32400])
    names = ("oslo", "bergen", "tromso", "lund", "aarhus")
    tables = {n: table.iloc[p].reset_index(drop=True) for n, p in zip(names, parts, strict=True)}
    return fedps.Federation(tables, policy=fedps.Policy(min_count=10, min_rows=10))


def hospitals(folder):
    files = sorted((folder / "heart-disease").glob("processed.*.data"))
    return fedps.Federation(
        {file.name.split(".")[1]: pd.read_csv(file, names=HEART, na_values="?") for file in files}
    )


@pytest.fixture(scope="module", params=[adult, hospitals], ids=["adult", "hospitals"])
def report(request, data_dir, tmp_path_factory):
    found = request.param(data_dir).describe(by="sex")
    path = tmp_path_factory.mktemp("reports") / "report.html"
    found.save(path)
    return found, path


def test_a_real_report_opens_quietly_and_at_once(browser, report):
    found, path = report
    seen = []
    for _ in range(5):  # the best of five, as others use this machine as well
        browser.open(path)
        assert browser.complaints() == []
        assert browser.requests() == [path.as_uri()]
        seen.append(browser.run(FIRST_VIEW))
    assert min(seen) < SECOND
    assert path.stat().st_size < 3_000_000
    assert browser.run("document.querySelectorAll('.card').length") == len(found.columns)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_a_real_report_can_be_read(browser, report, dark):
    browser.open(report[1], dark=dark)
    for tab in browser.run("[...document.querySelectorAll('[role=tab]')].map(each => each.id)"):
        browser.run(f"document.getElementById('{tab}').click()")
        assert browser.run(POOR_CONTRAST) == []


def test_a_real_report_is_filtered_and_sorted_by_keyboard(browser, report):
    found, path = report
    names = [facts.name for facts in found.columns]
    browser.open(path)
    tab_to(browser, "by-name")
    browser.write("A")
    assert browser.run(SHOWN) == [name for name in names if "a" in name]
    browser.press("Escape")
    tab_to(browser, "order")
    browser.press("ArrowDown")
    assert browser.run(SHOWN) == sorted(names)
    assert browser.complaints() == []


def test_a_real_report_is_readable_when_narrow(browser, report):
    browser.open(report[1], width=400)
    for tab in browser.run("[...document.querySelectorAll('[role=tab]')].map(each => each.id)"):
        browser.run(f"document.getElementById('{tab}').click()")
        assert browser.run("document.documentElement.scrollWidth") <= 400
