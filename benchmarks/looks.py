"""``python -m benchmarks.looks``: ``describe`` across clients beside pandas on the pooled rows.

Processor seconds, both in the same run, on Covertype (581,012 x 55; a made-up table of that size where the
data is missing): ``federation.describe()`` with its correlations, and ``describe(include="all")`` plus ``corr()``.
"""

from __future__ import annotations

import resource
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

import fedps
from benchmarks import data
from benchmarks.downloads import DataMissing

CLIENTS, REPEATS = 3, 3


def table() -> pd.DataFrame:
    """Return Covertype, or a table that looks like it."""
    try:
        return data.covertype()
    except DataMissing:
        rng = np.random.default_rng(0)
        largest = [2000] * 10 + [2] * 45
        return pd.DataFrame({f"c{i}": rng.integers(0, n, 581_012) for i, n in enumerate(largest)})


def seconds(call: Callable[[], Any]) -> float:
    """Return the fewest processor seconds that a call took."""
    took = []
    for _ in range(REPEATS):
        before = _spent()
        call()
        took.append(_spent() - before)
    return min(took)


def _spent() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Measure and print."""
    rows = table()
    parts = [rows[i::CLIENTS].reset_index(drop=True) for i in range(CLIENTS)]
    federation = fedps.Federation(parts, progress=False)
    pooled = seconds(lambda: (rows.describe(include="all"), rows.corr()))
    ours = seconds(federation.describe)
    up = sum(federation.run.bytes_up.values())
    print(f"{len(rows):,} x {rows.shape[1]}, {CLIENTS} clients")
    print(f"pandas {pooled:.2f} s, describe {ours:.2f} s, ratio {ours / pooled:.2f}")
    print(f"{federation.run.rounds} rounds, {up:,} bytes up")


if __name__ == "__main__":
    main()
