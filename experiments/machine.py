"""What the results were measured on, and how long it took."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from experiments.markdown import table
from experiments.results import Results

PACKAGES = ("scikit-learn", "numpy", "scipy", "pandas", "pyarrow", "jax")
FILE = "machine.json"


def about() -> dict[str, str]:
    """Return this machine and the versions that run on it."""
    found = {
        "processor": _of_file("/proc/cpuinfo", "model name") or platform.processor(),
        "cores": str(os.cpu_count()),
        "memory": _memory(),
        "system": platform.system(),
        "Python": platform.python_version(),
    }
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def note(folder: Path, name: str) -> None:
    """Write down that an experiment was run here."""
    path = folder / FILE
    known = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(known | {name: about()}, indent=1, sort_keys=True) + "\n", "utf-8")


def tables(folder: Path, names: tuple[str, ...]) -> Mapping[str, str]:
    """Return what the experiments of a folder ran on, and the time they took, in Markdown."""
    path = folder / FILE
    if not path.is_file():
        return {}
    known: dict[str, dict[str, str]] = json.loads(path.read_text("utf-8"))
    facts = sorted({fact for machine in known.values() for fact in machine.items()})
    rows = [
        (what, value, ", ".join(n for n in names if known.get(n, {}).get(what) == value))
        for what, value in facts
    ]
    if len({tuple(sorted(machine.items())) for machine in known.values()}) == 1:
        ran = table(("what", "which"), [row[:2] for row in rows])
    else:
        ran = table(("what", "which", "experiments"), rows)
    return {"machine": ran, "time": _times(folder, names)}


def _times(folder: Path, names: tuple[str, ...]) -> str:
    rows = []
    for name in names:
        lines = Results(folder / f"{name}.jsonl").lines
        if lines:
            seeds = sorted({line.cell["seed"] for line in lines if "seed" in line.cell})
            minutes = sum(line.seconds for line in lines) / 60
            said = f"{seeds[0]} to {seeds[-1]}" if len(seeds) > 1 else "".join(map(str, seeds))
            rows.append((name, str(len(lines)), said, f"{minutes:.1f}"))
    heads = ("experiment", "cells", "seeds", "minutes of one process")
    return table(heads, rows, numbers=(1, 3))


def _of_file(path: str, name: str) -> str:
    """Return the value of the first line with a name, or nothing where there is no such file."""
    try:
        lines = Path(path).read_text("utf-8").splitlines()
    except OSError:
        return ""
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith(name)), "")


def _memory() -> str:
    kilobytes = _of_file("/proc/meminfo", "MemTotal").split(" ")[0]
    return f"{int(kilobytes) / 2**20:.0f} GiB" if kilobytes else "unknown"
