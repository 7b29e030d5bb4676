"""The paper's Figure 1: two clients whose local standardisation destroys what separates the labels.

Clients A and B have other shares of two labels. One line parts the labels of all rows. It still does
after a federated standardisation, which moves and stretches all rows alike; after local ones none
does, since each client moves its own rows by its own mean.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import linprog
from sklearn.preprocessing import StandardScaler

import fedps
from experiments.experiment import Cell, Experiment, Line
from experiments.figures import FEDERATED, LOCAL, save, subplots
from experiments.markdown import table

WAYS = {
    "raw": "Raw",
    "local": "Local standardisation",
    "federated": "Federated standardisation",
}
CENTRES = np.array([[2.0, 3.0], [5.0, 6.0]])  # of the two labels
SPREAD = 0.6
Points = dict[str, np.ndarray]


def cells(quick: bool) -> list[Cell]:  # noqa: ARG001 - as every experiment has it
    """Return the one example, quick as it is."""
    return [{"rows": 60, "share": 0.9, "seed": 1}]


def labels(cell: Cell) -> Points:
    """Return each client's labels: A has a large share of 0, B of 1."""
    many = round(cell["rows"] * cell["share"])
    ones = np.arange(cell["rows"]) >= many
    return {"A": ones.astype(int), "B": 1 - ones}


def points(cell: Cell) -> Points:
    """Return each client's rows, around the centres of their labels."""
    rng = np.random.default_rng(cell["seed"])
    return {
        name: CENTRES[own] + SPREAD * rng.normal(size=(len(own), 2))
        for name, own in labels(cell).items()
    }


def prepared(raw: Points, way: str) -> Points:
    """Return the rows as they are, or standardised in one of two ways."""
    if way == "raw":
        return raw
    if way == "local":
        return {name: StandardScaler().fit_transform(rows) for name, rows in raw.items()}
    fitted = fedps.Federation(raw, progress=False).fit(StandardScaler())
    return {name: fitted.transform(rows) for name, rows in raw.items()}


def is_separable(rows: np.ndarray, label: np.ndarray) -> bool:
    """Return whether a line has all rows of one label on one side: a linear program has a solution."""
    sides = np.where(label == 1, 1.0, -1.0)[:, None]
    planes = -sides * np.column_stack([rows, np.ones(len(rows))])
    found = linprog(np.zeros(3), planes, -np.ones(len(rows)), bounds=(None, None))
    return bool(found.status == 0)


def best_accuracy(rows: np.ndarray, label: np.ndarray) -> float:
    """Return the largest share of rows that any line gets right.

    A best line can be moved until it meets two rows, and turned a little so that both are right: it
    is enough to look at the lines through all pairs.
    """
    best = 0
    for i, j in combinations(range(len(rows)), 2):
        (x, y), (across, up) = rows[i], rows[j] - rows[i]
        above = (rows[:, 1] - y) * across > (rows[:, 0] - x) * up
        right = np.delete(above == (label == 1), [i, j]).sum()
        best = max(best, right, len(rows) - 2 - right)
    return (best + 2) / len(rows)


def measure(cell: Cell) -> Mapping[str, Any]:
    """Return whether a line parts the labels, and what the best line gets right, each way."""
    raw, label = points(cell), np.concatenate(list(labels(cell).values()))
    found: dict[str, Any] = {}
    for way in WAYS:
        rows = np.concatenate(list(prepared(raw, way).values()))
        found[way] = {
            "separable": is_separable(rows, label),
            "accuracy": round(best_accuracy(rows, label), 4),
        }
    pooled = StandardScaler().fit_transform(np.concatenate(list(raw.values())))
    federated = np.concatenate(list(prepared(raw, "federated").values()))
    return found | {"from_pooled": float(np.abs(federated - pooled).max())}


def tables(lines: Sequence[Line]) -> Mapping[str, str]:
    """Return the findings as a table, and in words."""
    (line,) = lines
    found, cell = line.found, line.cell
    rows = [
        [name, _yes(found[way]["separable"]), f"{found[way]['accuracy']:.1%}"]
        for way, name in WAYS.items()
    ]
    share = f"{cell['share']:.0%}"
    words = (
        f"Two clients with {cell['rows']} rows each; {share} of A's rows have the one label and "
        f"{share} of B's the other. {_verdict('The raw rows', found['raw'])} "
        f"{_verdict('After local standardisation the rows', found['local'])} "
        f"{_verdict('After federated standardisation they', found['federated'])} "
        f"It is the pooled standardisation to within {found['from_pooled']:.0e}."
    )
    heads = ("rows", "linearly separable", "best line gets right")
    return {"table": table(heads, rows, numbers=(2,)), "words": words}


def _yes(is_so: bool) -> str:
    return "yes" if is_so else "no"


def _verdict(who: str, found: Mapping[str, Any]) -> str:
    if found["separable"]:
        return f"{who} are linearly separable."
    return f"{who} are not: the best of all lines gets {found['accuracy']:.1%} of them right."


def draw(lines: Sequence[Line], folder: Path) -> None:
    """Draw the rows of both clients, each way."""
    (line,) = lines
    figure, (axes,) = subplots(1, len(WAYS), (9.6, 3.5))
    own = labels(line.cell)
    for axis, (way, title) in zip(axes, WAYS.items(), strict=True):
        for client, rows in prepared(points(line.cell), way).items():
            for label, colour in enumerate((FEDERATED, LOCAL)):
                here = rows[own[client] == label]
                look = {"marker": "o" if client == "A" else "^", "s": 22, "linewidths": 1.0}
                face = colour if client == "A" else "white"
                name = f"client {client}, label {label}"
                axis.scatter(*here.T, facecolors=face, edgecolors=colour, label=name, **look)
        found = line.found[way]
        says = "separable" if found["separable"] else "not separable"
        axis.set_title(f"{title}\n{says}, best line {found['accuracy']:.1%}", fontsize=9)
        axis.set_xlabel("feature 1")
    axes[0].set_ylabel("feature 2")
    handles, names = axes[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="lower center", ncols=4)
    figure.tight_layout(rect=(0, 0.07, 1, 1))
    save(figure, folder, "separability")


def say(line: Line) -> str:
    """Return the findings in a few words."""
    return ", ".join(f"{way} {line.found[way]['accuracy']:.1%}" for way in WAYS)


EXPERIMENT = Experiment("separability", cells, measure, tables, draw, say)
