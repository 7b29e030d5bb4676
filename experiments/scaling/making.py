"""Made-up tables on disk: a Parquet file for each client, and one with all their rows.

They are made and written some rows at a time, so that they may be larger than memory.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from experiments.experiment import Cell

CELLS_AT_ONCE = 1 << 24  # a row group of about 130 MB, as large as Parquet is usually written
GAPS = 0.05
WORDS = pa.array([f"kind {letter}" for letter in "abcdefghijkl"])


@dataclass(frozen=True)
class Files:
    """Where the same rows are: in one file, and in those of the clients."""

    pooled: Path
    clients: list[Path]


@contextmanager
def made(cell: Cell) -> Iterator[tuple[Files, Files]]:
    """Give the files of a cell, and of a small table with its columns; they are removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="fedps-scaling-") as name:
        folder = Path(name)
        _check_room(folder, 2 * 8 * cell["rows"] * cell["columns"])
        small = cell | {"rows": 100, "clients": 2}
        yield write(folder / "all", cell), write(folder / "small", small)


def write(folder: Path, cell: Cell) -> Files:
    """Write the rows of a cell twice: whole, and cut into as many files as there are clients."""
    folder.mkdir()
    rows, clients = cell["rows"], cell["clients"]
    ends = [rows * (i + 1) // clients for i in range(clients)]
    files = Files(
        folder / "pooled.parquet", [folder / f"client-{i:04}.parquet" for i in range(clients)]
    )
    with ExitStack() as stack:
        whole = _Writer(stack, files.pooled)
        i, part = 0, _Writer(stack, files.clients[0])
        for start, piece in _pieces(cell):
            whole.write(piece)
            at, stop = start, start + piece.num_rows
            while at < stop:
                part.write(piece.slice(at - start, ends[i] - at))
                at = min(ends[i], stop)
                if at == ends[i] and i + 1 < clients:
                    part.close()
                    i, part = i + 1, _Writer(stack, files.clients[i + 1])
    return files


class _Writer:
    """Writes pieces of a table into a file; the first of them tells the columns."""

    def __init__(self, stack: ExitStack, path: Path) -> None:
        self._path = path
        self._file: Any = None
        stack.callback(self.close)

    def write(self, piece: Any) -> None:
        if self._file is None:
            self._file = parquet.ParquetWriter(self._path, piece.schema)
        self._file.write_table(piece)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


def _pieces(cell: Cell) -> Iterator[tuple[int, Any]]:
    """Yield the first row of each piece of the table, and the piece."""
    rng = np.random.default_rng(cell["seed"])
    kinds = KINDS[cell["table"]]
    step = max(1, CELLS_AT_ONCE // cell["columns"])
    for start in range(0, cell["rows"], step):
        rows = min(step, cell["rows"] - start)
        columns = {f"x{j}": kinds[j % len(kinds)](rng, rows) for j in range(cell["columns"])}
        yield start, pa.table(columns)


def _doubles(rng: Any, rows: int) -> Any:
    return rng.normal(50.0, 12.0, rows)


def _whole_numbers(rng: Any, rows: int) -> Any:
    return rng.poisson(40, rows)


def _with_gaps(rng: Any, rows: int) -> Any:
    return pa.array(_doubles(rng, rows), mask=rng.random(rows) < GAPS)


def _words(rng: Any, rows: int) -> Any:
    return WORDS.take(pa.array(rng.integers(0, len(WORDS), rows)))


# the columns of a table, over and over
KINDS = {
    "numbers": (_doubles, _whole_numbers),
    "people": (_doubles, _with_gaps, _whole_numbers, _with_gaps, _words),
}


def _check_room(folder: Path, needed: int) -> None:
    """Raise an OSError where the disk has too little room for so many bytes."""
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise OSError(
            f"the tables take up to {needed / 1e9:.1f} GB for a while, and {folder.parent} has "
            f"{free / 1e9:.1f} GB left. Set TMPDIR to a folder on a larger disk."
        )
