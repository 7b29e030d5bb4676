"""The pages of looks by keyboard alone."""

from __future__ import annotations

from tests.browser.page_scripts import FOCUSED, OUTLINE, SHOWN

COUNT = "document.getElementById('shown').textContent"


def tab_to(browser, key):
    """Press Tab until an element has the focus, which must be seen at every stop."""
    for _ in range(100):
        browser.press("Tab")
        assert browser.run(OUTLINE) != "none"
        if browser.run(FOCUSED) == key:
            return
    raise AssertionError(f"Tab does not lead to {key}")


def test_columns_are_chosen_by_name(browser, pages):
    browser.open(pages["two hundred columns"])
    assert browser.run(COUNT) == "200 of 200 columns"
    tab_to(browser, "by-name")
    browser.write("GLUC")
    shown = browser.run(SHOWN)
    assert len(shown) == 18
    assert all("glucose" in name for name in shown)
    assert browser.run(COUNT) == "18 of 200 columns"
    browser.press("Escape")
    assert len(browser.run(SHOWN)) == 200


def test_columns_are_chosen_by_kind(browser, pages):
    browser.open(pages["two hundred columns"])
    tab_to(browser, "by-kind")
    browser.press("ArrowDown")
    assert browser.run(COUNT) == "160 of 200 columns"
    browser.press("End")
    assert browser.run(COUNT) == "20 of 200 columns"
    assert all(name.startswith("admitted") for name in browser.run(SHOWN))


def test_columns_are_sorted(browser, pages):
    browser.open(pages["two hundred columns"])
    before = browser.run(SHOWN)
    tab_to(browser, "order")
    browser.press("ArrowDown")
    by_name = browser.run(SHOWN)
    assert sorted(by_name) != before
    assert by_name[:3] == ["admitted_9", "admitted_19", "admitted_29"]  # numbers as numbers
    for key in ("missing", "difference", "unique"):
        browser.press("ArrowDown")
        numbers = browser.run(f"[...document.querySelectorAll('.card')].map(c => +c.dataset.{key})")
        assert numbers == sorted(numbers, reverse=True)
        assert len(set(numbers)) > 1
    browser.press("Home")
    assert browser.run(SHOWN) == before


def test_arrow_keys_go_from_tab_to_tab(browser, pages):
    browser.open(pages["description"])
    tab_to(browser, "tab-columns")
    selected = "document.querySelector('[aria-selected=true]').id"
    open_panels = "[...document.querySelectorAll('[role=tabpanel]:not([hidden])')].map(p => p.id)"
    for key, tab in (("ArrowRight", "sites"), ("End", "groups"), ("ArrowRight", "columns")):
        browser.press(key)
        assert browser.run(selected) == browser.run(FOCUSED) == f"tab-{tab}"
        assert browser.run(open_panels) == [tab]


def test_a_link_among_the_differences_leads_to_the_card(browser, pages):
    browser.open(pages["description"])
    tab_to(browser, "tab-columns")
    browser.press("ArrowRight")
    browser.run("document.querySelector('#sites a').focus()")
    browser.press("Enter")
    assert browser.run(FOCUSED).startswith("c")
    assert browser.run("document.activeElement.checkVisibility()")


def test_the_map_is_read_square_by_square(browser, pages):
    browser.open(pages["correlation"])
    browser.run("document.querySelector('.maps').focus()")
    read = "document.getElementById('readout').textContent"
    browser.press("ArrowDown")
    assert browser.run(read).startswith("column_0 and column_2: ")
    browser.press("ArrowRight")
    assert browser.run(read).startswith("column_1 and column_2: ")
    for _ in range(60):
        browser.press("ArrowDown")
    assert browser.run(read) == "column_1 and column_59: not defined, from 2,351 rows"
