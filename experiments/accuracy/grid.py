"""The cells of Table 4: data, clients, partition, model, preprocessing and seed."""

from __future__ import annotations

from itertools import pairwise, product

from experiments.experiment import Cell

DATA_SETS = ("adult", "bank", "covertype")
CLIENTS = (10, 30)
PARTITIONS = ("iid", "label skew", "feature skew")
MODELS = ("LR", "MLP")
HIDDEN: dict[str, tuple[int, ...]] = {"LR": (), "MLP": (128, 64)}
COLUMNS = {"adult": 14, "bank": 16, "covertype": 54}
OUTPUTS = {"adult": 1, "bank": 1, "covertype": 7}  # two classes have one between them
ARMS = ("no", "local", "federated")
ROUNDS, SEEDS = 100, 5
QUICK_ROUNDS, QUICK_SEEDS, QUICK_ROWS = 5, 1, 10_000
QUICK_MODELS = {10: "MLP", 30: "LR"}

# the authors chose these, cell by cell, from 1e-5, 1e-4, ..., 1e-1: no, local, federated
RATES = {
    ("adult", 10, "iid", "LR"): (1e-3, 1e-2, 1e-2),
    ("adult", 10, "iid", "MLP"): (1e-3, 1e-3, 1e-3),
    ("adult", 10, "label skew", "LR"): (1e-4, 1e-2, 1e-2),
    ("adult", 10, "label skew", "MLP"): (1e-3, 1e-4, 1e-3),
    ("adult", 10, "feature skew", "LR"): (1e-3, 1e-3, 1e-2),
    ("adult", 10, "feature skew", "MLP"): (1e-3, 1e-3, 1e-3),
    ("adult", 30, "iid", "LR"): (1e-3, 1e-2, 1e-2),
    ("adult", 30, "iid", "MLP"): (1e-2, 1e-3, 1e-3),
    ("adult", 30, "label skew", "LR"): (1e-3, 1e-1, 1e-1),
    ("adult", 30, "label skew", "MLP"): (1e-3, 1e-3, 1e-2),
    ("adult", 30, "feature skew", "LR"): (1e-2, 1e-3, 1e-2),
    ("adult", 30, "feature skew", "MLP"): (1e-3, 1e-3, 1e-3),
    ("bank", 10, "iid", "LR"): (1e-3, 1e-2, 1e-2),
    ("bank", 10, "iid", "MLP"): (1e-3, 1e-3, 1e-3),
    ("bank", 10, "label skew", "LR"): (1e-4, 1e-2, 1e-3),
    ("bank", 10, "label skew", "MLP"): (1e-3, 1e-4, 1e-4),
    ("bank", 10, "feature skew", "LR"): (1e-3, 1e-3, 1e-3),
    ("bank", 10, "feature skew", "MLP"): (1e-2, 1e-4, 1e-3),
    ("bank", 30, "iid", "LR"): (1e-3, 1e-2, 1e-2),
    ("bank", 30, "iid", "MLP"): (1e-3, 1e-3, 1e-3),
    ("bank", 30, "label skew", "LR"): (1e-3, 1e-2, 1e-2),
    ("bank", 30, "label skew", "MLP"): (1e-3, 1e-3, 1e-3),
    ("bank", 30, "feature skew", "LR"): (1e-3, 1e-3, 1e-3),
    ("bank", 30, "feature skew", "MLP"): (1e-2, 1e-3, 1e-3),
    ("covertype", 10, "iid", "LR"): (1e-4, 1e-3, 1e-2),
    ("covertype", 10, "iid", "MLP"): (1e-4, 1e-3, 1e-3),
    ("covertype", 10, "label skew", "LR"): (1e-4, 1e-4, 1e-3),
    ("covertype", 10, "label skew", "MLP"): (1e-4, 1e-3, 1e-3),
    ("covertype", 10, "feature skew", "LR"): (1e-4, 1e-4, 1e-4),
    ("covertype", 10, "feature skew", "MLP"): (1e-5, 1e-5, 1e-4),
    ("covertype", 30, "iid", "LR"): (1e-3, 1e-3, 1e-2),
    ("covertype", 30, "iid", "MLP"): (1e-4, 1e-3, 1e-3),
    ("covertype", 30, "label skew", "LR"): (1e-4, 1e-3, 1e-2),
    ("covertype", 30, "label skew", "MLP"): (1e-4, 1e-3, 1e-3),
    ("covertype", 30, "feature skew", "LR"): (1e-4, 1e-4, 1e-4),
    ("covertype", 30, "feature skew", "MLP"): (1e-4, 1e-4, 1e-4),
}


def layers(data: str, model: str) -> list[tuple[int, int]]:
    """Return the inputs and outputs of each layer of a model."""
    return list(pairwise((COLUMNS[data], *HIDDEN[model], OUTPUTS[data])))


def cells(quick: bool) -> list[Cell]:
    """Return the cells; the small data sets first, then seed by seed, so that a part is of use."""
    order = sorted(
        product(range(QUICK_SEEDS if quick else SEEDS), DATA_SETS),
        key=lambda pair: pair[1] == "covertype",
    )
    return [
        {
            "data": data,
            "rows": QUICK_ROWS if quick else None,
            "clients": clients,
            "partition": partition,
            "model": model,
            "arm": arm,
            "rate": RATES[data, clients, partition, model][ARMS.index(arm)],
            "rounds": QUICK_ROUNDS if quick else ROUNDS,
            "seed": seed,
        }
        for seed, data in order
        for clients, partition, model, arm in product(CLIENTS, PARTITIONS, MODELS, ARMS)
        if not quick or model == QUICK_MODELS[clients]
    ]
