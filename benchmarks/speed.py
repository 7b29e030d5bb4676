"""``python -m benchmarks.speed``: what was slower than pooled once, beside what is wanted of it.

A case has a ``group`` and a ``name``, what is ``wanted`` of it at most in its ``unit``, and ``measure``, which
gets the number of repeats and returns a :class:`Figure`. To add one, append to ``CASES``.
"""

from __future__ import annotations

import argparse
import platform
from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.preprocessing import (
    KBinsDiscretizer,
    QuantileTransformer,
    RobustScaler,
    SplineTransformer,
)

from benchmarks.measuring import measure
from benchmarks.tables import Pooled

RATIO = "x pooled"
TALL, WIDE = (400_000, 10), (20_000, 1000)


class Figure(NamedTuple):
    """What a case took in its unit: by the clock, and in processor time; and more in words."""

    wall: float
    processor: float | None = None
    more: str = ""


class Case(NamedTuple):
    """Something to measure, and what is wanted of it at most."""

    group: str
    name: str
    wanted: float
    measure: Callable[[int], Figure]
    unit: str = RATIO


@cache
def doubles(rows: int, columns: int) -> Pooled:
    """Return normal numbers without ties."""
    return Pooled(np.random.default_rng(0).normal(size=(rows, columns)))


def beside_pooled(shape: tuple[int, int], name: str, estimator: Any, repeats: int) -> Figure:
    """Fit ten clients' rows and the pooled ones, turn by turn."""
    pooled = doubles(*shape)
    found = measure("", name, estimator, pooled, pooled.clients(), repeats)
    processor = found.federated.cpu / found.pooled.cpu
    peaks = [f"{(arm.peak or 0) / 1e6:.0f}" for arm in (found.pooled, found.federated)]
    seconds = f"{found.pooled.wall:.2f} -> {found.federated.wall:.2f} s"
    sent = f"{found.rounds} rounds, {found.bytes_up / 1000:.0f} KB up"
    return Figure(found.ratio, processor, f"{seconds}, {' -> '.join(peaks)} MB, {sent}")


def _beside(shape: tuple[int, int], wanted: float, estimators: dict[str, Any]) -> list[Case]:
    rows, columns = shape
    group = f"{rows:,} x {columns} doubles, 10 clients"
    return [
        Case(group, name, wanted, partial(beside_pooled, shape, name, estimator))
        for name, estimator in estimators.items()
    ]


ROBUST = {"RobustScaler": RobustScaler()}
BINS = {
    "KBinsDiscretizer quantile": KBinsDiscretizer(
        strategy="quantile", quantile_method="averaged_inverted_cdf", subsample=None
    )
}
OTHERS = {
    "QuantileTransformer": QuantileTransformer(subsample=None),
    "SplineTransformer quantile": SplineTransformer(knots="quantile"),
}
CASES = [*_beside(TALL, 1.0, ROBUST | BINS | OTHERS), *_beside(WIDE, 1.5, ROBUST | BINS)]


def main() -> None:
    """Print a line for each case, as it is ready."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=__doc__)
    parser.add_argument("--repeats", type=int, default=3, help="the best of so many counts")
    parser.add_argument("--only", default="", help="only cases with this text in group or name")
    options = parser.parse_args()
    print(f"{platform.machine()}, Python {platform.python_version()}, NumPy {np.__version__}\n")
    print("| case | | today | processor time | wanted | |")
    print("| --- | --- | ---: | ---: | ---: | --- |")
    for case in CASES:
        if options.only in f"{case.group}: {case.name}":
            found = case.measure(options.repeats)
            processor = "" if found.processor is None else f"{found.processor:.2f}"
            figures = f"{found.wall:.2f} {case.unit} | {processor} | {case.wanted:g}"
            print(f"| {case.group} | {case.name} | {figures} | {found.more} |", flush=True)


if __name__ == "__main__":
    main()
