"""Measures one cell: partition, prepare, train, and the accuracy after each round."""

from __future__ import annotations

import os
import threading
import time
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from benchmarks import data
from experiments.accuracy import partitions
from experiments.accuracy.arms import prepare
from experiments.accuracy.grid import layers
from experiments.experiment import Cell, Line

POSITIVE = {"adult": ">50K", "bank": "yes"}
TEST_SHARE, SPLIT = 0.2, 42


class Split(NamedTuple):
    """The training and test rows of a data set, and their labels as whole numbers."""

    train: pd.DataFrame
    test: pd.DataFrame
    labels: np.ndarray
    test_labels: np.ndarray


@lru_cache(maxsize=1)
def load(name: str, rows: int | None) -> Split:
    """Return a data set, or so many of its rows, split once and for all."""
    table = data.LOADERS[name]()
    if rows is not None:
        table = table.sample(rows, random_state=SPLIT)
    target = table.pop(data.TARGETS[name])
    labels = (target - 1 if name == "covertype" else target == POSITIVE[name]).to_numpy(np.int32)
    table = table.reset_index(drop=True)
    return Split(*train_test_split(table, labels, test_size=TEST_SHARE, random_state=SPLIT))


def measure(cell: Cell) -> dict[str, Any]:
    """Return the accuracy after each round, and what preparing the rows together cost."""
    _end_with_parent()
    split = load(cell["data"], cell["rows"])
    rng = np.random.default_rng(cell["seed"])
    parts = parts_of(cell, split, rng)
    test_parts = partitions.iid(len(split.test), cell["clients"], rng)
    rows = prepare(cell["arm"], split.train, split.test, parts, test_parts)
    labels = split.labels[np.concatenate(parts)]
    test_labels = split.test_labels[np.concatenate(test_parts)]
    accuracies = _train(cell, rows.train, labels, rows.test, test_labels, [*map(len, parts)], rng)
    found: dict[str, Any] = {"accuracy": accuracies}
    if cell["arm"] != "local":
        found |= {"rounds": rows.rounds, "bytes_up": round(rows.bytes_up, 1)}
    return found


def parts_of(cell: Cell, split: Split, rng: np.random.Generator) -> partitions.Parts:
    """Return which training rows each client has."""
    if cell["partition"] == "iid":
        return partitions.iid(len(split.train), cell["clients"], rng)
    if cell["partition"] == "label skew":
        return partitions.label_skew(split.labels, cell["clients"])
    feature = split.train[partitions.SORTED_BY[cell["data"]]].to_numpy()
    return partitions.feature_skew(feature, cell["clients"], rng)


def _train(
    cell: Cell,
    rows: np.ndarray,
    labels: np.ndarray,
    test: np.ndarray,
    test_labels: np.ndarray,
    sizes: list[int],
    rng: np.random.Generator,
) -> list[float]:
    """Return the share of test rows, of all clients together, that is right after each round."""
    from experiments.accuracy.models import correct, first_weights
    from experiments.accuracy.training import federated_averages

    weights = first_weights(layers(cell["data"], cell["model"]), cell["seed"])
    averages = federated_averages(weights, rows, labels, sizes, cell["rate"], rng)
    return [
        round(float(correct(weights, test, test_labels)) / len(test), 5)
        for weights in islice(averages, cell["rounds"])
    ]


@lru_cache(maxsize=1)
def _end_with_parent() -> None:
    """End this process when the one that started it is gone: a killed run leaves nothing behind."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def say(line: Line) -> str:
    """Return a result in a few words."""
    cell = line.cell
    what = f"{cell['data']}, {cell['clients']} clients, {cell['partition']}, {cell['model']}"
    accuracy = line.found["accuracy"][-1]
    return f"{what}, {cell['arm']}, seed {cell['seed']}: {accuracy:.3f} in {line.seconds:.1f} s"
