"""Pictures of a saved page: ``python -m tests.browser.screenshots report.html folder``."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.browser.chromium import Chromium

VIEWS = {
    "light": {"width": 1280, "height": 900},
    "dark": {"width": 1280, "height": 900, "dark": True},
    "narrow": {"width": 400, "height": 900},
}
ALL_CARDS = (
    "document.querySelectorAll('.card').forEach(c => { c.style.contentVisibility = 'visible'; })"
)


def take(page: Path, folder: Path) -> list[Path]:
    """Write a picture of each view, and of each tab in the light; return their files."""
    folder.mkdir(parents=True, exist_ok=True)
    taken = []
    with Chromium() as browser:
        for name, view in VIEWS.items():
            browser.open(page.resolve(), **view)
            taken.append(folder / f"{page.stem}-{name}.png")
            browser.picture(taken[-1])
        browser.open(page.resolve())
        browser.run(ALL_CARDS)
        for tab in browser.run("[...document.querySelectorAll('[role=tabpanel]')].map(p => p.id)"):
            browser.run(f"document.getElementById('tab-{tab}').click()")
            taken.append(folder / f"{page.stem}-{tab}.png")
            browser.picture(taken[-1], whole=True)
    return taken


if __name__ == "__main__":
    for file in take(Path(sys.argv[1]), Path(sys.argv[2])):
        print(file)  # noqa: T201
