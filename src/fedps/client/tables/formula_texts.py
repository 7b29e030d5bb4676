"""Texts that a spreadsheet would run as formulas, and how they are written to a CSV file instead."""

from __future__ import annotations

STARTS = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet would run a cell that begins so
FORMULA_MARK = "'"  # before it, a spreadsheet takes the rest as text


def harmless(text: str) -> str:
    """Return a text as a cell that no spreadsheet runs: with an apostrophe where it might.

    >>> harmless("=1+1"), harmless("age")
    ("'=1+1", 'age')
    """
    return f"{FORMULA_MARK}{text}" if text.startswith(STARTS) else text
