"""The frame of every page: head, styles, script, tabs."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files

from fedps.looks.page.markup import text

STYLES = ("base.css", "tables.css", "columns.css", "print.css")
SCRIPTS = ("tabs.js", "columns.js", "map.js")


@dataclass(frozen=True)
class Tab:
    """A part of a page that is shown by itself."""

    key: str
    title: str
    body: str


def document(title: str, body: str, footer: str = "") -> str:
    """Return a whole page. ``body`` and ``footer`` are HTML; the title is text."""
    script = _assets(SCRIPTS)
    digest = b64encode(sha256(script.encode()).digest()).decode()
    # no address may be contacted, and no script run but ours: whatever a name of a column holds
    rules = (
        "default-src 'none';base-uri 'none';form-action 'none';img-src data:;"
        f"style-src 'unsafe-inline';script-src 'sha256-{digest}'"
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{rules}">'
        f'<link rel="icon" href="data:,"><title>{text(title)}</title><style>{_assets(STYLES)}</style>'
        "<noscript><style>[hidden]{display:block;content-visibility:visible}.needs-script{display:none}"
        f'</style></noscript></head><body><header class="top"><h1>{text(title)}</h1>'
        '<button id="theme" class="needs-script" type="button" aria-pressed="false">Dark</button>'
        f"</header><main>{body}</main>{footer}<script>{script}</script></body></html>"
    )


def tabs(parts: Sequence[Tab], label: str) -> str:
    """Return parts of which one is shown at a time; on paper, all of them."""
    buttons = "".join(
        f'<button type="button" role="tab" id="tab-{tab.key}" aria-controls="{tab.key}" '
        f'aria-selected="{str(i == 0).lower()}"{" tabindex=-1" if i else ""}>{text(tab.title)}</button>'
        for i, tab in enumerate(parts)
    )
    # hidden until found: the browser's own search finds what is in the other tabs
    panels = "".join(
        f'<section role="tabpanel" id="{tab.key}" aria-labelledby="tab-{tab.key}"'
        f"{' hidden=until-found' if i else ''}><h2>{text(tab.title)}</h2>{tab.body}</section>"
        for i, tab in enumerate(parts)
    )
    bar = (
        f'<div class="tabs needs-script" role="tablist" aria-label="{text(label)}">{buttons}</div>'
    )
    return bar + panels


@cache
def _assets(names: Sequence[str]) -> str:
    folder = files("fedps.looks.page").joinpath("assets")
    return "".join(folder.joinpath(name).read_text(encoding="utf-8") for name in names)
