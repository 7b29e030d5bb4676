"""The paper's figure, ours and the floor of each estimator, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from experiments import figures
from experiments.communication.tables import printed_for
from experiments.experiment import Line
from experiments.paper import COMMUNICATION, DATA_SETS, TITLES

MARKS: dict[str, dict[str, Any]] = {
    "the paper": {"marker": "o", "color": figures.LOCAL},
    "ours": {"marker": "o", "color": figures.FEDERATED},
    "floor": {"marker": "|", "color": figures.NONE, "s": 90},
}


def draw(lines: Sequence[Line], folder: Path) -> None:
    """Write ``communication.svg``: a panel for each data set, a line for each estimator."""
    names = list(COMMUNICATION)[::-1]
    figure, axes = figures.subplots(1, 3, (10, 3.6), sharey=True, sharex=True)
    for axis, where in zip(axes[0], DATA_SETS, strict=True):
        here = [
            line for line in lines if line.cell["data"] == where and printed_for(line) is not None
        ]
        places = [names.index(line.cell["estimator"]) for line in here]
        columns = {
            "the paper": [printed_for(line) for line in here],
            "ours": [line.found["up"] / 1000 for line in here],
            "floor": [line.found["floor"] / 1000 for line in here],
        }
        axis.hlines(places, columns["ours"], columns["the paper"], color="#cccccc", linewidth=1)
        for name, numbers in columns.items():
            axis.scatter(numbers, places, label=name, zorder=3, **{"s": 26, **MARKS[name]})
        axis.set(xscale="log", title=TITLES[where], xlabel="KB sent per client")
        axis.set_yticks(range(len(names)), names)
    figure.legend(*axes[0][0].get_legend_handles_labels(), loc="lower left", ncols=3)
    figure.tight_layout(rect=(0, 0.05, 1, 1))
    figures.save(figure, folder, "communication")
