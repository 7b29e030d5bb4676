"""Normalizer with ``split="columns"``: the norms of whole rows, in one round."""

from __future__ import annotations

from typing import Any

from fedps.learned import Learned, PerRow
from fedps.learned.owners import NormalizerPartNumbers
from fedps.plans.shared.parameters import learned_for_owners
from fedps.protocol.plan import Plan, View, ask
from fedps.statistics import RowNorms


def normalizer_across_owners(normalizer: Any, view: View) -> Plan[Learned]:
    """Learn the norm of each row."""
    norms = yield from ask(RowNorms(normalizer.norm), view)
    return learned_for_owners(normalizer, NormalizerPartNumbers(norms=PerRow(norms)))
