"""Fits both ways, and compares what comes out."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.preprocessing import TargetEncoder

import fedps
from experiments.consistency.cases import CASES, COLUMNS_SPLIT, Case
from experiments.consistency.rows import rows_of
from experiments.experiment import Cell, Line
from experiments.paper import DATA_SETS

CLIENTS, OWNERS = 10, 3
SEEDS = range(5)
QUICK_ROWS = 3000
MODES: dict[str, Callable[[int], dict[str, Any]]] = {
    "KLL": lambda seed: {"quantiles": fedps.KLL(k=200, seed=seed)},
    "REQ": lambda seed: {"quantiles": fedps.REQ(k=12, seed=seed)},
}


def cells(quick: bool) -> list[Cell]:
    """Return all cases on all data sets, sketches with five seeds; if quick on some rows of Adult."""
    made = []
    for where in ("adult",) if quick else DATA_SETS:
        for name, case in CASES.items():
            if case.rows == "texts" and where == "covertype":
                continue
            owned = name.endswith(COLUMNS_SPLIT)
            rows = min(case.most or QUICK_ROWS, QUICK_ROWS) if quick else case.most
            cell = {"estimator": name, "data": where, "rows": rows}
            cell["clients"] = OWNERS if owned else CLIENTS
            made.append({**cell, "mode": "exact", "seed": 0})
            for mode in MODES if case.sketched else ():
                seeds = (0,) if quick else SEEDS
                made += [{**cell, "mode": mode, "seed": seed} for seed in seeds]
    return made


def measure(cell: Cell) -> Mapping[str, Any]:
    """Return the mean squared difference between federated and pooled, and the largest one."""
    case = CASES[cell["estimator"]]
    table, labels = rows_of(cell["data"], case.rows, cell["rows"], cell["seed"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of narrow bins and iterations, in both fits
        if cell["estimator"].endswith(COLUMNS_SPLIT):
            ours = _owned(case, table, labels, cell["clients"])
        else:
            options = MODES[cell["mode"]](cell["seed"]) if cell["mode"] in MODES else {}
            ours = _federated(case, table, labels, cell["clients"], options)
        return difference(ours, _pooled(case, table, labels))


def _federated(
    case: Case, table: Any, labels: Any, clients: int, options: Mapping[str, Any]
) -> Any:
    parts = np.array_split(np.arange(len(table)), clients)
    if case.rows in ("labels", "sets", "labelled") or isinstance(case.estimator, TargetEncoder):
        held = [(table.iloc[rows], labels[rows]) for rows in parts]
    else:
        held = [table.iloc[rows] for rows in parts]
    federation = fedps.Federation(held, progress=False)
    if case.rows in ("labels", "sets"):
        return federation.fit(case.estimator).transform(labels)
    if case.compared == "coefficients":
        return federation.fit(case.estimator).coef_
    if case.compared == "predicted":
        return federation.fit(case.estimator).predict(table)
    if isinstance(case.estimator, TargetEncoder) or hasattr(case.estimator, "n_neighbors"):
        return np.vstack(federation.fit_transform(case.estimator)[1])
    return federation.fit(case.estimator, **options).transform(table)


def _owned(case: Case, table: Any, labels: Any, owners: int) -> Any:
    columns = np.array_split(np.arange(table.shape[1]), owners)
    held: list[Any] = [table.iloc[:, own] for own in columns]
    if case.compared != "transformed":
        held[0] = (held[0], labels)
    federation = fedps.Federation(held, split="columns", progress=False)
    if case.compared == "coefficients":
        return np.concatenate([part.coef_ for part in federation.fit(case.estimator).values()])
    if case.compared == "predicted":
        return federation.predict(federation.fit(case.estimator))
    outputs = federation.fit_transform(case.estimator)[1]
    side_by_side = sparse.hstack if any(map(sparse.issparse, outputs)) else np.hstack
    return side_by_side(outputs)


def _pooled(case: Case, table: Any, labels: Any) -> Any:
    pooled = clone(case.estimator)
    if case.rows in ("labels", "sets"):
        return pooled.fit(labels).transform(labels)
    if case.compared == "coefficients":
        return pooled.fit(table, labels).coef_
    if case.compared == "predicted":
        return pooled.fit(table, labels).predict(table)
    if isinstance(pooled, TargetEncoder):
        return pooled.fit_transform(table, labels)
    return pooled.fit(table).transform(table)


def difference(ours: Any, pooled: Any) -> dict[str, float]:
    """Return the mean of the squared differences of two outputs, and the largest difference."""
    apart = ours - pooled
    cells = np.asarray(apart.data if sparse.issparse(apart) else apart, dtype=np.float64)
    mean = np.square(cells).sum() / np.prod(apart.shape, dtype=float)
    return {"mse": _short(mean), "largest": _short(np.abs(cells).max(initial=0))}


def _short(number: float) -> float:
    return float(f"{number:.3g}")


def say(line: Line) -> str:
    """Return a result in a few words."""
    cell = line.cell
    return f"{cell['data']}, {cell['estimator']}, {cell['mode']}: {line.found['mse']:.2g}"
