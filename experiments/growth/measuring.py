"""The sizes that are measured, and the bytes of a fit on tables of that size."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

import fedps
from experiments.experiment import Cell, Line
from experiments.growth.making import clients_of
from experiments.growth.statistics import STATISTICS

AXES = {
    "rows": (100, 1000, 10_000, 30_000, 100_000),
    "columns": (2, 10, 100, 300, 1000),
    "categories": (10, 100, 1000, 3000, 10_000),
    "clients": (2, 10, 30, 100, 300),
}
# what stays the same along an axis
OTHERS = {
    "rows": {"columns": 2, "categories": 20, "clients": 10},
    "columns": {"rows": 1000, "categories": 20, "clients": 3},
    "categories": {"rows": 20_000, "columns": 1, "clients": 3},
    "clients": {"rows": 1000, "columns": 2, "categories": 20},
}
OWNERS = 3
QUICK = {
    "rows": (100, 1000),
    "columns": (2, 10),
    "categories": (10, 1000),
    "clients": (2, 10),
}


def cells(quick: bool) -> list[Cell]:
    """Return every statistic along every axis that the paper says something of."""
    made = []
    for along, sizes in (QUICK if quick else AXES).items():
        for name, statistic in STATISTICS.items():
            most = statistic.most.get(along, max(sizes))
            for data in statistic.data if along in statistic.claims else ():
                others = _others(along, data)
                made += [
                    {"statistic": name, "data": data, "along": along, **others, along: size}
                    for size in sizes
                    if size <= most
                ]
    return made


def _others(along: str, data: str) -> dict[str, int]:
    others = {**OTHERS[along], **({"clients": OWNERS} if data == "owners" else {})}
    if data != "texts":
        others.pop("categories", None)
    return others


def measure(cell: Cell) -> Mapping[str, Any]:
    """Return the bytes of a client on average, and the rounds."""
    statistic = STATISTICS[cell["statistic"]]
    sizes = {name: cell[name] for name in AXES if name in cell}
    clients = clients_of(cell["data"], **sizes)
    split: Literal["rows", "columns"] = "columns" if cell["data"] == "owners" else "rows"
    federation = fedps.Federation(clients, split=split, progress=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of narrow bins, as in a pooled fit
        if cell["data"] == "holes":
            federation.fit_transform(statistic.estimator)
        else:
            federation.fit(statistic.estimator, **statistic.options)
    run = federation.run
    return {"up": round(float(np.mean(list(run.bytes_up.values())))), "rounds": run.rounds}


def say(line: Line) -> str:
    """Return a result in a few words."""
    cell = line.cell
    size = f"{cell[cell['along']]} {cell['along']}"
    return f"{cell['statistic']}, {cell['data']}, {size}: {line.found['up'] / 1000:.2f} KB up"
