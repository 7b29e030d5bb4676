"""What chooses and sorts the cards of columns."""

from __future__ import annotations

from collections.abc import Iterable

ORDERS = (
    ("table", "order of the table"),
    ("name", "name"),
    ("missing", "missing cells, most first"),
    ("difference", "difference between sites, largest first"),
    ("unique", "distinct values, most first"),
)


def filter_bar(kinds: Iterable[str], columns: int) -> str:
    """Return the labelled inputs, and the place that says how many columns they show."""
    chosen = "".join(f'<option value="{kind}">{kind}</option>' for kind in kinds)
    orders = "".join(f'<option value="{key}">{words}</option>' for key, words in ORDERS)
    return (
        '<form class="filter needs-script" role="search" aria-label="Choose columns">'
        '<label>Name contains<input id="by-name" type="search" autocomplete="off" spellcheck="false">'
        '</label><label>Kind<select id="by-kind"><option value="">all kinds</option>'
        f'{chosen}</select></label><label>Sort by<select id="order">{orders}</select></label>'
        f'<output id="shown" aria-live="polite">{columns:,} of {columns:,} columns</output></form>'
    )
