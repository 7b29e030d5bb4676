"""Time and memory of a pooled and a federated fit of the same files, each in a process of its own."""

from __future__ import annotations

import multiprocessing
import resource
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.base import clone

import fedps
from benchmarks.cases import SHAPES, TAKE_NUMBERS, TAKE_PEOPLE
from benchmarks.measuring import RSS_UNIT, Taken
from experiments.experiment import Cell, Line
from experiments.scaling.making import Files, made

Fit = Callable[[Any, Files], tuple[Any, dict[str, Any]]]
KNOWN = TAKE_NUMBERS | SHAPES | TAKE_PEOPLE
ARMS = ("pooled", "federated")
PATIENCE = 6.0  # seconds after which no fit is timed again


def measure(cell: Cell) -> Mapping[str, Any]:
    """Return what both arms take for each estimator."""
    with made(cell) as (files, small):
        return {name: _compared(cell, name, files, small) for name in cell["estimators"]}


def _compared(cell: Cell, name: str, files: Files, small: Files) -> dict[str, Any]:
    """Let both arms fit turn by turn; the smallest times count, and the memory of the first fit."""
    found: dict[str, Any] = {}
    with ExitStack() as stack:
        pipes = {arm: stack.enter_context(_process(arm, name, files, small)) for arm in ARMS}
        started = time.perf_counter()
        for _ in range(cell["repeats"]):
            for arm, pipe in pipes.items():
                found[arm] = _asked(pipe, arm, name)
            if time.perf_counter() - started > PATIENCE:
                break
    rows = [found[arm].pop("rows") for arm in ARMS]
    return found | {"difference": float(np.abs(rows[0] - rows[1]).max())}


@contextmanager
def _process(arm: str, name: str, files: Files, small: Files) -> Iterator[Any]:
    """Give the pipe to a fresh process that fits each time it is asked.

    It is forked from one that has nothing but the modules: there is no past that could hide a peak,
    and no table.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs, arm, name, files, small), daemon=True)
    process.start()
    theirs.close()
    try:
        with ours:
            yield ours
    finally:
        process.join()


def _asked(pipe: Any, arm: str, name: str) -> dict[str, Any]:
    """Return what one more fit of an arm gave."""
    try:
        pipe.send("fit")
        found: dict[str, Any] = pipe.recv()
    except (EOFError, OSError):
        found = {"error": "its process ended"}
    if "error" in found:
        raise RuntimeError(f"the {arm} fit of {name} failed: {found['error']}")
    return found


def _serve(pipe: Any, arm: str, name: str, files: Files, small: Files) -> None:
    """Fit whenever asked, and send what :func:`_fits` gives, or the error."""
    fits = _fits({"pooled": _pooled, "federated": _federated}[arm], KNOWN[name], files, small)
    with suppress(EOFError):
        while pipe.recv():
            try:
                pipe.send(next(fits))
            except Exception as error:  # noqa: BLE001 - raised again where it was asked for
                pipe.send({"error": f"{type(error).__name__}: {error}"})


def _fits(fit: Fit, estimator: Any, files: Files, small: Files) -> Iterator[dict[str, Any]]:
    """Fit again and again: yield the smallest times so far, the first peak, and what the fit cost.

    With it come rows as the fit transforms them.
    """
    sample = pd.read_parquet(small.pooled)
    fit(estimator, small)  # a first fit imports and starts what later ones have
    before, taken = _peak(), Taken()
    kept: list[Any] = []
    while True:
        taken.time(lambda: kept.append(fit(estimator, files)))
        taken.peak = _peak() - before if taken.peak is None else taken.peak
        fitted, cost = kept.pop()
        rows = fitted.transform(sample)
        rows = rows.toarray() if sparse.issparse(rows) else rows
        yield _rounded(taken) | cost | {"rows": rows}


def _pooled(estimator: Any, files: Files) -> tuple[Any, dict[str, Any]]:
    """Read the whole table, and fit."""
    return clone(estimator).fit(pd.read_parquet(files.pooled)), {}


def _federated(estimator: Any, files: Files) -> tuple[Any, dict[str, Any]]:
    """Fit over the clients' files; bytes are the mean of the clients."""
    federation = fedps.Federation(files.clients, progress=False)
    fitted, run = federation.fit(estimator), federation.run
    up, down = (sum(b.values()) / len(files.clients) for b in (run.bytes_up, run.bytes_down))
    return fitted, {"rounds": run.rounds, "bytes_up": round(up), "bytes_down": round(down)}


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * RSS_UNIT


def _rounded(taken: Taken) -> dict[str, Any]:
    return asdict(taken) | {"wall": round(taken.wall, 4), "cpu": round(taken.cpu, 4)}


def say(line: Line) -> str:
    """Return the size and the ratios in a few words."""
    size = f"{line.cell['rows']:,} rows, {line.cell['columns']} columns, {line.cell['clients']} clients"
    ratios = [
        f"{name} {found['federated']['wall'] / found['pooled']['wall']:.2f}"
        for name, found in line.found.items()
    ]
    return f"{size}: federated over pooled {', '.join(ratios)}"
