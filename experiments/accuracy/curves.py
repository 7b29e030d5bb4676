"""Figures 3 to 8 of the paper: accuracy round by round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from experiments import figures
from experiments.accuracy.grid import ARMS, CLIENTS, DATA_SETS, MODELS, PARTITIONS
from experiments.accuracy.summary import Key, Summary, summaries
from experiments.accuracy.tables import TITLES
from experiments.experiment import Line

COLOURS = dict(zip(ARMS, (figures.NONE, figures.LOCAL, figures.FEDERATED), strict=True))
TITLES_OF_PARTITIONS = dict(zip(PARTITIONS, ("IID", "Label skew", "Feature skew"), strict=True))
NAMES = {"no": "no preprocessing", "local": "local", "federated": "federated"}


def draw(lines: Sequence[Line], folder: Path) -> None:
    """Write a figure per partition and number of clients, as far as there are results."""
    found = summaries(lines)
    for partition, clients in product(PARTITIONS, CLIENTS):
        if any(key[1:3] == (clients, partition) for key in found):
            _figure(found, partition, clients, folder)


def _figure(found: Mapping[Key, Summary], partition: str, clients: int, folder: Path) -> None:
    figure, axes = figures.subplots(2, 3, (10, 5.4), sharex=True)
    for (row, model), (column, data) in product(enumerate(MODELS), enumerate(DATA_SETS)):
        axis = axes[row, column]
        for arm in ARMS:
            summary = found.get((data, clients, partition, model, arm))
            if summary is not None:
                _curve(axis, summary, arm)
        axis.set_title(f"{TITLES[data]}, {model}", fontsize=10)
        if row == 1:
            axis.set_xlabel("round")
        if column == 0:
            axis.set_ylabel("test accuracy")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.suptitle(f"{TITLES_OF_PARTITIONS[partition]}, {clients} clients", y=0.99, fontsize=11)
    figure.legend(handles, labels, loc="upper center", ncols=3, bbox_to_anchor=(0.5, 0.955))
    figure.tight_layout(rect=(0, 0, 1, 0.93))
    figures.save(figure, folder, f"accuracy-{partition.replace(' ', '-')}-{clients}")


def _curve(axis: Any, summary: Summary, arm: str) -> None:
    """Draw the mean over seeds, and one standard deviation to both sides."""
    mean, spread = summary.accuracies.mean(axis=0), summary.accuracies.std(axis=0)
    rounds = np.arange(1, len(mean) + 1)
    axis.plot(rounds, mean, color=COLOURS[arm], linewidth=1.4, label=NAMES[arm])
    axis.fill_between(
        rounds, mean - spread, mean + spread, color=COLOURS[arm], alpha=0.2, linewidth=0
    )
