"""Measures the cells that have no result yet, and says how far it is."""

from __future__ import annotations

import multiprocessing
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import Any

from experiments.experiment import Cell, Experiment, Line
from experiments.results import Results


def run(experiment: Experiment, cells: Sequence[Cell], results: Results, jobs: int) -> int:
    """Measure what is missing, keep the results one by one, and return how many there were."""
    results.tidy()  # a line that was cut off would swallow the next
    missing = [cell for cell in cells if cell not in results]
    done = len(cells) - len(missing)
    _say(f"{experiment.name}: {len(cells)} cells, {done} of them done before")
    started = time.monotonic()
    jobs = min(jobs, len(missing)) if experiment.parallel else 1
    measured = (
        _side_by_side(experiment.measure, missing, jobs)
        if jobs > 1
        else (_measured(experiment.measure, cell) for cell in missing)
    )
    for number, line in enumerate(measured, 1):
        results.add(line)
        each = (time.monotonic() - started) / number
        left = each * (len(missing) - number)
        _say(f"[{done + number}/{len(cells)}] {experiment.say(line)}, {_span(left)} left")
    results.tidy()
    return len(missing)


def _side_by_side(
    measure: Callable[[Cell], Mapping[str, Any]], cells: Sequence[Cell], jobs: int
) -> Iterator[Line]:
    # spawned: what compiles and starts threads must not be forked
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context) as pool:
        waiting = [pool.submit(_measured, measure, cell) for cell in cells]
        try:
            for one in as_completed(waiting):
                yield one.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _measured(measure: Callable[[Cell], Mapping[str, Any]], cell: Cell) -> Line:
    started = time.perf_counter()
    found = measure(cell)
    return Line(cell, found, round(time.perf_counter() - started, 3))


def _span(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
