"""What a figure and a case with a target are, and how a fit is measured beside pooled scikit-learn."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

from benchmarks.measuring import measure
from benchmarks.tables import Pooled

RATIO = "x pooled"


class Figure(NamedTuple):
    """What a case took in its unit: by the clock, and in processor time; and more in words."""

    wall: float
    processor: float
    more: str = ""


class Case(NamedTuple):
    """Something to measure, and what is wanted of it at most."""

    group: str
    name: str
    wanted: float
    measure: Callable[[int], Figure]
    unit: str = RATIO


def beside_pooled(make: Callable[[], tuple[Any, Any]], repeats: int) -> Figure:
    """Fit ten clients' rows and the pooled ones, turn by turn; ``make`` returns the estimator and all rows."""
    estimator, X = make()
    pooled = Pooled(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that k-means did not converge
        found = measure("", "", estimator, pooled, pooled.clients(), repeats)
    arms = (found.pooled, found.federated)
    seconds = " -> ".join(f"{arm.wall:.2f}" for arm in arms)
    peaks = " -> ".join(f"{(arm.peak or 0) / 1e6:.0f}" for arm in arms)
    sent = f"{found.rounds} rounds, {found.bytes_up / 1000:.1f} KB up"
    processor = found.federated.cpu / found.pooled.cpu
    return Figure(found.ratio, processor, f"{seconds} s, {peaks} MB, {sent}")
