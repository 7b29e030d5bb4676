"""Dates, which clients tell as numbers of microseconds, in seconds."""

from __future__ import annotations

from dataclasses import replace
from math import trunc

from fedps.looks.column_facts import ColumnFacts, Histogram, SiteFacts

A_SECOND = 1e6  # microseconds


def in_seconds(facts: ColumnFacts) -> ColumnFacts:
    """Return what is known of a column of dates, in seconds."""
    bars = facts.histogram
    if bars is not None:
        bars = Histogram(tuple(edge / A_SECOND for edge in bars.edges), bars.counts, bars.off)
    return replace(
        facts,
        mean=_seconds(facts.mean),
        std=_seconds(facts.std),
        minimum=_seconds(facts.minimum),
        quantiles=tuple(map(_whole, facts.quantiles)),
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
        quantiles=tuple(map(_whole, site.quantiles)),
        maximum=_seconds(site.maximum),
    )


def _seconds(value: float | None) -> float | None:
    return None if value is None else value / A_SECOND


def _whole(value: float | None) -> float | None:
    """Return a quantile between two dates: as in pandas, what is less than a microsecond is cut off."""
    return None if value is None else trunc(value) / A_SECOND
