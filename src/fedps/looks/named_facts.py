"""The numbers of a column by the names that pandas gives them, with what to show where one is missing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fedps.looks.column_facts import ColumnFacts, Kind

NOT_KNOWN = "not known"

_BEFORE: dict[Kind, tuple[str, ...]] = {
    "numbers": ("count", "missing", "unique", "mean", "std", "min"),
    "categories": ("count", "missing", "unique", "top", "freq"),
    "dates": ("count", "missing", "unique", "mean", "std", "min"),
}
_AFTER: dict[Kind, tuple[str, ...]] = {
    "numbers": ("max", "skewness"),
    "categories": (),
    "dates": ("max",),
}
_FIELDS = {"min": "minimum", "max": "maximum"}


@dataclass(frozen=True)
class NamedFact:
    """One number of a column; ``mark`` is what to show instead, and "" if there is nothing to hide."""

    name: str
    value: Any
    mark: str = ""


def named_facts(facts: ColumnFacts, labels: Sequence[str]) -> dict[str, NamedFact]:
    """Return all that a column of its kind has, in the order of ``DataFrame.describe``.

    ``labels`` are the names of its quantiles.
    """
    found = [_by_field(facts, name) for name in _BEFORE[facts.kind]]
    if facts.kind != "categories":
        for i, label in enumerate(labels):
            value = facts.quantiles[i] if i < len(facts.quantiles) else None
            mark = facts.marks.get(
                label, "" if value is not None else facts.marks.get("quantiles", "")
            )
            found.append(_fact(facts, label, value, mark))
    found += [_by_field(facts, name) for name in _AFTER[facts.kind]]
    return {fact.name: fact for fact in found}


def _by_field(facts: ColumnFacts, name: str) -> NamedFact:
    field = _FIELDS.get(name, name)
    return _fact(facts, name, getattr(facts, field), facts.marks.get(field, ""))


def _fact(facts: ColumnFacts, name: str, value: Any, mark: str) -> NamedFact:
    if mark:
        return NamedFact(name, None, mark)
    if value is None:
        # a column without cells has no mean; one with cells has, so somebody keeps it back
        return NamedFact(name, math.nan) if facts.count == 0 else NamedFact(name, None, NOT_KNOWN)
    return NamedFact(name, value)
