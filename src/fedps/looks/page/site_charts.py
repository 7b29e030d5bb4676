"""Each site's own picture of a column, over that of all sites."""

from __future__ import annotations

from fedps.looks.column_facts import ColumnFacts, SiteFacts
from fedps.looks.page.charts import bar_path, densities, outline_path, unknown_path
from fedps.looks.page.markup import digits, kept_back, opened, text

MOST_SITES = 12  # pictures of a card before it has to be opened: those that differ most

BarEdges = tuple[float, ...]


def site_charts(i: int, facts: ColumnFacts) -> str:
    """Return a small picture for each site, all on the same scale."""
    edges, counts = _pooled(facts)
    if not facts.sites or not counts:
        return ""
    drawn = [densities(edges, site.counts) for site in facts.sites if site.counts]
    pooled = densities(edges, counts)
    top = max(height or 0.0 for heights in (pooled, *drawn) for height in heights)
    behind = _behind(i, facts, edges, pooled, top)
    sites = facts.sites
    if len(sites) > MOST_SITES:
        sites = tuple(sorted(sites, key=lambda site: -abs(site.difference or 0.0)))
    found = [_site(site, edges, top, behind) for site in sites]
    first, more = "".join(found[:MOST_SITES]), "".join(found[MOST_SITES:])
    shown = f'<ul class="sites">{first}</ul>'
    if more:
        shown += opened(f"{len(found) - MOST_SITES} more sites", f'<ul class="sites">{more}</ul>')
    return shown


def _pooled(facts: ColumnFacts) -> tuple[BarEdges, BarEdges]:
    if facts.histogram is not None:
        return facts.histogram.edges, facts.histogram.counts
    counts = tuple(float(category.count) for category in facts.categories)
    return tuple(float(k) for k in range(len(counts) + 1)), counts


def _behind(
    i: int, facts: ColumnFacts, edges: BarEdges, pooled: list[float | None], top: float
) -> str:
    """Return the bars of all sites: drawn once in the card, and used again here at another scale."""
    own = max((height or 0.0) for height in pooled)
    if facts.histogram is None:
        return f'<path class="all" d="{bar_path(edges, pooled, top)}"/>'
    scale = own / top if top else 1.0
    return f'<use href="#h{i}" transform="scale(1 {scale:.3g})"/>'


def _site(site: SiteFacts, edges: BarEdges, top: float, behind: str) -> str:
    name = f"<b>{text(site.client)}</b>"
    if not site.counts:
        shown = kept_back("kept back", [site.kept_back] if site.kept_back else [])
        return f'<li><span class="nothing">{shown}</span>{name}</li>'
    heights = densities(edges, site.counts)
    unknown = unknown_path(edges, heights)
    mark = f'<path class="unknown" d="{unknown}"/>' if unknown else ""
    line = f'<path class="own" d="{outline_path(edges, heights, top)}"/>'
    return (
        '<li><svg viewBox="0 -100 1000 100" preserveAspectRatio="none" aria-hidden="true">'
        f"{behind}{mark}{line}</svg>{name}{_difference(site)}</li>"
    )


def _difference(site: SiteFacts) -> str:
    if site.difference is None:
        return "<span>–</span>"
    return f"<span>{digits(f'{site.difference:.2f}')}</span>"
