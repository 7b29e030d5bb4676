"""``python -m benchmarks.speed``: what was slower than pooled once, beside what is wanted of it.

``python -m benchmarks`` ends with it. To add a case, append to ``CASES`` of ``order``, ``clusters`` or
``many_clients``.
"""

from __future__ import annotations

import argparse
import platform

import numpy as np

from benchmarks import clusters, many_clients, order

CASES = [*order.CASES, *clusters.CASES, *many_clients.CASES]


def print_table(repeats: int = 3, only: str = "") -> None:
    """Print a line for each case, as it is ready."""
    print(f"{platform.machine()}, Python {platform.python_version()}, NumPy {np.__version__}\n")
    print("| case | | today | processor time | wanted | |")
    print("| --- | --- | ---: | ---: | ---: | --- |")
    for case in CASES:
        if only in f"{case.group}: {case.name}":
            found = case.measure(repeats)
            figures = f"{found.wall:.3g} {case.unit} | {found.processor:.3g} | {case.wanted:g}"
            print(f"| {case.group} | {case.name} | {figures} | {found.more} |", flush=True)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=__doc__)
    parser.add_argument("--repeats", type=int, default=3, help="the best of so many counts")
    parser.add_argument("--only", default="", help="only cases with this text in group or name")
    options = parser.parse_args()
    print_table(options.repeats, options.only)


if __name__ == "__main__":
    main()
