"""``python -m benchmarks``: a federated fit over ten in-process clients beside the pooled fit."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from benchmarks.cases import CASES
from benchmarks.downloads import DataMissing
from benchmarks.measuring import QUICK, Measured, measure
from benchmarks.speed import print_table
from benchmarks.tables import TABLES

HEADER = (
    f"{'':40}{'pooled':>10}{'federated':>11}{'ratio':>8}  {'':8}{'processor':>11}"
    f"{'peak memory':>22}{'rounds':>8}{'bytes up':>10}"
)


def main(arguments: list[str] | None = None) -> int:
    """Measure, print, and return how the process ends."""
    options = _options().parse_args(arguments)
    try:
        found = list(run(options))
    except DataMissing as error:
        print(error, file=sys.stderr)
        return 1
    if options.json:
        print(json.dumps([asdict(m) | {"ratio": m.ratio} for m in found], indent=1))
    else:
        print(_verdict(found))
        if not options.quick and not options.only:
            print_table(options.repeats or 3)
    return 0


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows, 2 repeats")
    parser.add_argument("--repeats", type=int, help="how often each fit is timed (default 5)")
    parser.add_argument("--only", default="", help="only what has this text in table or estimator")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    return parser


def run(options: Any) -> Iterator[Measured]:
    """Yield what each estimator took on each table, printing rows as they are ready."""
    repeats = options.repeats or (2 if options.quick else 5)
    for table, estimators in CASES.items():
        chosen = {n: e for n, e in estimators.items() if options.only in f"{table}: {n}"}
        if not chosen:
            continue
        pooled = TABLES[table](0.1 if options.quick else 1.0)
        clients = pooled.clients()
        if not options.json:
            width = pooled.X.shape[1] if pooled.y is None else 1
            print(f"\n{table}: {pooled.rows:,} rows, {width} columns\n{HEADER}")
        for name, estimator in chosen.items():
            measured = measure(table, name, estimator, pooled, clients, repeats)
            if not options.json:
                print(_row(measured), flush=True)
            yield measured


def _row(m: Measured) -> str:
    verdict = "" if m.is_on_target else "<- above"
    cpu = m.federated.cpu / m.pooled.cpu
    peaks = f"{_megabytes(m.pooled.peak)} -> {_megabytes(m.federated.peak)}"
    return (
        f"{m.estimator:40}{m.pooled.wall * 1000:7.0f} ms{m.federated.wall * 1000:8.0f} ms"
        f"{m.ratio:8.2f}  {verdict:8}{cpu:11.2f}{peaks:>22}{m.rounds:8}{m.bytes_up:10.0f}"
    )


def _megabytes(size: int | None) -> str:
    return "?" if size is None else f"{size / 1e6:.0f} MB"


def _verdict(found: list[Measured]) -> str:
    above = [m for m in found if not m.is_on_target]
    lines = [
        "",
        "ratio and processor: federated over pooled, wall-clock and processor time. Peak memory: what",
        f"a fit adds to the table. On target: ratio at most 1.0, or {QUICK * 1000:.0f} ms at most.",
        f"{len(found) - len(above)} of {len(found)} on target.",
    ]
    lines += [f"  above: {m.estimator} on {m.table}: {m.ratio:.2f}" for m in above]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
