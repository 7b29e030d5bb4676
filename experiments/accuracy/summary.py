"""What the seeds of a cell come to: mean and standard deviation, beside the paper's figure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from experiments.accuracy.paper import PAPER
from experiments.experiment import Line

Key = tuple[str, int, str, str, str]
"""Data, clients, partition, model and arm."""


@dataclass(frozen=True)
class Summary:
    """The accuracies of a cell: a line per seed, a column per round."""

    key: Key
    accuracies: np.ndarray

    @property
    def mean(self) -> float:
        """The mean over seeds after the last round."""
        return float(self.accuracies[:, -1].mean())

    @property
    def deviation(self) -> float:
        """The standard deviation over seeds after the last round."""
        return float(self.accuracies[:, -1].std())

    @property
    def paper(self) -> float:
        """The paper's figure, which has two digits."""
        return PAPER[self.key]

    @property
    def above(self) -> float:
        """How far the mean is above the paper's figure."""
        return self.mean - self.paper


def summaries(lines: Sequence[Line]) -> dict[Key, Summary]:
    """Return the summary of every cell that has results."""
    seeds: dict[Key, list[list[float]]] = defaultdict(list)
    for line in lines:
        cell = line.cell
        key = (cell["data"], cell["clients"], cell["partition"], cell["model"], cell["arm"])
        seeds[key].append(line.found["accuracy"])
    return {key: Summary(key, np.array(found)) for key, found in seeds.items()}
