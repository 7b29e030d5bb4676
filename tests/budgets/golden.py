"""The golden numbers: rounds and bytes that are the same in every run.

Write them anew after a deliberate change, and look at the difference:

    python -m tests.budgets.golden
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from tests.budgets.cases import LIMITS, Cost, budget
from tests.budgets.penguins import NAMES, of_penguins

FILE = Path(__file__).with_name("golden.json")
SEED = 0


def read() -> dict[str, dict[str, dict[str, float]]]:
    """Return the golden numbers by data set and estimator."""
    return json.loads(FILE.read_text())


def measure() -> dict[str, dict[str, Cost]]:
    """Return what the numbers are now."""
    found: dict[str, dict[str, Cost]] = {}
    for name, dataset in LIMITS:
        found.setdefault(dataset, {})[name] = budget(name, dataset, SEED)
    found["penguins"] = {name: of_penguins(name) for name in NAMES}
    return found


def write() -> None:
    """Write the golden numbers, one line each."""
    sections = []
    for dataset, costs in measure().items():
        lines = [f"    {json.dumps(name)}: {json.dumps(asdict(c))}" for name, c in costs.items()]
        sections.append(f"  {json.dumps(dataset)}: {{\n" + ",\n".join(lines) + "\n  }")
    FILE.write_text("{\n" + ",\n".join(sections) + "\n}\n")


if __name__ == "__main__":
    write()
