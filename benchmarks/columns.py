"""Regression where each client has other columns of Adult: time and bytes against the rows.

    python -m benchmarks.columns

The published way to do it sends and decomposes a matrix of rows x rows: 5.4 GB and n^3 steps for all
26,048 rows. Here owners send rows x columns, and the server's time grows with the rows.
"""

from __future__ import annotations

import time

import numpy as np
from sklearn.linear_model import BayesianRidge

import fedps
from benchmarks import data

ROWS = (1000, 4000, 16_000, 26_048)
ENDS = (5, 10)  # three owners of 5, 5 and 4 columns; the last has the target


def measure(rows: int) -> tuple[float, int, dict[str, int], float]:
    """Return seconds, rounds and bytes of each owner, and the largest error against pooled."""
    frame = data.encoded(data.adult(download=False)).iloc[:rows]
    y = frame.pop("income").to_numpy(dtype=float)
    X = frame.to_numpy(dtype=float)
    first, second, third = np.split(X, ENDS, axis=1)
    started = time.perf_counter()
    clients = {"first": first, "second": second, "third": (third, y)}
    federation = fedps.Federation(clients, split="columns")
    fitted = federation.fit(BayesianRidge())
    seconds = time.perf_counter() - started
    coef = np.concatenate([part.coef_ for part in fitted.values()])
    pooled = BayesianRidge().fit(X, y).coef_
    error = float(np.abs(coef / pooled - 1).max())
    return seconds, federation.run.rounds, federation.run.bytes_up, error


def main() -> None:
    """Print a line for each number of rows."""
    print(f"{'rows':>7} {'seconds':>8} {'rounds':>7} {'MB of each owner':>24} {'error':>8}")
    for rows in ROWS:
        seconds, rounds, sent, error = measure(rows)
        each = ", ".join(f"{size / 1e6:.2f}" for size in sent.values())
        print(f"{rows:>7} {seconds:>8.2f} {rounds:>7} {each:>24} {error:>8.0e}")


if __name__ == "__main__":
    main()
