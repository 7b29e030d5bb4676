"""Entries of a ledger as CSV or JSON, for an auditor."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TextIO

from msgspec import structs

from fedps.cli.ledger.time_window import TimeWindow
from fedps.client.ledger import Entry, read_ledger
from fedps.client.tables.formula_texts import harmless

FORMATS = ("csv", "json")


def wanted_entries(
    path: Path, window: TimeWindow, peer: str | None, broken: list[int]
) -> Iterator[Entry]:
    """Yield the entries of a time and of one peer or all; numbers of broken lines are added to a list."""
    for entry in read_ledger(path):
        if isinstance(entry, int):
            broken.append(entry)
        elif window.begin <= entry.time < window.end and peer in (None, entry.peer):
            yield entry


def write_entries(entries: Iterable[Entry], file: TextIO, form: str) -> None:
    """Write entries to a file as "csv" or "json", each in a line of its own."""
    rows = map(_fields, entries)
    if form == "csv":
        _write_csv(rows, file)
    else:
        _write_json(rows, file)


def _fields(entry: Entry) -> dict[str, Any]:
    """Return all that an entry has, also what has its default."""
    return structs.asdict(entry) | {
        "columns": list(entry.columns),
        "charges": [structs.asdict(charge) for charge in entry.charges],
    }


def _write_csv(rows: Iterable[dict[str, Any]], file: TextIO) -> None:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(Entry.__struct_fields__)
    for row in rows:
        cells = row.values()
        lists = (json.dumps(c, ensure_ascii=False) if isinstance(c, list) else c for c in cells)
        writer.writerow([harmless(cell) if isinstance(cell, str) else cell for cell in lists])


def _write_json(rows: Iterable[dict[str, Any]], file: TextIO) -> None:
    before = "[\n"
    for row in rows:
        file.write(before + json.dumps(row, ensure_ascii=False))
        before = ",\n"
    file.write("[]\n" if before == "[\n" else "\n]\n")
