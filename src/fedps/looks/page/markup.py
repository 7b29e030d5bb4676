"""Text of clients as text on a page, and the marks of numbers that are kept back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from fedps.looks.formats import value_text


def text(value: Any) -> str:
    r"""Return a value as inert text: nothing in it is markup, and nothing in it is invisible.

    >>> text("<b>\u202e</b>")
    '&lt;b&gt;�&lt;/b&gt;'
    """
    return escape("".join(c if c.isprintable() else "\ufffd" for c in value_text(value)))


def digits(shown: str) -> str:
    """Return a number's text with a minus sign as wide as a digit.

    >>> digits("-0.5"), digits("2020-09-13")
    ('−0.5', '2020-09-13')
    """
    return escape(f"\N{MINUS SIGN}{shown[1:]}" if shown.startswith("-") else shown)


def kept_back(mark: str, reasons: Iterable[str] = ()) -> str:
    """Return what stands in the place of a number that is kept back: a visible mark, with its reason."""
    why = " ".join(reasons) or "kept back by the policy of a site"
    return f'<span class="kept" title="{text(why)}">{text(mark)}</span>'


def note_list(notes: Sequence[str]) -> str:
    """Return sentences as a list, or nothing if there are none."""
    items = "".join(f"<li>{text(note)}</li>" for note in notes)
    return f'<ul class="notes">{items}</ul>' if notes else ""


def opened(summary: str, body: str) -> str:
    """Return what a click or the Enter key opens; on paper it is open."""
    return f"<details><summary>{summary}</summary>{body}</details>"


def scrolled(body: str, label: str) -> str:
    """Return something wide that scrolls by itself, by keyboard as well."""
    return f'<div class="scroll" tabindex="0" role="region" aria-label="{text(label)}">{body}</div>'
