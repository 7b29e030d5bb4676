"""The page of a description, from its parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fedps.looks.column_facts import ColumnFacts
from fedps.looks.page.cards import cards
from fedps.looks.page.differences import differences
from fedps.looks.page.document import Tab
from fedps.looks.page.filter_bar import filter_bar
from fedps.looks.page.markup import kept_back, note_list

SITE_LEGEND = (
    '<p class="aside key">Each site: its own outline over the bars of all sites, and how far it is from the '
    "others. {kept} stands where a policy keeps a number back; it is never a zero.</p>"
)


def column_tabs(
    clients: Mapping[str, int], columns: Sequence[ColumnFacts], labels: Sequence[str]
) -> list[Tab]:
    """Return the parts that every description has: its columns, and how sites differ."""
    kinds = dict.fromkeys(facts.kind for facts in columns)
    legend = SITE_LEGEND.format(kept=kept_back("< 5", ["An example of a mark."]))
    found = filter_bar(kinds, len(columns)) + legend + cards(columns, labels)
    return [
        Tab("columns", "Columns", found),
        Tab("sites", "Differences", differences(clients, columns)),
    ]


def page_notes(notes: Sequence[str]) -> str:
    """Return what holds for the whole page, at its beginning."""
    return f'<div class="to-note">{note_list(notes)}</div>' if notes else ""
