"""Dates, which clients tell as numbers of microseconds, in seconds."""

from __future__ import annotations

from dataclasses import replace

from fedps.looks.column_facts import ColumnFacts, Histogram, SiteFacts

_IN_A_SECOND = 1e6


def in_seconds(facts: ColumnFacts) -> ColumnFacts:
    """Return what is known of a column of dates, in seconds."""
    bars = facts.histogram
    if bars is not None:
        bars = Histogram(tuple(edge / _IN_A_SECOND for edge in bars.edges), bars.counts, bars.off)
    return replace(
        facts,
        mean=_seconds(facts.mean),
        std=_seconds(facts.std),
        minimum=_seconds(facts.minimum),
        quantiles=tuple(map(_seconds, facts.quantiles)),
        maximum=_seconds(facts.maximum),
        histogram=bars,
        sites=tuple(map(_site_in_seconds, facts.sites)),
    )


def _site_in_seconds(site: SiteFacts) -> SiteFacts:
    return replace(
        site,
        mean=_seconds(site.mean),
        std=_seconds(site.std),
        minimum=_seconds(site.minimum),
        quantiles=tuple(map(_seconds, site.quantiles)),
        maximum=_seconds(site.maximum),
    )


def _seconds(value: float | None) -> float | None:
    return None if value is None else value / _IN_A_SECOND
