"""``python -m benchmarks.clusters``: k-means, of rows and of single columns, beside pooled scikit-learn.

A case has a ``group`` and a ``name``, what is ``wanted`` of it at most in its ``unit``, and ``measure``, which
gets the number of repeats and returns a :class:`Figure`.
"""

from __future__ import annotations

import argparse
import platform
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.cluster import KMeans
from sklearn.preprocessing import KBinsDiscretizer

from benchmarks.measuring import measure
from benchmarks.tables import Pooled

RATIO = "x pooled"
STEPS = 22  # of k-means: with the means and the last clusters, 24 rounds


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


def beside_pooled(make: Callable[[], tuple[Any, Any]], repeats: int) -> Figure:
    """Fit ten clients' rows and the pooled ones, turn by turn."""
    estimator, X = make()
    pooled = Pooled(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it did not converge
        found = measure("", "", estimator, pooled, pooled.clients(), repeats)
    processor = found.federated.cpu / found.pooled.cpu
    arms = (found.pooled, found.federated)
    each = [f"{arm.wall:.2f} s ({arm.cpu:.2f} s of processors)" for arm in arms]
    peaks = [f"{(arm.peak or 0) / 1e6:.0f}" for arm in arms]
    sent = f"{found.rounds} rounds, {found.bytes_up / 1000:.1f} KB up"
    return Figure(found.ratio, processor, f"{' -> '.join(each)}, {' -> '.join(peaks)} MB, {sent}")


def rows_around_nothing() -> tuple[Any, Any]:
    """Return k-means from given centres, and rows without clusters: it would go on for long."""
    X = np.random.default_rng(0).normal(size=(100_000, 10))
    return KMeans(8, init=X[:8], n_init=1, max_iter=STEPS), X


def skewed_columns() -> tuple[Any, Any]:
    """Return bins by k-means, and skewed columns without ties: about a hundred steps."""
    X = np.random.default_rng(0).lognormal(size=(400_000, 10))
    return KBinsDiscretizer(strategy="kmeans", subsample=None), X


def columns() -> tuple[Any, Any]:
    """Return bins by k-means, and normal columns."""
    X = np.random.default_rng(0).normal(size=(400_000, 10))
    return KBinsDiscretizer(strategy="kmeans", subsample=None), X


ROWS, COLUMNS = "100,000 x 10 doubles, 10 clients", "400,000 x 10 doubles, 10 clients"
CASES = [
    Case(ROWS, "KMeans(8), given centres", 2.0, partial(beside_pooled, rows_around_nothing)),
    Case(COLUMNS, "KBinsDiscretizer kmeans, normal", 0.5, partial(beside_pooled, columns)),
    Case(COLUMNS, "KBinsDiscretizer kmeans, skewed", 0.5, partial(beside_pooled, skewed_columns)),
]


def main() -> None:
    """Print a line for each case, as it is ready."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.clusters", description=__doc__)
    parser.add_argument("--repeats", type=int, default=3, help="the best of so many counts")
    parser.add_argument("--only", default="", help="only cases with this text in group or name")
    options = parser.parse_args()
    print(f"{platform.machine()}, Python {platform.python_version()}, NumPy {np.__version__}\n")
    print("| case | | today | processor time | wanted | |")
    print("| --- | --- | ---: | ---: | ---: | --- |")
    for case in CASES:
        if options.only in f"{case.group}: {case.name}":
            found = case.measure(options.repeats)
            figures = f"{found.wall:.2f} {case.unit} | {found.processor:.2f} | {case.wanted:g}"
            print(f"| {case.group} | {case.name} | {figures} | {found.more} |", flush=True)


if __name__ == "__main__":
    main()
