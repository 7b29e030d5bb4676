"""Where the repository's pages stand in the site, and what becomes of links that leave it.

Pages are written to be read in the repository, with relative links to other files of it. ``lay_out``
copies them into one folder for Sphinx and rewrites each link: to the page in the site if there is one,
to the repository's own pages if ``[project.urls]`` of pyproject.toml has a ``Source``, and otherwise
to its plain text, so that no link of the site leads nowhere.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

SITE = Path(__file__).resolve().parent
DOCS = SITE.parent
ROOT = DOCS.parent
EXAMPLES = ROOT / "examples"

# [text](path#anchor), also over several lines and with code in the text; no address has a colon here
LINK = re.compile(r"(!?)\[((?:`[^`]*`|[^\[\]`])*)\]\(([^)\s#:]+)(#[^)\s]*)?\)")
CODE = re.compile(r"(^ *```.*?^ *```$)", re.MULTILINE | re.DOTALL)


def pages() -> dict[Path, str]:
    """Return where files stand in the site, and folders whose README does."""
    found = {path: path.name for path in DOCS.glob("*.md")}
    found |= {path: f"decisions/{path.name}" for path in DOCS.glob("decisions/*.md")}
    found |= {path: f"images/{path.name}" for path in DOCS.glob("images/*.svg")}
    found |= {path: path.relative_to(SITE).as_posix() for path in SITE.rglob("*.md")}
    found |= {path: f"gallery/{path.stem}.rst" for path in EXAMPLES.glob("gallery/*.py")}
    found |= {
        ROOT / "README.md": "index.md",
        ROOT / "CHANGELOG.md": "changelog.md",
        ROOT / "CONTRIBUTING.md": "contributing.md",
        ROOT / "tests": "tests.md",
        ROOT / "tests" / "README.md": "tests.md",
        ROOT / "experiments": "experiments.md",
        ROOT / "experiments" / "README.md": "experiments.md",
        EXAMPLES / "gallery": "gallery/index.rst",
        EXAMPLES / "flower-fedavg": "flower-fedavg.md",
        EXAMPLES / "flower-fedavg" / "README.md": "flower-fedavg.md",
    }
    return found


def lay_out(folder: Path) -> None:
    """Write the pages into a folder for Sphinx; a page that did not change keeps its time."""
    where = pages()
    # the site has a landing page of its own, which includes parts of the README
    files = {path: name for path, name in where.items() if path != DOCS / "index.md"}
    files[ROOT / "README.md"] = "README.part"
    for path, name in files.items():
        if path.suffix == ".md":
            _write(folder / name, rewritten(path, name, where).encode())
        elif path.suffix == ".svg":
            _write(folder / name, path.read_bytes())


def rewritten(path: Path, name: str, where: dict[Path, str]) -> str:
    """Return the text of a file, with links that work where it stands in the site."""
    source = source_address()

    def link(found: re.Match[str]) -> str:
        picture, text, relative, anchor = found.groups(default="")
        target = Path(os.path.normpath(path.parent / relative))
        if target in where:
            there = os.path.relpath(where[target], Path(name).parent)
            return f"{picture}[{text}]({there}{anchor})"
        return f"[{text}]({source}{target.relative_to(ROOT)}{anchor})" if source else text

    return "".join(_with_links(path.read_text("utf-8"), link))


def _with_links(text: str, link: Callable[[re.Match[str]], str]) -> Iterator[str]:
    """Yield the parts of a text: links are replaced, code only loses the empty line that doctest needs."""
    for place, part in enumerate(CODE.split(text)):
        yield part.replace("\n\n```", "\n```") if place % 2 else LINK.sub(link, part)


def source_address() -> str | None:
    """Return where the repository's files can be read, if pyproject.toml says it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    address = project.get("urls", {}).get("Source")
    return f"{address.rstrip('/')}/blob/HEAD/" if address else None


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_bytes() != content:
        path.write_bytes(content)
