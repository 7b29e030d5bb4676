"""Numbers in README and docs are those of the results."""

import pytest

pytest.importorskip("matplotlib", reason="experiments need the extra 'experiments'")

from experiments import pages
from experiments.__main__ import HERE, NAMES, experiment, tables_of

TABLES = tables_of(HERE / "results")


@pytest.mark.parametrize("page", pages.pages(), ids=lambda page: page.name)
def test_pages_say_what_the_results_say(page):
    text = page.read_text("utf-8")
    assert [name for name in pages.names(text) if name not in TABLES] == []
    changed = pages.filled(text, TABLES) != text
    assert not changed, "python -m experiments pages puts the numbers of the results there"


def test_blocks_are_filled():
    text = "a\n<!-- results: x.y -->\nold\n<!-- end of results -->\nb <!-- results: x.z -->"
    filled = pages.filled(text, {"x.y": "| new |\n"})
    assert filled == text.replace("old\n", "\n| new |\n\n")
    assert pages.filled(filled, {"x.y": "| new |"}) == filled
    assert pages.filled(text, {}) == text
    assert pages.names(text) == ["x.y"]


@pytest.mark.parametrize("name", NAMES)
def test_quick_is_less(name):
    asked = experiment(name)
    assert asked.name == name
    quick, full = asked.cells(True), asked.cells(False)
    assert 0 < len(quick) <= len(full)
