"""``python -m benchmarks.clients``: what a round costs as the number of clients grows.

Every client has as many rows, so that a round that costs the same per client grows linearly. With
``--flower`` the clients are nodes of a Flower grid in this process (in an environment with Flower).
"""

from __future__ import annotations

import argparse
import gc
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import fedps
from tests.conformance.scenario import pipeline, write_tables

NUMBERS = (25, 50, 100, 200, 400)
FLOWER_NUMBERS = (5, 10, 20, 30)
ROWS = 50


@contextmanager
def federation(folder: Path, clients: int, *, flower: bool) -> Iterator[fedps.Federation]:
    """Give a federation of so many clients, whose tables are Parquet files."""
    tables = write_tables(folder, {f"client {i:04d}": ROWS for i in range(clients)})
    if not flower:
        yield fedps.Federation(tables, progress=False)
        return
    from fedps.flower import Federation, client_app
    from tests.conformance.flower_grid import InProcessGrid, in_a_run

    policy = folder / "policy.toml"
    rules = 'preset = "open"\n'  # as in process
    policy.write_text(rules, "utf-8")
    nodes = [
        {"name": name, "data": str(path), "policy": str(policy)} for name, path in tables.items()
    ]
    with in_a_run():
        yield Federation(InProcessGrid(client_app.app, nodes), clients=clients)


def measured(folder: Path, clients: int, *, flower: bool) -> tuple[float, fedps.Federation]:
    """Return the shortest of some times of a fit, and the federation with its run."""
    best = float("inf")
    for _ in range(3):
        with federation(folder, clients, flower=flower) as known:
            gc.collect()
            started = time.perf_counter()
            known.fit(pipeline())
            best = min(best, time.perf_counter() - started)
    return best, known


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--flower", action="store_true", help="over a Flower grid in this process")
    flower = parser.parse_args().flower
    print(f"{'over a Flower grid' if flower else 'in process'}, {ROWS} rows each")
    print("| clients | rounds | s per round | ms per round and client | bytes up per client |")
    print("| ---: | ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as folder:
        for number in FLOWER_NUMBERS if flower else NUMBERS:
            seconds, known = measured(Path(folder), number, flower=flower)
            run = known.run
            each = sum(run.bytes_up.values()) / number
            a_round = seconds / run.rounds
            print(
                f"| {number} | {run.rounds} | {a_round:.3f} | {1000 * a_round / number:.2f} "
                f"| {each:.0f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
