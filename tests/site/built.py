"""The built site, as a browser reads it: pages, their text, their links, their ids."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

SITE = Path(os.environ["FEDPS_SITE"]).resolve()
VOID = {"area", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}


@dataclass
class Page(HTMLParser):
    """A page: its words, ``links`` as (text, href), the ids in it, and what it makes a browser load."""

    path: Path
    text: str = ""
    ids: set[str] = field(default_factory=set)
    links: list[tuple[str, str]] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)

    def __post_init__(self):
        super().__init__()
        self._open = []  # for each link that is open: where its text begins, and its href
        self._silent = 0
        self.feed(self.path.read_text("utf-8"))

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if "id" in given:
            self.ids.add(given["id"])
        if tag == "a" and given.get("href"):
            self._open.append((len(self.text), given["href"]))
        elif tag == "link" and given.get("rel") not in (
            "next",
            "prev",
            "search",
            "index",
            "author",
        ):
            self.loads.append(given["href"])
        self.loads += [
            given[name] for name in ("src", "srcset", "data", "poster") if given.get(name)
        ]
        self._silent += tag in ("script", "style")

    def handle_endtag(self, tag):
        self._silent -= tag in ("script", "style")
        if tag == "a" and self._open:
            begin, href = self._open.pop()
            self.links.append((" ".join(self.text[begin:].split()), href))

    def handle_data(self, data):
        if not self._silent:
            self.text += data

    def target(self, href):
        """Return the file and the id that a link leads to; None if it leaves the site."""
        if "://" in href or href.startswith(("mailto:", "data:", "javascript:")):
            return None
        path, _, anchor = href.partition("#")
        there = (self.path.parent / unquote(path)).resolve() if path else self.path
        return there, unquote(anchor)


@cache
def page(path):
    """Return a page of the site by its path."""
    return Page(SITE / path)


def pages():
    """Return all pages."""
    return [page(path) for path in sorted(SITE.rglob("*.html")) if "_static" not in path.parts]
