"""How bytes grow: exponents over the last factor of ten, beside those of the paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from experiments.experiment import Line
from experiments.growth.measuring import AXES
from experiments.growth.statistics import STATISTICS
from experiments.markdown import table

QUARTILES = (1000, 10_000, 100_000)
Curve = list[tuple[int, float]]


def curves(lines: Sequence[Line]) -> dict[tuple[str, str, str], Curve]:
    """Return sizes and bytes of each statistic, kind of data and axis."""
    found: dict[tuple[str, str, str], Curve] = {}
    for line in lines:
        cell = line.cell
        key = (cell["statistic"], cell["data"], cell["along"])
        found.setdefault(key, []).append((cell[cell["along"]], line.found["up"]))
    return {key: sorted(curve) for key, curve in found.items()}


def exponent(curve: Curve) -> float | None:
    """Return the slope of log bytes over log size, over the last factor of ten; None of one point."""
    last = [(size, sent) for size, sent in curve if size * 10 >= curve[-1][0]]
    if len(last) < 2:
        last = curve[-2:]
    if len(last) < 2:
        return None
    sizes, sent = np.log(np.array(last, dtype=float)).T
    return float(np.polyfit(sizes, sent, 1)[0])


def tables(lines: Sequence[Line]) -> Mapping[str, str]:
    """Return the table of exponents, and what quartiles of one continuous column cost."""
    found = curves(lines)
    rows = []
    for name, statistic in STATISTICS.items():
        for data in statistic.data:
            cells = [
                _cell(found.get((name, data, along)), statistic.claims.get(along)) for along in AXES
            ]
            kind = "rows with holes" if data == "holes" else data
            kind = "continuous" if data == "owners" else kind
            rows.append((name, kind, statistic.cost, *cells))
    heads = ("statistic", "data", "the paper's cost", *(f"with {along}" for along in AXES))
    made = {"exponents": table(heads, rows, range(3, 3 + len(AXES)))}
    costs = dict(found.get(("quartiles, exact", "continuous", "rows"), []))
    if set(QUARTILES) <= set(costs):
        made["quartiles"] = _quartiles(lines)
    return made


def _cell(curve: Curve | None, claim: float | None) -> str:
    slope = None if curve is None else exponent(curve)
    if slope is None or claim is None:
        return "-"
    # no -0.00
    return f"**{round(slope, 2) + 0.0:.2f}** / {claim:g}"


def _quartiles(lines: Sequence[Line]) -> str:
    """Return the cost of the quartiles of one column: what is sent for all, over their number."""
    sent = {}
    for line in lines:
        cell = line.cell
        if (cell["statistic"], cell["along"]) in {
            ("quartiles, exact", "rows"),
            ("quartiles, KLL", "rows"),
        }:
            key = (cell["rows"], cell["statistic"], cell["data"])
            sent[key] = f"{line.found['up'] / cell['columns'] / 1000:.1f}"
    columns = (
        ("quartiles, exact", "continuous"),
        ("quartiles, exact", "whole numbers"),
        ("quartiles, KLL", "continuous"),
    )
    rows = [(f"{rows:,}", *(sent[rows, *column] for column in columns)) for rows in QUARTILES]
    heads = (
        "rows per client",
        "KB sent, exact, continuous",
        "exact, whole numbers",
        "KLL (k = 200), continuous",
    )
    return table(heads, rows, range(4))
