"""Looks as pages: whole, inert, small, and never a zero where something is kept back."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser
from xml.sax.saxutils import escape

import numpy as np
import pytest

from fedps.looks import Correlation, Crosstab, Description
from fedps.looks.column_facts import ColumnFacts, SiteFacts
from tests.parts.looks.made_up import (
    HOSTILE,
    KEPT_BACK,
    RARE,
    made_up_crosstab,
    made_up_description,
)

VOID = {"meta", "link", "input", "path", "use", "rect", "br"}
KNOWN = {
    *(
        "html",
        "head",
        "meta",
        "link",
        "title",
        "style",
        "noscript",
        "script",
        "body",
        "header",
        "main",
    ),
    *(
        "section",
        "article",
        "footer",
        "figure",
        "figcaption",
        "details",
        "summary",
        "div",
        "span",
        "p",
    ),
    *(
        "h1",
        "h2",
        "h3",
        "a",
        "b",
        "i",
        "em",
        "small",
        "ul",
        "li",
        "dl",
        "dt",
        "dd",
        "button",
        "form",
    ),
    *(
        "label",
        "input",
        "select",
        "option",
        "output",
        "table",
        "caption",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
    ),
    *("svg", "path", "use", "g", "text", "rect", "defs", "pattern"),
}


class Reader(HTMLParser):
    """Reads a page as a browser would: its elements, attributes, and what is left open."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.attributes, self.open, self.texts = [], [], [], []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def pages():
    hostile = made_up_description(12, hostile=True)
    crossed = made_up_crosstab()
    odd = Crosstab(
        HOSTILE,
        HOSTILE,
        (HOSTILE, "a"),
        (HOSTILE,),
        np.array([[3], [0]]),
        np.array([[False], [True]]),
    )
    names = (HOSTILE, "b")
    pair = Correlation(
        names, np.eye(2), np.full((2, 2), 9), np.ones(2), 9, (HOSTILE,), {(1, 0): HOSTILE}
    )
    return {
        "description": made_up_description(12),
        "hostile description": replace(
            hostile,
            by=HOSTILE,
            left=[{"statistic": HOSTILE, "columns": [HOSTILE] * 9, "level": HOSTILE}],
        ),
        "crosstab": crossed,
        "hostile crosstab": odd,
        "correlation": made_up_description(40).correlation,
        "hostile correlation": pair,
        "nothing": Description({}, (), ()),
        "no cells": Description({"a": 0}, (ColumnFacts("x", "numbers", "float64", 0, 0),), (0.5,)),
    }


@pytest.mark.parametrize("name", pages())
def test_a_page_is_well_formed_and_inert(name):
    found = Reader(pages()[name].to_html())
    assert found.open == []
    assert set(found.tags) <= KNOWN
    assert found.tags.count("script") == 1
    assert not [key for key, _ in found.attributes if key.startswith("on")]
    addresses = [value for key, value in found.attributes if key in ("href", "src")]
    assert all(value.startswith(("#", "data:,")) for value in addresses)


@pytest.mark.parametrize("name", pages())
def test_a_notebook_gets_a_frame_that_keeps_to_itself(name):
    shown = pages()[name]._repr_html_()
    found = Reader(shown)
    assert found.tags == ["iframe"]
    told = dict(found.attributes)
    assert told["srcdoc"] == pages()[name].to_html()
    assert told["sandbox"] == "allow-scripts"


def test_the_page_of_two_hundred_columns_is_small(tmp_path):
    path = tmp_path / "report.html"
    made_up_description(200).save(path)
    assert path.stat().st_size < 3_000_000


def test_what_is_kept_back_has_a_mark_and_its_reason():
    page = made_up_description(12).to_html()
    assert f'title="{RARE}">&lt; 5 rows each</span>' in page
    assert f'title="{KEPT_BACK}">kept back</span>' in page
    assert f'class="hatched" title="{KEPT_BACK}"' in page
    crossed = made_up_crosstab().to_html()
    assert crossed.count('<td class="hatched"') == 4 + 5  # and the totals that would tell them
    assert "protects another" in crossed


def test_a_number_that_nobody_knows_is_not_left_empty():
    site = SiteFacts("oslo", 20)
    facts = ColumnFacts("x", "numbers", "float64", 20, 0, mean=1.0, sites=(site,))
    page = Description({"oslo": 20}, (facts,), (0.5,)).to_html()
    assert "<dt>std</dt><dd><span" in page
    assert page.count("not known") >= 5


def test_everything_that_left_is_listed():
    page = made_up_description(30).to_html()
    for ask in made_up_description(30).left:
        assert f">{ask['level']}</span>" in page
        for column in ask["columns"]:
            assert escape(column) in page


def test_many_sites_can_all_be_opened():
    found = made_up_description(3)
    facts = found.columns[0]
    sites = tuple(replace(facts.sites[0], client=f"site{k}") for k in range(40))
    page = replace(found, columns=(replace(facts, sites=sites),)).to_html()
    assert "28 more sites" in page
    assert page.count("<b>site39</b>") == 1
