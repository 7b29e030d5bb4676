"""How many columns an estimator makes of a table, known before it makes any."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import comb
from typing import Any

from fedps.client.work_limits import largest
from fedps.learned import BY_COLUMNS, FROZEN, UNION, Learned

Facts = Mapping[str, Any]  # parameters and learned numbers by name


def made_width(learned: Learned, width: int) -> int:
    """Return how many columns with a cell in each row an estimator makes from ``width`` columns.

    Sparse columns, which have few cells, do not count. Nor do those of estimators inside a compound:
    each is asked about by itself.
    """
    if learned.estimator == FROZEN:
        return max((made_width(step, width) for step in learned.steps), default=width)
    facts = {**learned.params, **dict(learned.numbers.items())}
    made = WIDTHS.get(learned.estimator)
    return width if made is None else made(facts, width)


def _polynomial(facts: Facts, width: int) -> int:
    degree = max(largest(facts, "degree"), largest(facts, "_max_degree"))
    if facts.get("interaction_only") is True:
        return sum(comb(width, k) for k in range(min(degree, width) + 1))
    return comb(width + degree, degree)


def _spline(facts: Facts, width: int) -> int:
    return width * (largest(facts, "n_knots") + largest(facts, "degree"))


def _bins(facts: Facts, width: int) -> int:
    return width * largest(facts, "n_bins") if facts.get("encode") == "onehot-dense" else width


def _one_hot(facts: Facts, width: int) -> int:
    if facts.get("sparse_output") is not False:
        return width
    return sum(map(len, facts.get("categories_", facts.get("categories", ()))))


def _target(facts: Facts, width: int) -> int:
    classes = facts.get("classes_", facts.get("classes"))
    return width if classes is None else width * max(len(classes), 1)


def _passed_on(facts: Facts, width: int) -> int:
    """Return how many columns a compound passes on as they are."""
    parts = [(part[1], part[2] if len(part) > 2 else None) for part in facts.get("parts", ())]
    parts.append((facts.get("remainder"), None))
    columns = (own for kept, own in parts if kept == "passthrough")
    return sum(len(own) if isinstance(own, list) else width for own in columns)


WIDTHS: dict[str, Callable[[Facts, int], int]] = {
    BY_COLUMNS: _passed_on,
    "KBinsDiscretizer": _bins,
    "KMeans": lambda facts, _: largest(facts, "n_clusters"),
    "OneHotEncoder": _one_hot,
    "PolynomialFeatures": _polynomial,
    "SplineTransformer": _spline,
    "TargetEncoder": _target,
    UNION: _passed_on,
}
