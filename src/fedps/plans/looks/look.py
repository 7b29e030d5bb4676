"""The plan of a look: its parts side by side, each on its columns."""

from __future__ import annotations

from typing import Any

from fedps.compounds import parts_of
from fedps.learned.looks import (
    CorrelateNumbers,
    CrossCategories,
    DescribeCategories,
    DescribeDates,
    DescribeNumbers,
)
from fedps.looks.column_facts import ColumnFacts
from fedps.plans.looks.categories import describe_categories
from fedps.plans.looks.correlation import correlate_numbers
from fedps.plans.looks.crosstab import cross_categories
from fedps.plans.looks.numbers import describe_numbers
from fedps.plans.looks.seconds import in_seconds
from fedps.protocol.plan import Plan, View, gather

PLANS: dict[type[Any], Any] = {
    CorrelateNumbers: correlate_numbers,
    CrossCategories: cross_categories,
    DescribeCategories: describe_categories,
    DescribeNumbers: describe_numbers,
}


def look_plan(looks: Any, view: View) -> Plan[list[Any]]:
    """Return what each part of a ColumnTransformer of looks finds."""
    parts = [part.estimator for part in parts_of(looks)[:-1]]
    places = [view.inside(i, by_columns=True) for i in range(len(parts))]
    return (
        yield from gather(_plan(part, place) for part, place in zip(parts, places, strict=True))
    )


def _dates(look: Any, view: View) -> Plan[list[ColumnFacts]]:
    found = yield from describe_numbers(look, view, "dates")
    return [in_seconds(facts) for facts in found]


def _plan(look: Any, view: View) -> Plan[Any]:
    if isinstance(look, DescribeDates):
        return _dates(look, view.microseconds)
    plan: Plan[Any] = PLANS[type(look)](look, view)
    return plan
