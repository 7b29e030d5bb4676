"""Table 4 in Markdown, ours beside the paper's, and what is to be said of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np

from experiments.accuracy.grid import ARMS, CLIENTS, DATA_SETS, MODELS, PARTITIONS, layers
from experiments.accuracy.summary import Key, Summary, summaries
from experiments.experiment import Line
from experiments.markdown import table

TITLES = {"adult": "Adult", "bank": "Bank", "covertype": "Covertype"}
CLOSE = 0.01  # what the paper's two digits and another draw of the rows may make


def tables(lines: Sequence[Line]) -> Mapping[str, str]:
    """Return all tables and sentences about accuracy."""
    found = summaries(lines)
    return {
        "seeds": _seeds(found),
        "table": _table(found),
        "verdict": _verdict(found),
        "means": _means(found),
        "deviations": _deviations(found),
        "cost": _cost(lines),
    }


def _seeds(found: Mapping[Key, Summary]) -> str:
    """Return over how many seeds the means are."""
    counts = {
        data: {len(s.accuracies) for s in found.values() if s.key[0] == data} for data in DATA_SETS
    }
    said = [f"{TITLES[data]} {_range(numbers)}" for data, numbers in counts.items() if numbers]
    rounds = _range({s.accuracies.shape[1] for s in found.values()})
    return f"Seeds: {', '.join(said)}. Rounds: {rounds}."


def _range(numbers: set[int]) -> str:
    low, high = min(numbers), max(numbers)
    return str(low) if low == high else f"{low} to {high}"


def _table(found: Mapping[Key, Summary]) -> str:
    heads = ["clients", "partition", "model", "preprocessing", *(TITLES[d] for d in DATA_SETS)]
    rows = []
    for clients, partition, model in product(CLIENTS, PARTITIONS, MODELS):
        for arm in ARMS:
            cells = [found.get((d, clients, partition, model, arm)) for d in DATA_SETS]
            names = (str(clients), partition, model) if arm == ARMS[0] else ("", "", "")
            rows.append((*names, arm, *map(_cell, cells)))
    return table(heads, rows)


def _cell(summary: Summary | None) -> str:
    if summary is None:
        return "-"
    return f"**{summary.mean:.3f}** ± {summary.deviation:.4f} / {summary.paper:.2f}"


def _verdict(found: Mapping[Key, Summary]) -> str:
    """Return whether the paper's claims hold here, in sentences."""
    federated = [s for s in found.values() if s.key[-1] == "federated"]
    reached = [s for s in federated if s.above >= -CLOSE]
    worst = min(federated, key=lambda s: s.above)
    gains = [
        s.mean - found[(*s.key[:-1], "local")].mean
        for s in federated
        if (*s.key[:-1], "local") in found
    ]
    ahead = [gain for gain in gains if round(gain, 2) >= 0]
    return (
        f"Federated preprocessing reaches the paper's figure less {CLOSE} in {len(reached)} of "
        f"{len(federated)} cells; the furthest below is {_name(worst.key)}, by "
        f"{max(-worst.above, 0):.3f}. It is at least as good as local preprocessing, to the paper's "
        f"two digits, in {len(ahead)} of {len(gains)} cells, and better by up to {max(gains):.2f}; "
        f"where it is not ahead, the difference is {max(-min(gains), 0):.4f} at most."
    )


def _means(found: Mapping[Key, Summary]) -> str:
    """Return the means over data, clients and models, for those who want three numbers."""
    rows = []
    for partition in PARTITIONS:
        of_arms = []
        for arm in ARMS:
            here = [s for s in found.values() if (s.key[2], s.key[-1]) == (partition, arm)]
            ours, paper = np.mean([(s.mean, s.paper) for s in here], axis=0)
            of_arms.append(f"**{ours:.3f}** / {paper:.3f}")
        rows.append((partition, *of_arms))
    return table(("partition", *(f"{arm} preprocessing" for arm in ARMS)), rows, numbers=(1, 2, 3))


def _deviations(found: Mapping[Key, Summary]) -> str:
    """Return the cells that are further from the paper than rounding explains."""
    far = [s for s in found.values() if abs(s.above) > CLOSE]
    if not far:
        return f"No cell differs from the paper by more than {CLOSE}."
    far.sort(key=lambda s: (ARMS.index(s.key[-1]), -abs(s.above)))
    heads = ("cell", "ours", "seeds from ... to", "the paper", "difference")
    rows = [
        (
            _name(s.key), f"{s.mean:.3f}", f"{s.accuracies[:, -1].min():.3f} ... {s.accuracies[:, -1].max():.3f}",
            f"{s.paper:.2f}", f"{s.above:+.3f}",
        )
        for s in far
    ]  # fmt: skip
    return table(heads, rows, numbers=(1, 2, 3, 4))


def _name(key: Key) -> str:
    data, clients, partition, model, arm = key
    return f"{TITLES[data]}, {clients} clients, {partition}, {model}, {arm}"


def _cost(lines: Sequence[Line]) -> str:
    """Return what preparing costs a client, and what training does."""
    rows = []
    for data in DATA_SETS:
        ours = [
            line for line in lines if (line.cell["data"], line.cell["arm"]) == (data, "federated")
        ]
        if not ours:
            continue
        rounds = _range({line.found["rounds"] for line in ours})
        up = np.mean([line.found["bytes_up"] for line in ours]) / 1000
        trained = _range({line.cell["rounds"] for line in ours})
        sent = [_model_bytes(data, model) * ours[0].cell["rounds"] / 1000 for model in MODELS]
        rows.append((TITLES[data], rounds, f"{up:.2f}", trained, *(f"{kb:,.0f}" for kb in sent)))
    heads = (
        "data",
        "rounds to prepare",
        "KB sent",
        "rounds to train",
        *(f"KB sent, {m}" for m in MODELS),
    )
    return table(heads, rows, numbers=(1, 2, 3, 4, 5))


def _model_bytes(data: str, model: str) -> int:
    """Return the size of a model's weights and biases in single precision."""
    return 4 * sum((inputs + 1) * outputs for inputs, outputs in layers(data, model))
