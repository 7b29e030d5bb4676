"""Whether a query says in which order its rows are: ORDER BY, and not only inside of something."""

from __future__ import annotations

import re

# what is no word of the query itself: comments, text, quoted names, PostgreSQL's $$ text $$
_QUOTED = re.compile(
    r"--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`[^`]*`|(\$\w*\$).*?\1", re.DOTALL
)
_ORDER = re.compile(r"\border\s+by\b", re.IGNORECASE)


def has_order(query: str) -> bool:
    """Return whether a query ends with an order of all of its rows.

    >>> has_order("SELECT * FROM visits ORDER BY id"), has_order("SELECT 'order by' FROM visits")
    (True, False)
    >>> has_order("SELECT * FROM (SELECT * FROM visits ORDER BY id) AS some")
    False
    """
    text, depth, outside = _QUOTED.sub(" ", query), 0, []
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        outside.append(letter if depth == 0 else " ")
    return _ORDER.search("".join(outside)) is not None


def one_statement(query: str) -> str:
    """Return a query without the semicolon at its end.

    >>> one_statement("SELECT 1; ")
    'SELECT 1'
    """
    return query.strip().rstrip(";").rstrip()
