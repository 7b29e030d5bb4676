"""Correlating columns: the products of any two, in one round."""

from __future__ import annotations

from typing import Any

from fedps.looks.correlation import Correlation
from fedps.protocol.plan import Plan, View, ask
from fedps.statistics import CoMoments

_LEFT_OUT = "correlations are those of the other clients' rows, or of pairs that clients show"


def correlate_numbers(_: Any, view: View) -> Plan[Correlation]:
    """Return the correlation of each two columns, and their variance inflation factors."""
    found = yield from ask(CoMoments(), view)
    for position in view.limited("min_rows", "max_share of products", "budget"):
        view.bound(position, _LEFT_OUT)
    names: tuple[Any, ...] = view.names or tuple(range(len(found.vif)))
    return Correlation(names, found.correlation, found.counts, found.vif, found.complete)
