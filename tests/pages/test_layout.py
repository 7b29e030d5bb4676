"""Where pages stand in the site, and what becomes of their links."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def layout():
    spec = importlib.util.spec_from_file_location("layout", ROOT / "docs" / "site" / "layout.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def rewrite(layout, tmp_path):
    def rewritten(text, name="guide.md"):
        page = ROOT / "docs" / "a-page-that-is-not-there.md"
        copy = tmp_path / "page.md"
        copy.write_text(text, "utf-8")

        class Written(type(page)):  # it has the text of one file and the place of another
            def read_text(self, encoding):
                return copy.read_text(encoding)

        return layout.rewritten(Written(page), name, layout.pages())

    return rewritten


@pytest.mark.parametrize(
    ("link", "there"),
    [
        ("[a](missing.md#notes)", "[a](missing.md#notes)"),
        ("[a](../CHANGELOG.md)", "[a](changelog.md)"),
        ("[a](../README.md#the-paper)", "[a](index.md#the-paper)"),
        ("[a](../examples/flower-fedavg)", "[a](flower-fedavg.md)"),
        ("[a](../examples/gallery/01_hospitals.py)", "[a](gallery/01_hospitals.rst)"),
        ("![a\nb](images/overview.svg)", "![a\nb](images/overview.svg)"),
        ("[a](https://example.org/x)", "[a](https://example.org/x)"),
        ("[a](#notes)", "[a](#notes)"),
        ("[`errors.py`](../src/fedps/errors.py)", "`errors.py`"),
        ("```\n[a](../CHANGELOG.md)\n```", "```\n[a](../CHANGELOG.md)\n```"),
        (
            "```python\n>>> 1\n1\n\n```\n[a](../CHANGELOG.md)",
            "```python\n>>> 1\n1\n```\n[a](changelog.md)",
        ),
    ],
)
def test_a_link(rewrite, link, there):
    assert rewrite(link) == there


def test_a_link_from_a_folder(rewrite):
    assert rewrite("[a](guide.md)", "decisions/001.md") == "[a](../guide.md)"


def test_a_link_to_the_source_where_that_is_known(layout, rewrite, monkeypatch):
    monkeypatch.setattr(layout, "source_address", lambda: "https://example.org/blob/HEAD/")
    link = "[a](../src/fedps/errors.py)"
    assert rewrite(link) == "[a](https://example.org/blob/HEAD/src/fedps/errors.py)"


def test_every_page_has_one_place(layout, tmp_path):
    layout.lay_out(tmp_path)
    for page in [*(ROOT / "docs").glob("*.md"), *(ROOT / "docs").glob("decisions/*.md")]:
        assert (tmp_path / layout.pages()[page]).exists()
