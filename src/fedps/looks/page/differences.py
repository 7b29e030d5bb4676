"""How far each site is from all others, column by column, the worst first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fedps.looks.column_facts import ColumnFacts, SiteFacts
from fedps.looks.page.cards import worst_difference
from fedps.looks.page.heat_table import HeatCell, HeatRow, heat_table
from fedps.looks.page.markup import scrolled, text
from fedps.looks.page.overview import site_of

# what is shaded fully: a mean one standard deviation away, half of the cells elsewhere
STRONG = {"numbers": 1.0, "dates": 1.0, "categories": 0.5}

ABOUT = (
    "For numbers and dates: the site's mean less that of all others, in standard deviations; above 0.1 in "
    "size is often taken for a real difference, above 0.5 for a large one. For categories: the share of "
    "the site's cells that would have to change to make it like the others (total variation, 0 to 1). "
    "The worst come first."
)


def differences(clients: Mapping[str, int], columns: Sequence[ColumnFacts]) -> str:
    """Return the table, or a sentence if there is nothing to compare."""
    if len(clients) < 2:
        return "<p>There is one site only.</p>"
    found = [(i, facts) for i, facts in enumerate(columns) if facts.sites]
    found.sort(key=lambda pair: -worst_difference(pair[1]))
    rows = [_row(i, facts, clients) for i, facts in found]
    head = ("Column", "Measure", "Largest", *clients)
    table = heat_table(head, rows, caption="Differences between sites", kind="warm measured")
    return f'<p class="aside">{ABOUT}</p>' + scrolled(table, "Differences between sites")


def _row(i: int, facts: ColumnFacts, clients: Mapping[str, int]) -> HeatRow:
    link = f'<a href="#c{i}">{text(facts.name)}</a>'
    measure = "total variation" if facts.kind == "categories" else "mean difference"
    known = any(site.difference is not None for site in facts.sites)
    worst = HeatCell(f"{worst_difference(facts):.2f}" if known else "–")
    cells = [_cell(site_of(facts, client), facts) for client in clients]
    return HeatRow(link, [HeatCell(measure), worst, *cells])


def _cell(site: SiteFacts | None, facts: ColumnFacts) -> HeatCell:
    if site is None or site.difference is None:
        why = site.kept_back if site else ""
        return HeatCell("kept back", hidden=why) if why else HeatCell("–")
    heat = min(1.0, abs(site.difference) / STRONG[facts.kind])
    return HeatCell(f"{site.difference:.2f}", heat)
