"""How far what comes out is from pooled, as tables and sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from experiments.consistency.cases import BEYOND, CASES, COLUMNS_SPLIT, OWNED, PAPER
from experiments.experiment import Line
from experiments.markdown import called, table
from experiments.paper import CONSISTENCY, DATA_SETS, TITLES

HEADS = tuple(TITLES[where] for where in DATA_SETS)
SKETCHES = {"KLL": "`fedps.KLL(k=200)`", "REQ": "`fedps.REQ(k=12)`"}
Found = Mapping[tuple[str, str, str], list[Line]]


def by_cell(lines: Sequence[Line]) -> Found:
    """Return the lines of each estimator, mode and data set: one for each seed."""
    found: dict[tuple[str, str, str], list[Line]] = {}
    for line in lines:
        cell = line.cell
        found.setdefault((cell["estimator"], cell["mode"], cell["data"]), []).append(line)
    return found


def exact(lines: Sequence[Line]) -> list[Line]:
    """Return all results that must be those of a pooled fit."""
    return [
        line
        for line in lines
        if line.cell["mode"] == "exact" and not CASES[line.cell["estimator"]].ties
    ]


def spread(lines: Sequence[Line]) -> tuple[float, float]:
    """Return mean and standard deviation of the errors of several seeds."""
    errors = [line.found["mse"] for line in lines]
    return float(np.mean(errors)), float(np.std(errors))


def tables(lines: Sequence[Line]) -> Mapping[str, str]:
    """Return a table of the paper's rows, of sketches, of what it leaves out, and what it comes to."""
    found = by_cell(lines)
    return {
        "summary": _summary(lines),
        "exact": _exact(found),
        "sketches": _sketches(found),
        "beyond": _beyond(found, {name: name for name in BEYOND if not CASES[name].ties}),
        "columns": _beyond(found, {f"{name}{COLUMNS_SPLIT}": name for name in OWNED}),
        "ties": _ties(found),
    }


def _exact(found: Found) -> str:
    heads = ("estimator", *(f"**{head}**" for head in HEADS), *(f"paper, {h}" for h in HEADS))
    rows = [(called(name), *_errors(found, name), *_printed(name)) for name in PAPER]
    return table(heads, rows, range(1, 7))


def _errors(found: Found, name: str) -> list[str]:
    cells = (found.get((name, "exact", where)) for where in DATA_SETS)
    return ["-" if lines is None else short(lines[0].found["mse"]) for lines in cells]


def _printed(name: str) -> list[str]:
    row = CONSISTENCY[name]
    assert row.paper is not None
    texts = row.columns == "texts"
    return [
        "-" if texts and where == "covertype" else short(number)
        for where, number in zip(DATA_SETS, row.paper, strict=True)
    ]


def _sketches(found: Found) -> str:
    rows = []
    for name in (name for name, case in CASES.items() if case.sketched):
        for mode, title in SKETCHES.items():
            runs = (found.get((name, mode, where)) for where in DATA_SETS)
            rows.append(
                (called(name), title, *("-" if r is None else _pm(*spread(r)) for r in runs))
            )
        row = CONSISTENCY.get(name)
        if row is not None and row.paper is not None and row.spread is not None:
            pairs = zip(row.paper, row.spread, strict=True)
            rows.append((called(name), "the paper", *(_pm(*pair) for pair in pairs)))
    return table(("estimator", "quantiles by", *HEADS), rows, (2, 3, 4))


def _beyond(found: Found, names: Mapping[str, str]) -> str:
    rows = []
    for name, title in names.items():
        most = CASES[name].most
        rows.append((called(title), *_errors(found, name), "all" if most is None else f"{most:,}"))
    return table(("estimator", *HEADS, "rows"), rows, range(1, 5))


def _summary(lines: Sequence[Line]) -> str:
    same = exact(lines)
    if not same:
        return _largest_printed()
    zero = sum(line.found["mse"] == 0 for line in same)
    worst = max(same, key=lambda line: line.found["mse"])
    return (
        f"Of {len(same)} exact results {zero} are the pooled ones to the last bit. The largest mean "
        f"squared error of the others is **{short(worst.found['mse'])}**, of "
        f"{called(worst.cell['estimator'])} on {TITLES[worst.cell['data']]}. {_largest_printed()}"
    )


def _largest_printed() -> str:
    number, name, where = max(
        (number, name, where)
        for name, row in CONSISTENCY.items()
        for where, number in zip(DATA_SETS, row.paper or (), strict=True)
    )
    return f"The paper's largest is {short(number)}, of {called(name)} on {TITLES[where]}."


def _ties(found: Found) -> str:
    name = next(name for name, case in CASES.items() if case.ties)
    errors = ", ".join(
        f"{short(lines[0].found['mse'])} on {TITLES[where]}"
        for where in DATA_SETS
        if (lines := found.get((name, "exact", where)))
    )
    return f"On the columns as they are, the mean squared error of `KNNImputer` is {errors}."


def _pm(mean: float, deviation: float) -> str:
    return f"{short(mean)} ± {short(deviation)}"


def short(number: float) -> str:
    """Return a number to two digits."""
    if number == 0:
        return "0"
    return f"{number:.2g}" if number >= 0.001 else f"{number:.1e}".replace("e-0", "e-")
