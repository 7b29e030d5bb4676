"""``python -m benchmarks.models``: models and learned imputers beside pooled scikit-learn.

Ten clients of rows, or three owners of columns, in process; continuous made-up columns. Times are
the best of some, federated over pooled in the same run; memory is the peak above the start of a fit.
"""

from __future__ import annotations

import argparse
import time
import tracemalloc
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from sklearn.cluster import KMeans
from sklearn.experimental import enable_iterative_imputer  # noqa: F401 (brings the class in)
from sklearn.impute import IterativeImputer, KNNImputer
from sklearn.linear_model import BayesianRidge
from sklearn.neighbors import KNeighborsRegressor

import fedps

CLIENTS, OWNERS = 10, 3


class Case(NamedTuple):
    """What is measured: both ways to do the same, and the federation that one of them asks."""

    name: str
    pooled: Callable[[], Any]
    federated: Callable[[], Any]
    federation: fedps.Federation


def made_up(rows: int, columns: int, missing: float = 0.0) -> tuple[Any, Any]:
    """Return correlated columns, some cells missing, and a target."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, columns)) @ rng.normal(size=(columns, columns))
    y = X @ rng.normal(size=columns) + rng.normal(size=rows)
    X[rng.random(X.shape) < missing] = np.nan
    return X, y


def cases(scale: float) -> Iterator[Case]:
    """Yield all that is measured; ``scale`` is the share of the rows."""
    X, y = made_up(int(100_000 * scale), 20)
    rows = fedps.Federation(
        list(zip(np.array_split(X, CLIENTS), np.array_split(y, CLIENTS), strict=True))
    )
    owners = fedps.Federation(_owned(X, y), split="columns")
    yield _fit("BayesianRidge", BayesianRidge(), rows, X, y)
    yield _fit("BayesianRidge, columns", BayesianRidge(), owners, X, y)
    yield _fit("KMeans, 8 given centres", KMeans(8, init=X[:8], n_init=1), rows, X, y)
    yield _fit("KMeans, k-means++", KMeans(8, random_state=0), rows, X, y)
    few, labels = X[: int(20_000 * scale)], y[: int(20_000 * scale)]
    queries = X[-int(2000 * scale) :]
    near = fedps.Federation(
        list(zip(np.array_split(few, CLIENTS), np.array_split(labels, CLIENTS), strict=True))
    )
    fitted, pooled = near.fit(KNeighborsRegressor()), KNeighborsRegressor().fit(few, labels)
    yield Case(
        "KNeighborsRegressor.predict",
        lambda: pooled.predict(queries),
        lambda: near.predict(fitted, queries),
        near,
    )
    gaps, _ = made_up(int(20_000 * scale), 10, missing=0.05)
    yield _fit_transform(
        "KNNImputer", KNNImputer(), fedps.Federation(np.array_split(gaps, CLIENTS)), gaps
    )
    across = fedps.Federation(_owned(gaps), split="columns")
    yield _fit_transform("KNNImputer, columns", KNNImputer(), across, gaps)
    holes, _ = made_up(int(50_000 * scale), 10)
    holes[:, :3][np.random.default_rng(1).random((len(holes), 3)) < 0.1] = np.nan
    split = fedps.Federation(np.array_split(holes, CLIENTS))
    yield _fit_transform("IterativeImputer", IterativeImputer(), split, holes)
    across = fedps.Federation(_owned(holes), split="columns")
    yield _fit_transform("IterativeImputer, columns", IterativeImputer(), across, holes)


def _owned(X: Any, y: Any = None) -> list[Any]:
    first, *others = np.array_split(X, OWNERS, axis=1)
    return [first if y is None else (first, y), *others]


def _fit(name: str, model: Any, federation: fedps.Federation, X: Any, y: Any) -> Case:
    return Case(name, lambda: model.fit(X, y), lambda: federation.fit(model), federation)


def _fit_transform(name: str, imputer: Any, federation: fedps.Federation, X: Any) -> Case:
    return Case(
        name,
        lambda: imputer.fit_transform(X),
        lambda: federation.fit_transform(imputer),
        federation,
    )


def best(work: Callable[[], Any], repeats: int) -> tuple[float, float]:
    """Return the shortest time in seconds, and the peak of memory in MB."""
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return min(times), peak / 1e6


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.models", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows, once")
    quick = parser.parse_args().quick
    warnings.simplefilter("ignore")
    print(
        f"{'':30}{'pooled':>10}{'federated':>11}{'ratio':>8}{'peak memory':>20}{'rounds':>8}{'KB up':>10}"
    )
    for case in cases(0.1 if quick else 1.0):
        pooled, one = best(case.pooled, 1 if quick else 3)
        federated, other = best(case.federated, 1 if quick else 3)
        run = case.federation.run
        sent = np.mean(list(run.bytes_up.values())) / 1000
        print(
            f"{case.name:30}{pooled:8.2f} s{federated:9.2f} s{federated / pooled:8.2f}"
            f"{f'{one:.0f} -> {other:.0f} MB':>20}{run.rounds:8}{sent:10.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
