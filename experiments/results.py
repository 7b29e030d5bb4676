"""Results as JSON lines: appended as they come, so that a run that was cut off goes on."""

from __future__ import annotations

import json
from pathlib import Path

from experiments.experiment import Cell, Line


class Results:
    """The lines of one file, by cell."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lines: dict[str, Line] = {}
        if path.is_file():
            for text in path.read_text("utf-8").splitlines():
                line = _read(text)
                if line is not None:
                    self._lines[_key(line.cell)] = line

    @property
    def lines(self) -> list[Line]:
        """All lines, in the order of their cells."""
        return [self._lines[key] for key in sorted(self._lines)]

    def __contains__(self, cell: Cell) -> bool:
        return _key(cell) in self._lines

    def of(self, cells: list[Cell]) -> list[Line]:
        """Return the lines of these cells, as far as they are there."""
        return [self._lines[_key(cell)] for cell in cells if cell in self]

    def add(self, line: Line) -> None:
        """Keep a line, in the file too."""
        self._lines[_key(line.cell)] = line
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(_write(line) + "\n")

    def tidy(self) -> None:
        """Write the file anew, sorted: the same results are the same bytes."""
        if self._lines:
            whole = self.path.with_suffix(".part")
            whole.write_text("".join(_write(line) + "\n" for line in self.lines), "utf-8")
            whole.replace(self.path)


def _key(cell: Cell) -> str:
    return json.dumps(cell, sort_keys=True)


def _write(line: Line) -> str:
    return json.dumps({"cell": line.cell, "found": line.found, "seconds": line.seconds})


def _read(text: str) -> Line | None:
    """Return a line, or None for one that was cut off while it was written."""
    try:
        return Line(**json.loads(text))
    except (json.JSONDecodeError, TypeError):
        return None
