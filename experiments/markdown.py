"""Tables in Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], numbers: Sequence[int] = ()) -> str:
    """Return a table; the columns at ``numbers`` are aligned to the right."""
    rules = ["---:" if place in numbers else "---" for place in range(len(heads))]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (heads, rules, *rows))


def called(name: str) -> str:
    """Return the name of a row with its class as code.

    >>> called("SimpleImputer (mean)")
    '`SimpleImputer` (mean)'
    """
    return re.sub(r"^\w+", lambda kind: f"`{kind[0]}`", name)
