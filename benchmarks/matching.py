"""Private matching of rows: seconds and bytes for three owners, of whose keys all have a part.

    python -m benchmarks.matching

Each key is multiplied on the curve once by each owner and once more, some 30 microseconds each: 3 owners with
100,000 keys take about 60 seconds of processor time, and half of that on two cores.
"""

from __future__ import annotations

import time

import numpy as np
import pandas as pd

import fedps

KEYS = (1000, 10_000, 100_000)
OWNERS, COMMON = 3, 0.3


def tables(keys: int) -> dict[str, pd.DataFrame]:
    """Return the owners' tables: a part of the keys is common, each has the rest alone."""
    rng = np.random.default_rng(0)
    common = int(COMMON * keys)
    found = {}
    for i in range(OWNERS):
        own = np.arange(common, keys) + (i + 1) * keys
        ids = rng.permutation(np.concatenate([np.arange(common), own]))
        found[f"owner {i}"] = pd.DataFrame({"id": ids, f"x{i}": rng.normal(size=keys)})
    return found


def measure(keys: int) -> tuple[float, float, int, int, int, int]:
    """Return seconds, those of the processor, rounds, bytes up and down of all owners, and rows found."""
    made = tables(keys)
    wall, processor = time.perf_counter(), time.process_time()
    federation = fedps.Federation(made, split="columns", key="id", match="private")
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    run = federation.run
    up, down = sum(run.bytes_up.values()), sum(run.bytes_down.values())
    return wall, processor, run.rounds, up, down, run.rows


def main() -> None:
    """Print a line for each number of keys."""
    names = ("keys of each", "seconds", "processor", "rounds", "MB up", "MB down", "common")
    print(" ".join(f"{name:>12}" for name in names))
    for keys in KEYS:
        wall, processor, rounds, up, down, rows = measure(keys)
        print(
            f"{keys:>12} {wall:>12.2f} {processor:>12.2f} {rounds:>12} {up / 1e6:>12.2f} "
            f"{down / 1e6:>12.2f} {rows:>12}",
            flush=True,
        )


if __name__ == "__main__":
    main()
