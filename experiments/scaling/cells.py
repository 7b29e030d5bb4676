"""The sizes that are measured: one of rows, columns and clients grows, the others stay."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from experiments.experiment import Cell, Line

# what is fitted on which table; the estimators are those of the benchmarks
ESTIMATORS = {
    "numbers": ("StandardScaler", "RobustScaler", "KBinsDiscretizer quantile"),
    "people": ("ColumnTransformer impute-scale, encode",),
}
SEED = 0


class Size(NamedTuple):
    """The rows of all clients together, their columns, and the clients."""

    rows: int
    columns: int
    clients: int


# the size from which each axis starts, and what it grows to
FULL = {
    "rows": (Size(10_000, 10, 10), (100_000, 1_000_000, 10_000_000)),
    "columns": (Size(20_000, 10, 10), (100, 500, 2000)),
    "clients": (Size(1_000_000, 10, 1), (10, 100, 1000)),
}
SMALL = {
    "rows": (Size(1000, 5, 2), (4000,)),
    "columns": (Size(1000, 5, 2), (20,)),
    "clients": (Size(1000, 5, 2), (20,)),
}


def cells(quick: bool) -> Sequence[Cell]:
    """Return a cell for each size and table; a size that is on two axes is measured once."""
    axes: dict[Size, list[str]] = {}
    for axis, (start, sizes) in (SMALL if quick else FULL).items():
        for size in (start, *(start._replace(**{axis: number}) for number in sizes)):
            axes.setdefault(size, []).append(axis)
    return [
        {"table": table, "estimators": list(fitted[:1] if quick else fitted), **size._asdict()}
        | {"axes": on, "repeats": 1 if quick else 5, "seed": SEED}
        for size, on in axes.items()
        for table, fitted in ESTIMATORS.items()
    ]


def along(lines: Sequence[Line], axis: str) -> dict[str, list[Line]]:
    """Return the lines of one axis by estimator, from small to large."""
    ours = [line for line in lines if axis in line.cell["axes"]]
    ours.sort(key=lambda line: line.cell[axis])
    names = [name for fitted in ESTIMATORS.values() for name in fitted]
    found = {name: [line for line in ours if name in line.found] for name in names}
    return {name: of for name, of in found.items() if of}
