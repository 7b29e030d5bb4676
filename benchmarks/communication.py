"""``python -m benchmarks.communication``: the paper's Table 5, what a client sends.

Upload per client, 10 clients of 1000 rows, all columns with categories as whole numbers (14, 16 and
54), 1 KB = 1000 bytes: the basis on which the paper's figures come out. Download stands beside it,
and a data set of continuous doubles, on which value/count tables do not help.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.preprocessing import RobustScaler, TargetEncoder

import fedps
from benchmarks import data
from benchmarks.downloads import DataMissing
from benchmarks.paper import COMMUNICATION, DATA_SETS, Row, continuous, labels_of, table_of

CLIENTS, ROWS = 10, 1000


@dataclass
class Cost:
    """What one fit cost each client on average."""

    estimator: str
    data: str
    up: float
    down: float
    rounds: int
    paper: float | None = None


def cost(name: str, where: str, row: Row, clients: list[Any]) -> Cost:
    """Fit across clients and return what it cost."""
    federation = fedps.Federation(clients, progress=False)
    if isinstance(row.estimator, TargetEncoder):
        federation.fit_transform(row.estimator)
    else:
        federation.fit(row.estimator)
    up, down = (
        float(np.mean(list(sent.values())) / 1000)
        for sent in (federation.run.bytes_up, federation.run.bytes_down)
    )
    paper = row.paper[DATA_SETS.index(where)] if where in DATA_SETS else None
    return Cost(name, where, up, down, federation.run.rounds, paper)


def table_5(seed: int = 0) -> Iterator[Cost]:
    """Yield the costs of every estimator on every data set."""
    for name, row in COMMUNICATION.items():
        for where in (*DATA_SETS, "continuous"):
            if row.columns == "texts" and where in ("covertype", "continuous"):
                continue
            yield cost(name, where, row, clients_of(where, row.columns, seed))


def clients_of(where: str, columns: str, seed: int) -> list[Any]:
    """Return the rows of ten clients, with their labels where these are read."""
    table = table_of(where, columns)
    if columns == "all":
        return data.split(table, CLIENTS, ROWS, seed)
    labels = labels_of(where)
    if columns == "labelled" and labels.dtype.kind not in "iuf":
        labels = pd.factorize(labels, sort=True)[0]
    parts = data.split(table.assign(label=labels), CLIENTS, ROWS, seed)
    return [(part.drop(columns="label"), part["label"].to_numpy()) for part in parts]


def growth(rows: tuple[int, ...] = (1000, 10_000, 100_000)) -> Iterator[tuple[int, str, float]]:
    """Yield what exact quartiles of a continuous column cost a client of so many rows, in KB."""
    row = Row(RobustScaler(), "all", (0, 0, 0))
    for count in rows:
        table = continuous(count * CLIENTS, seed=1)
        for column in table:
            clients = data.split(table[[column]], CLIENTS)
            yield count, column, cost("quartiles", "continuous", row, clients).up


def main(arguments: list[str] | None = None) -> int:
    """Measure and print; 1 where the data is missing."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.communication", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    parser.add_argument("--seed", type=int, default=0, help="which rows the clients get")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    try:
        costs = list(table_5(options.seed))
    except DataMissing as error:
        print(error, file=sys.stderr)
        return 1
    if options.json:
        print(json.dumps([asdict(found) for found in costs], indent=1))
        return 0
    print(f"KB sent per client (received) in rounds, {CLIENTS} clients of {ROWS} rows")
    print(f"{'':32}" + "".join(f"{where:>30}" for where in (*DATA_SETS, "continuous")))
    for name in COMMUNICATION:
        print(f"{name:32}" + "".join(_cell(costs, name, w) for w in (*DATA_SETS, "continuous")))
    print("\nExact quartiles of one continuous column, KB sent per client")
    for count, column, up in growth():
        print(f"{count:>8} rows per client  {column:12}{up:8.2f}")
    return 0


def _cell(costs: list[Cost], name: str, where: str) -> str:
    found = next((c for c in costs if (c.estimator, c.data) == (name, where)), None)
    if found is None:
        return f"{'-':>30}"
    paper = "" if found.paper is None else f" paper {found.paper:g}"
    return f"{f'{found.up:.2f} ({found.down:.2f}) in {found.rounds}{paper}':>30}"


if __name__ == "__main__":
    sys.exit(main())
