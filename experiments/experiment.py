"""What an experiment is: cells to measure, and what is made of the results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Cell = dict[str, Any]
"""One thing to measure, in full: the same cell gives the same result."""


@dataclass(frozen=True)
class Line:
    """What was found for a cell, and the seconds it took."""

    cell: Cell
    found: Mapping[str, Any]
    seconds: float


@dataclass(frozen=True)
class Experiment:
    """One part of the evaluation.

    ``cells`` takes whether to be quick; ``measure`` takes a cell and returns what was found, as
    JSON has it; ``tables`` gives Markdown by name, for the blocks of pages that have that name;
    ``draw`` writes figures into a folder; ``say`` puts a result into a few words, for progress.
    ``parallel`` cells may be measured side by side, since nobody looks at their time.
    """

    name: str
    cells: Callable[[bool], Sequence[Cell]]
    measure: Callable[[Cell], Mapping[str, Any]]
    tables: Callable[[Sequence[Line]], Mapping[str, str]]
    draw: Callable[[Sequence[Line], Path], None]
    say: Callable[[Line], str]
    parallel: bool = False
