"""Tables in Markdown."""

from __future__ import annotations

from collections.abc import Sequence


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], numbers: Sequence[int] = ()) -> str:
    """Return a table; the columns at ``numbers`` are aligned to the right."""
    rules = ["---:" if place in numbers else "---" for place in range(len(heads))]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (heads, rules, *rows))
