"""The numbers of each site beside those of all, as a table that opens in a card."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fedps.looks.column_facts import ColumnFacts, SiteFacts
from fedps.looks.formats import date_text, number_text, share_text, span_text, value_text
from fedps.looks.page.markup import digits, kept_back, opened, scrolled, text
from fedps.looks.text_tables import needs_time

MOST_LISTED_VALUES = 8  # categories that have a column of their own


def site_numbers(facts: ColumnFacts, labels: Sequence[str]) -> str:
    """Return the table, or nothing if no site is known by itself."""
    if not facts.sites:
        return ""
    names = ["rows", "missing"]
    if facts.kind != "categories":
        names += ["mean", "std", "min", *labels, "max"]
    else:
        names += [value_text(category.value) for category in facts.categories[:MOST_LISTED_VALUES]]
    head = "".join(f'<th scope="col">{text(name)}</th>' for name in (*names, "difference"))
    rows = "".join(_row(site, facts, len(labels)) for site in facts.sites)
    table = (
        f'<table><thead><tr><th scope="col" class="name">site</th>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )
    return opened("Numbers by site", scrolled(table, "Numbers by site"))


def _row(site: SiteFacts, facts: ColumnFacts, quantiles: int) -> str:
    shown = [f"{site.rows:,}", _missing(site)]
    if facts.kind != "categories":
        shown += _numbers(site, facts, quantiles)
    else:
        counted = min(len(facts.categories), MOST_LISTED_VALUES)
        counts = [*site.counts, *[None] * (counted - len(site.counts))]
        shown += [_shown(site, count, number_text) for count in counts[:counted]]
    shown.append(_shown(site, site.difference, "{:.2f}".format))
    cells = "".join(f"<td>{cell}</td>" for cell in shown)
    return f'<tr><th scope="row" class="name">{text(site.client)}</th>{cells}</tr>'


def _numbers(site: SiteFacts, facts: ColumnFacts, quantiles: int) -> list[str]:
    time = needs_time(facts)

    def place(value: float) -> str:
        if facts.kind == "dates":
            return date_text(value, facts.zone, time=time)
        return number_text(value)

    known = [*site.quantiles, *[None] * (quantiles - len(site.quantiles))]
    spread = span_text if facts.kind == "dates" else number_text
    places = (site.minimum, *known[:quantiles], site.maximum)
    return [
        _shown(site, site.mean, place),
        _shown(site, site.std, spread),
        *(_shown(site, value, place) for value in places),
    ]


def _missing(site: SiteFacts) -> str:
    if site.missing is None:
        return _kept(site)
    return text(share_text(site.missing, site.rows))


def _shown(site: SiteFacts, value: float | None, words: Callable[[float], str]) -> str:
    if value is None:
        return _kept(site)
    return digits(words(value))


def _kept(site: SiteFacts) -> str:
    if site.kept_back:
        return kept_back("kept back", [site.kept_back])
    return kept_back("not known", ["Not known exactly for this site."])
