"""The errors of sketches, ours and the paper's."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from experiments import figures
from experiments.consistency.tables import by_cell, spread
from experiments.experiment import Line
from experiments.paper import CONSISTENCY, DATA_SETS, TITLES


def draw(lines: Sequence[Line], folder: Path) -> None:
    """Write ``consistency.svg``: a panel for each data set, a line for each estimator."""
    found = by_cell(lines)
    names = [name for name in CONSISTENCY if (name, "KLL", DATA_SETS[0]) in found][::-1]
    figure, axes = figures.subplots(1, 3, (10, 2.6), sharey=True, sharex=True)
    for axis, where in zip(axes[0], DATA_SETS, strict=True):
        place = DATA_SETS.index(where)
        printed = [row.paper[place] for row in map(CONSISTENCY.__getitem__, names) if row.paper]
        axis.scatter(printed, range(len(names)), color=figures.LOCAL, label="the paper, KLL")
        for mode, colour in (("REQ", figures.NONE), ("KLL", figures.FEDERATED)):
            there = [i for i, name in enumerate(names) if (name, mode, where) in found]
            errors = [spread(found[names[i], mode, where])[0] for i in there]
            axis.scatter(errors, there, color=colour, label=f"ours, {mode}")
        axis.set(xscale="log", title=TITLES[where], xlabel="mean squared error")
        axis.set_yticks(range(len(names)), names)
        axis.margins(y=0.15)
    figure.legend(*axes[0][0].get_legend_handles_labels(), loc="lower left", ncols=3, fontsize=8)
    figure.tight_layout(rect=(0, 0.06, 1, 1))
    figures.save(figure, folder, "consistency")
