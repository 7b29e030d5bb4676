"""``python -m benchmarks.missing``: imputers across the four heart-disease hospitals, as tables.

What each costs and shows, how far it is from the pooled fit, and how well it fills cells that were hidden
from it: fitted across the hospitals, and at each hospital alone.
"""

from __future__ import annotations

import time
import warnings
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.experimental import enable_iterative_imputer  # noqa: F401 (brings the class in)
from sklearn.impute import IterativeImputer, KNNImputer, SimpleImputer
from sklearn.metrics.pairwise import nan_euclidean_distances
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import fedps
from benchmarks import data

Tables = dict[str, pd.DataFrame]

IMPUTERS: dict[str, Any] = {
    "`SimpleImputer()`": SimpleImputer(),
    '`SimpleImputer(strategy="median")`': SimpleImputer(strategy="median"),
    "`KNNImputer()`": make_pipeline(StandardScaler(), KNNImputer()),
    "`IterativeImputer()`": make_pipeline(StandardScaler(), IterativeImputer()),
}
LEVELS = ("-", "AGGREGATE", "SUMMARY", "ROWS")
HIDDEN = 0.1
DRAWS = 10
REPEATS = 3
HALF = 0.5
SAME = 1e-9  # in standard deviations


class Arm(NamedTuple):
    """Tables with their gaps filled, and how long that took."""

    tables: Tables
    seconds: float
    run: fedps.Run | None = None


def federated(imputer: Any, tables: Tables) -> Arm:
    """Fill gaps by an imputer that is fitted across all tables."""
    federation = fedps.Federation(tables, progress=False)
    fitted, filled = federation.fit_transform(_frames(imputer))
    in_units = {name: _in_units(fitted, filled[name], tables[name]) for name in tables}
    return Arm(in_units, federation.run.seconds, federation.run)


def pooled(imputer: Any, tables: Tables) -> Arm:
    """Fill gaps by an imputer that is fitted on the rows of all tables put together."""
    rows = pd.concat(tables.values(), keys=tables.keys())
    started = time.perf_counter()
    fitted = _frames(imputer)
    filled = fitted.fit_transform(rows)
    seconds = time.perf_counter() - started
    filled = _in_units(fitted, filled, rows)
    return Arm({name: filled.loc[name] for name in tables}, seconds)


def alone(imputer: Any, tables: Tables) -> Arm:
    """Fill gaps of each table by an imputer of its own; what it has nothing for stays missing."""
    arms = {name: pooled(imputer, {name: table}) for name, table in tables.items()}
    filled = {name: arm.tables[name] for name, arm in arms.items()}
    return Arm(filled, sum(arm.seconds for arm in arms.values()))


def _frames(imputer: Any) -> Any:
    return clone(imputer).set_output(transform="pandas")


def _in_units(fitted: Any, filled: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """Return filled rows in the units of the table: an imputer behind a scaler has others."""
    filled = filled.reindex(columns=table.columns)  # it leaves out columns without any cells
    if not hasattr(fitted, "named_steps"):
        return filled
    scaler = fitted.named_steps["standardscaler"]
    return filled * scaler.scale_ + scaler.mean_


def hide(tables: Tables, seed: int) -> Tables:
    """Return the tables with a share of the cells taken out that are not missing."""
    rng = np.random.default_rng(seed)
    return {name: table.mask(rng.random(table.shape) < HIDDEN) for name, table in tables.items()}


def deviations(tables: Tables) -> pd.Series:
    """Return the standard deviation of each column over all tables."""
    return pd.concat(tables.values()).std(ddof=0)


def differences(imputer: Any, tables: Tables) -> tuple[Arm, Arm, np.ndarray]:
    """Return both arms, and how far apart they fill each gap, in standard deviations."""
    ours, theirs = federated(imputer, tables), pooled(imputer, tables)
    apart = [(ours.tables[name] - theirs.tables[name]).abs() for name in tables]
    return ours, theirs, (pd.concat(apart) / deviations(tables)).to_numpy()


def ties(tables: Tables, neighbours: int = 5) -> np.ndarray:
    """Return which gaps have equally far rows, of which only some are among the nearest."""
    rows = StandardScaler().fit_transform(pd.concat(tables.values()))
    gaps = np.isnan(rows)
    distances = np.sort(
        np.where(gaps[None], np.inf, nan_euclidean_distances(rows, rows)[..., None]), axis=1
    )
    step = distances[:, neighbours] - distances[:, neighbours - 1]
    return np.asarray(gaps & (step <= SAME))


class Errors(NamedTuple):
    """The root mean squared error of each arm, in standard deviations, and of how many cells."""

    alone: float
    federated: float
    pooled: float
    cells: int


def errors(imputer: Any, tables: Tables, draws: int = DRAWS) -> tuple[Errors, Errors]:
    """Return how well hidden cells are filled that every arm can fill.

    First in columns of which a hospital has at least half of the cells, then in the others.
    """
    unit = deviations(tables)
    squares, scarce = [], []
    for seed in range(draws):
        left = hide(tables, seed)
        arms = [arm(imputer, left).tables for arm in (alone, federated, pooled)]
        for name, table in tables.items():
            hidden = (left[name].isna() & table.notna()).to_numpy()
            found = [((arm[name] - table) / unit).to_numpy()[hidden] ** 2 for arm in arms]
            squares.append(np.column_stack(found))
            rare = (table.isna().mean() > HALF).to_numpy()
            scarce.append(np.broadcast_to(rare, hidden.shape)[hidden])
    every, rare = np.concatenate(squares), np.concatenate(scarce)
    filled = ~np.isnan(every).any(axis=1)
    return _errors(every[filled & ~rare]), _errors(every[filled & rare])


def _errors(squares: np.ndarray) -> Errors:
    return Errors(*np.sqrt(squares.mean(axis=0)).tolist(), len(squares))


def costs_table(tables: Tables, repeats: int = REPEATS) -> str:
    """Return the table of costs, levels and differences, as Markdown; the smallest times count."""
    lines = [
        "| imputer | rounds | KB sent | KB received | level | seconds, pooled | other cells, by at most |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name, imputer in IMPUTERS.items():
        times = [differences(imputer, tables) for _ in range(repeats)]
        ours, theirs = (min(time[arm].seconds for time in times) for arm in (0, 1))
        run, apart = times[0][0].run, times[0][2]
        assert run is not None
        level = max((ask.level for ask in run.asks), key=LEVELS.index)
        most = f"{(apart > SAME).sum()}, {apart.max():.1g}" if apart.max() else "none"
        lines.append(
            f"| {name} | {run.rounds} | {_kb(run.bytes_up)} | {_kb(run.bytes_down)} | {level} "
            f"| {ours:.2f}, {theirs:.2f} | {most} |"
        )
    return "\n".join(lines)


def _kb(sizes: dict[str, int]) -> str:
    return f"{sum(sizes.values()) / len(sizes) / 1000:.2g}"


def errors_table(tables: Tables) -> str:
    """Return the table of errors, as Markdown: columns that are mostly there, then the others."""
    found = {name: errors(imputer, tables) for name, imputer in IMPUTERS.items()}
    there, rare = (some.cells for some in next(iter(found.values())))
    head = " | ".join(f"{arm}, {kind}" for kind in ("there", "rare") for arm in Errors._fields[:3])
    lines = [
        f"{there:,} hidden cells of columns that are mostly there, {rare:,} of columns that are rare:",
        "",
        f"| imputer | {head} |",
        "| --- " * 7 + "|",
    ]
    for name, kinds in found.items():
        numbers = (f"{error:.2f}" for some in kinds for error in some[:3])
        lines.append(f"| {name} | {' | '.join(numbers)} |")
    return "\n".join(lines)


def ties_told(tables: Tables) -> str:
    """Return a sentence on the cells that nearest rows fill otherwise than the pooled fit."""
    _, _, apart = differences(IMPUTERS["`KNNImputer()`"], tables)
    other, tied = apart > SAME, ties(tables)
    gaps = sum(int(table.isna().to_numpy().sum()) for table in tables.values())
    return (
        f"Of {gaps:,} missing cells {tied.sum()} have ties at the fifth neighbour. `KNNImputer` fills "
        f"{other.sum()} cells otherwise than pooled, {(other & ~tied).sum()} of them without a tie."
    )


def report() -> None:
    """Print both tables, and what is to be said of ties."""
    tables = data.hospitals()
    with warnings.catch_warnings():
        # a hospital alone has columns without any cells, of which scikit-learn warns each time
        warnings.simplefilter("ignore")
        print(costs_table(tables), ties_told(tables), errors_table(tables), sep="\n\n")


if __name__ == "__main__":
    report()
