"""A card per column: its picture, its numbers, and each site beside all."""

from __future__ import annotations

from collections.abc import Sequence

from fedps.looks.column_facts import Category, ColumnFacts, Histogram
from fedps.looks.formats import share_text
from fedps.looks.named_facts import NamedFact, named_facts
from fedps.looks.page.charts import bar_path, densities
from fedps.looks.page.markup import digits, kept_back, note_list, opened, text
from fedps.looks.page.site_charts import site_charts
from fedps.looks.page.site_numbers import site_numbers
from fedps.looks.text_tables import fact_text

BARS_AT_ONCE = 8  # categories of a card before it has to be opened
LONG = 22  # letters of a category that may be cut off on a narrow card


def cards(columns: Sequence[ColumnFacts], labels: Sequence[str]) -> str:
    """Return a card for each column."""
    found = "".join(_card(i, facts, labels) for i, facts in enumerate(columns))
    return f'<div class="cards">{found}</div>'


def worst_difference(facts: ColumnFacts) -> float:
    """Return how far the site is from all others that is farthest from them."""
    return max(
        (abs(site.difference) for site in facts.sites if site.difference is not None), default=0
    )


def _card(i: int, facts: ColumnFacts, labels: Sequence[str]) -> str:
    cells = facts.count + facts.missing
    share = facts.missing / cells if cells else 0.0
    gaps = f"{share_text(facts.missing, cells)} missing" if facts.missing else "no missing cells"
    if "missing" in facts.marks:  # which is among its numbers
        gaps = "of which some sites show nothing"
    picture = _bars(facts) if facts.kind == "categories" else _histogram(i, facts)
    return (
        f'<article class="card" id="c{i}" tabindex="-1" data-kind="{facts.kind}" data-missing="{share:.4g}"'
        f' data-difference="{worst_difference(facts):.4g}" data-unique="{facts.unique or 0}">'
        f'<h3>{text(facts.name)}</h3><p class="meta"><span class="kind">{facts.kind}</span> '
        f"{text(facts.dtype)}, {text(gaps)}</p>"
        f'<div class="body">{picture}{_numbers(facts, labels)}</div>'
        f"{site_charts(i, facts)}{site_numbers(facts, labels)}{note_list(facts.notes)}</article>"
    )


def _histogram(i: int, facts: ColumnFacts) -> str:
    drawn = facts.histogram
    if drawn is None or not drawn.counts:
        why = facts.marks.get("histogram", "")
        shown = kept_back(why, facts.notes) if why else "no histogram"
        return f'<p class="picture none">{shown}</p>'
    heights = densities(drawn.edges, drawn.counts)
    path = bar_path(drawn.edges, heights, max((height or 0.0) for height in heights))
    named = {"min": drawn.edges[0], "max": drawn.edges[-1]}
    low, high = (_axis_text(facts, value) for value in named.values())
    off = f'<p class="aside">Bars are right to {drawn.off:,} cells.</p>' if drawn.off else ""
    return (
        f'<figure class="picture"><svg class="histogram" viewBox="0 -100 1000 100" role="img" '
        f'preserveAspectRatio="none" {_data(facts, drawn)} aria-label="Histogram from {low} to {high}">'
        f'<path id="h{i}" d="{path}"/></svg><figcaption><span>{low}</span><output></output>'
        f"<span>{high}</span></figcaption>{off}</figure>"
    )


def _axis_text(facts: ColumnFacts, value: float) -> str:
    return digits(fact_text(NamedFact("axis", value), facts))


def _data(facts: ColumnFacts, drawn: Histogram) -> str:
    """Return what the script reads out where somebody points at a bar."""
    edges, last = drawn.edges, len(drawn.edges) - 1
    step = (edges[-1] - edges[0]) / last
    even = all(abs(edge - edges[0] - k * step) <= 1e-6 * abs(step) for k, edge in enumerate(edges))
    told = (edges[0], edges[-1]) if even else edges
    counts = ",".join(f"{count:.6g}" for count in drawn.counts)
    dates = " data-dates" if facts.kind == "dates" else ""
    return f'data-edges="{",".join(f"{edge:.10g}" for edge in told)}" data-counts="{counts}"{dates}'


def _bars(facts: ColumnFacts) -> str:
    if not facts.categories:
        mark = facts.marks.get("categories", "")
        shown = kept_back(mark, facts.notes) if mark else "no categories"
        return f'<p class="picture none">{shown}</p>'
    most = max(category.count for category in facts.categories) or 1
    rows = [_bar(category, facts.count, most) for category in facts.categories]
    mark = facts.marks.get("others", "")
    if mark or facts.others:
        rest = kept_back(mark, facts.notes) if mark else f"{facts.others:,}"
        share = "" if mark else text(share_text(facts.others, facts.count))
        other = (
            f'<th scope="row"><em>other values</em></th><td></td><td>{rest}</td><td>{share}</td>'
        )
        rows.append(f"<tr>{other}</tr>")
    first, more = "".join(rows[:BARS_AT_ONCE]), "".join(rows[BARS_AT_ONCE:])
    found = f'<table class="bars"><tbody>{first}</tbody></table>'
    if more:
        found += opened(f"{len(rows) - BARS_AT_ONCE} more", f'<table class="bars">{more}</table>')
    return f'<div class="picture">{found}</div>'


def _bar(category: Category, cells: int, most: int) -> str:
    shown = text(category.value)
    title = f' title="{shown}"' if len(shown) > LONG else ""
    return (
        f'<tr><th scope="row"{title}>{shown}</th><td class="bar">'
        f'<i style="width:{100 * category.count / most:.0f}%"></i></td><td>{category.count:,}</td>'
        f"<td>{text(share_text(category.count, cells))}</td></tr>"
    )


def _numbers(facts: ColumnFacts, labels: Sequence[str]) -> str:
    items = []
    for fact in named_facts(facts, labels).values():
        if fact.name == "missing" and not fact.value and not fact.mark:
            continue
        shown = digits(fact_text(fact, facts))
        if fact.mark:
            shown = kept_back(fact.mark, facts.notes)
        elif fact.name == "top":
            shown = text(fact.value)
        name = "distinct" if fact.name == "unique" else fact.name
        items.append(f"<div><dt>{name}</dt><dd>{shown}</dd></div>")
    return f'<dl class="numbers">{"".join(items)}</dl>'
