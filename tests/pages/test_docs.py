"""What the documentation says is there."""

import re
from pathlib import Path

import pytest

import fedps

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def slug(title):
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


@pytest.mark.parametrize(
    "page", [*PAGES, ROOT / "tests" / "README.md"], ids=lambda page: str(page.relative_to(ROOT))
)
def test_links_lead_somewhere(page):
    text = page.read_text("utf-8")
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if link.startswith("https://"):
            continue
        path, _, heading = link.partition("#")
        target = page if not path else (page.parent / path).resolve()
        assert target.exists(), link
        if heading:
            titles = re.findall(r"^#+ (.+)$", target.read_text("utf-8"), re.MULTILINE)
            assert heading in map(slug, titles), link


def test_every_page_is_on_the_map():
    index = (ROOT / "docs" / "index.md").read_text("utf-8")
    for page in PAGES:
        # pages of the site have a map of their own
        if page.parent != ROOT and page.name != "index.md" and "site" not in page.parts:
            assert f"({page.relative_to(ROOT / 'docs')})" in index


def test_the_readme_lists_what_is_supported():
    readme = (ROOT / "README.md").read_text("utf-8")
    there = readme.split("## Supported estimators")[1].split("\n## ")[0]
    table = "\n".join(line for line in there.split("\n") if line.startswith("|"))
    assert sorted(re.findall(r"`([A-Z]\w+)`", table)) == sorted(fedps.supported())
