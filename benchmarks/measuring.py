"""Time and memory of both arms: turn by turn, the smallest time counts."""

from __future__ import annotations

import gc
import multiprocessing
import resource
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sklearn.base import clone

import fedps
from benchmarks.tables import Pooled

QUICK = 0.030  # seconds in which a federated fit may always take as long as it likes
PATIENCE = 30.0  # seconds after which no fit is timed again
RSS_UNIT = 1 if sys.platform == "darwin" else 1024


@dataclass
class Taken:
    """The smallest wall-clock and processor time of one arm in seconds, its peak in bytes."""

    wall: float = float("inf")
    cpu: float = float("inf")
    peak: int | None = None

    def time(self, fit: Callable[[], Any]) -> None:
        """Run a fit, and keep its times if they are the smallest yet."""
        gc.collect()
        wall, cpu = time.perf_counter(), time.process_time()
        fit()
        self.cpu = min(self.cpu, time.process_time() - cpu)
        self.wall = min(self.wall, time.perf_counter() - wall)


@dataclass
class Measured:
    """What one estimator took on one table."""

    table: str
    estimator: str
    pooled: Taken
    federated: Taken
    rounds: int
    bytes_up: float

    @property
    def ratio(self) -> float:
        """Federated time over pooled time."""
        return self.federated.wall / self.pooled.wall

    @property
    def is_on_target(self) -> bool:
        """Whether the federated fit is as fast, or as good as instant."""
        return self.ratio <= 1.0 or self.federated.wall <= QUICK


def measure(
    table: str, name: str, estimator: Any, pooled: Pooled, clients: list[Any], repeats: int
) -> Measured:
    """Fit both ways, turn by turn, after the memory of each was taken in a process of its own."""

    def fit_pooled() -> Any:
        return clone(estimator).fit(pooled.X if pooled.y is None else pooled.y)

    def fit_federated() -> Any:
        federation = fedps.Federation(clients, progress=False)
        federation.fit(estimator)
        return federation.run

    arms = {fit_pooled: Taken(), fit_federated: Taken()}
    for fit, taken in arms.items():
        taken.peak = peak_of(fit)
    started = time.perf_counter()
    for _ in range(repeats):
        for fit, taken in arms.items():
            taken.time(fit)
        if time.perf_counter() - started > PATIENCE:
            break
    run = fit_federated()
    up = sum(run.bytes_up.values()) / len(run.clients)
    return Measured(table, name, arms[fit_pooled], arms[fit_federated], run.rounds, up)


def peak_of(fit: Callable[[], Any]) -> int | None:
    """Return by how many bytes a fit raises the memory of a process that already has the table.

    A forked process starts with the memory of its parent as its own peak, shares the table, and
    has no past that could hide the fit.
    """
    if "fork" not in multiprocessing.get_all_start_methods():
        return None
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    child = context.Process(target=_report_peak, args=(fit, theirs))
    child.start()
    theirs.close()
    try:
        return int(ours.recv())
    except EOFError:
        return None
    finally:
        child.join()


def _report_peak(fit: Callable[[], Any], pipe: Any) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    fit()
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    pipe.send((after - before) * RSS_UNIT)
