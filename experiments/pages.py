"""``python -m experiments pages``: the numbers of README and docs, put there from the results.

A page has blocks, each between two comments, whose text is what an experiment makes of its results::

    <!-- results: communication.table -->
    <!-- end of results -->
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"(<!-- results: ([\w.-]+) -->\n).*?(<!-- end of results -->)", re.DOTALL)


def pages() -> list[Path]:
    """Return all pages that may have blocks."""
    folders = ("docs", "experiments", "benchmarks")
    found = [page for folder in folders for page in sorted((ROOT / folder).rglob("*.md"))]
    return [ROOT / "README.md", *found]


def filled(text: str, tables: Mapping[str, str]) -> str:
    """Return the text of a page with its blocks filled; those without a table stay as they are."""

    def fill(block: re.Match[str]) -> str:
        start, name, end = block.groups()
        return f"{start}\n{tables[name].strip()}\n\n{end}" if name in tables else block[0]

    return BLOCK.sub(fill, text)


def names(text: str) -> list[str]:
    """Return the names of the blocks of a page."""
    return [block[2] for block in BLOCK.finditer(text)]


def fill_pages(tables: Mapping[str, str]) -> list[Path]:
    """Fill the blocks of all pages, and return those that changed."""
    changed = []
    for page in pages():
        text = page.read_text("utf-8")
        new = filled(text, tables)
        if new != text:
            page.write_text(new, "utf-8")
            changed.append(page)
    return changed
