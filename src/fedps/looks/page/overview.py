"""What there is at a glance: sites, rows, columns, and where cells are missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from math import sqrt

from fedps.looks.column_facts import ColumnFacts, SiteFacts
from fedps.looks.formats import share_text
from fedps.looks.page.heat_table import HeatCell, HeatRow, heat_table
from fedps.looks.page.markup import kept_back, note_list, opened, scrolled, text
from fedps.looks.without import as_marked
from fedps.report.rendering import count

MOST_AT_ONCE = 8  # rows of the map of missing cells before it has to be opened
KEPT_WORDS = "kept back"
_PARTLY = ", of those that sites show"


def overview(clients: Mapping[str, int], columns: Sequence[ColumnFacts], rows: int) -> str:
    """Return the figures, the table of sites and the map of missing cells.

    ``rows`` is the number of all rows: with ``split="columns"`` each client has them all.
    """
    return (
        f'<section class="overview" aria-label="Overview">{_figures(clients, columns, rows)}'
        f'<div class="pair">{_sites(clients, columns, rows)}{_missing(clients, columns)}</div></section>'
    )


def _figures(clients: Mapping[str, int], columns: Sequence[ColumnFacts], rows: int) -> str:
    kinds = Counter(facts.kind for facts in columns)
    every = rows == sum(clients.values())
    figures = (
        ("Sites", f"{len(clients):,}", f"{_range(clients.values())} rows each"),
        ("Rows", f"{rows:,}", "at all sites together" if every else "the same at all sites"),
        (
            "Columns",
            f"{len(columns):,}",
            ", ".join(f"{n:,} of {kind}" for kind, n in kinds.items()),
        ),
        ("Missing cells", *_all_gaps(columns)),
    )
    items = "".join(
        f"<div><dt>{name}</dt><dd><b>{text(figure)}</b><small>{more}</small></dd></div>"
        for name, figure, more in figures
    )
    return f'<dl class="figures">{items}</dl>'


def _all_gaps(columns: Sequence[ColumnFacts]) -> tuple[str, str]:
    """Return the share of missing cells, and their number, of all cells that sites show."""
    known = [facts for facts in columns if facts.marks.get("missing") != KEPT_WORDS]
    if columns and not known:
        return KEPT_WORDS, "by the policies of the sites"
    gaps = sum(facts.missing for facts in known)
    shown = share_text(gaps, sum(facts.count + facts.missing for facts in known))
    return shown, f"{gaps:,} cells{_PARTLY if _partly(columns) else ''}"


def _partly(columns: Iterable[ColumnFacts]) -> bool:
    """Return whether sites keep back which cells are missing."""
    return any("missing" in facts.marks for facts in columns)


def _range(rows: Collection[int]) -> str:
    few, many = min(rows, default=0), max(rows, default=0)
    return f"{few:,}" if few == many else f"{few:,} to {many:,}"


def _sites(clients: Mapping[str, int], columns: Sequence[ColumnFacts], whole: int) -> str:
    most = max(clients.values(), default=1) or 1
    rows = "".join(
        f'<tr><th scope="row" class="name">{text(client)}</th><td>{n:,}</td>'
        f'<td>{share_text(n, whole)}</td><td class="bar"><i style="width:{100 * n / most:.0f}%"></i></td>'
        f"<td>{_site_gaps(client, columns)}</td></tr>"
        for client, n in clients.items()
    )
    head = (
        '<th scope="col" class="name">Site</th><th scope="col">Rows</th><th scope="col">Share</th>'
    )
    head += '<th aria-hidden="true"></th><th scope="col">Missing cells</th>'
    table = f"<table><caption>Sites</caption><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    return scrolled(table + note_list(_reasons(clients, columns)), "Sites")


def _reasons(clients: Mapping[str, int], columns: Sequence[ColumnFacts]) -> list[str]:
    """Return why each client keeps its own numbers back, each reason once."""
    reasons = {
        (site.client, site.kept_back): f"{site.client}: {site.kept_back}"
        for facts in columns
        for site in facts.sites
        if site.kept_back and site.client in clients
    }
    return list(reasons.values())


def _site_gaps(client: str, columns: Sequence[ColumnFacts]) -> str:
    sites = [site for facts in columns if (site := site_of(facts, client)) is not None]
    known = [site for site in sites if site.missing is not None]
    if not known:
        return kept_back(KEPT_WORDS, {site.kept_back for site in sites if site.kept_back})
    cells = sum(site.rows for site in known)
    return text(share_text(sum(site.missing or 0 for site in known), cells))


def site_of(facts: ColumnFacts, client: str) -> SiteFacts | None:
    """Return what is known of a column at one client."""
    return next((site for site in facts.sites if site.client == client), None)


def _missing(clients: Mapping[str, int], columns: Sequence[ColumnFacts]) -> str:
    gaps = [facts for facts in columns if facts.missing]
    gaps.sort(key=lambda facts: -facts.missing / max(facts.count + facts.missing, 1))
    without = [facts for facts in columns if not facts.missing]
    full, partly = len(without), _PARTLY if _partly(without) else ""
    complete = f"{count(full, 'column')} without missing cells{partly}" if full else ""
    if not gaps:
        none = f"None in {count(full, 'column')}{partly}."
        return f'<div><p class="caption">Missing cells</p><p>{none}</p></div>'
    head = ("Column", "All", *clients)
    rows = [HeatRow(text(facts.name), _gap_cells(facts, clients)) for facts in gaps]
    caption = "Missing cells by site, most first"
    body = heat_table(head, rows[:MOST_AT_ONCE], caption=caption, kind="warm")
    rest = rows[MOST_AT_ONCE:]
    if rest:
        more = heat_table(head, rest, caption="Missing cells by site, continued", kind="warm")
        body += opened(f"{count(len(rest), 'more column')} with missing cells", more)
    return scrolled(f'{body}<p class="aside">{complete}</p>', caption)


def _gap_cells(facts: ColumnFacts, clients: Mapping[str, int]) -> list[HeatCell]:
    cells = [_all_gap_cell(facts)]
    for client in clients:
        site = site_of(facts, client)
        missing, rows = (site.missing, site.rows) if site else (None, 0)
        cells.append(_gap_cell(missing, rows, site.kept_back if site else ""))
    return cells


def _all_gap_cell(facts: ColumnFacts) -> HeatCell:
    cell, mark = (
        _gap_cell(facts.missing, facts.count + facts.missing, ""),
        facts.marks.get("missing"),
    )
    return (
        HeatCell(as_marked(cell.shown, mark), hidden=" ".join(facts.notes) or mark)
        if mark
        else cell
    )


def _gap_cell(missing: int | None, rows: int, why: str) -> HeatCell:
    if missing is None:
        return HeatCell(KEPT_WORDS, hidden=why or "Kept back by the policy of the site.")
    # the root: a few percent are seen, and half is not yet all
    return HeatCell(share_text(missing, rows), sqrt(missing / rows) if rows else 0.0)
