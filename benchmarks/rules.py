"""``python -m benchmarks.rules``: what the rules of the default policy cost, at the size of Covertype.

Each fit is timed without rules and under the default policy, in turn, in one run. A column that the rules
refuse is left out of both.
"""

from __future__ import annotations

import argparse
import gc
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    KBinsDiscretizer,
    MinMaxScaler,
    OneHotEncoder,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
)

import fedps
from benchmarks.data import COVERTYPE, split
from fedps.client import Ledger, Policy, Responder, open_table
from fedps.transports import LocalTransport

ROWS, CLIENTS = 581_012, 3
FITS: dict[str, tuple[Callable[[], Any], slice]] = {
    "StandardScaler": (StandardScaler, slice(None)),
    "MinMaxScaler": (MinMaxScaler, slice(None)),
    "RobustScaler": (RobustScaler, slice(10)),
    "MinMaxScaler, StandardScaler": (
        lambda: make_pipeline(MinMaxScaler(), StandardScaler()),
        slice(None),
    ),
    "QuantileTransformer": (lambda: QuantileTransformer(subsample=None), slice(10)),
    "KBinsDiscretizer": (lambda: KBinsDiscretizer(subsample=None), slice(10)),
    "OneHotEncoder": (lambda: OneHotEncoder(handle_unknown="ignore"), slice(10, None)),
}


def made_up(rows: int = ROWS, seed: int = 0) -> pd.DataFrame:
    """Return a table like Covertype: 10 columns of whole numbers and 44 indicators, some of them rare."""
    rng = np.random.default_rng(seed)
    tops = (4000, 360, 66, 1400, 600, 7000, 255, 255, 255, 7000)
    numbers = [rng.integers(0, top, rows) for top in tops]
    shares = [0.45, 0.05, 0.44, 0.06, *np.geomspace(0.2, 0.0002, 40)]
    flags = [(rng.random(rows) < share).astype(np.int64) for share in shares]
    return pd.DataFrame(dict(zip(COVERTYPE, [*numbers, *flags], strict=False)))


def seconds(tables: list[pd.DataFrame], make: Callable[[], Any], policy: Policy) -> float:
    """Return the CPU seconds of a fit, with a ledger on disk: other programs do not count."""
    with tempfile.TemporaryDirectory() as folder:
        clients = {
            f"site {i}": Responder(
                f"site {i}", open_table(t), policy, ledger=Ledger(Path(folder) / f"{i}.jsonl")
            )
            for i, t in enumerate(tables)
        }
        for client in clients.values():
            client.ledger.account()  # makes its index, which a client does once in its life
        federation = fedps.Federation(LocalTransport(clients), progress=False)
        gc.collect()
        started = time.process_time()
        federation.fit(make())
        return time.process_time() - started


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    table = made_up(options.rows)
    print(f"{options.rows:,} rows, {CLIENTS} clients, the shortest of {options.repeats} times")
    print("| fit | without rules, CPU s | default policy, CPU s | ratio |")
    print("| --- | ---: | ---: | ---: |")
    for name, (make, columns) in FITS.items():
        tables = split(table.iloc[:, columns], CLIENTS)
        both = {"open": [], "default": []}  # type: dict[str, list[float]]
        for _ in range(options.repeats):
            for preset, times in both.items():
                times.append(seconds(tables, make, Policy.preset(preset)))
        without, under = min(both["open"]), min(both["default"])
        print(f"| {name} | {without:.3f} | {under:.3f} | {under / without:.2f} |", flush=True)


if __name__ == "__main__":
    main()
