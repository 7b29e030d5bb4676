"""Looked: what a look found, and the clients it was found at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from fedps.federation.looks.look import Look
from fedps.federation.looks.look_pipeline import part_names
from fedps.federation.looks.notes import Notes, notes_by_client, notes_of
from fedps.looks import Correlation
from fedps.protocol.coordinator import Coordinator
from fedps.report import Run
from fedps.statistics import Schema


@dataclass(frozen=True)
class Looked:
    """What a look found.

    ``parts`` has what each part of the look found, by its name; ``schemas`` are those of the clients' tables.
    ``notes`` are sentences about what clients kept back of each part's columns, ``all_notes`` about all.
    """

    look: Look
    parts: dict[str, Any]
    schemas: dict[str, Schema]
    run: Run
    notes: Notes
    all_notes: list[str]
    split: str = "rows"

    @classmethod
    def of(cls, look: Look, coordinator: Coordinator[Any], run: Run) -> Looked:
        """Return what the plan of a look found."""
        schemas = {client: both[0] for client, both in coordinator.schemas.items()}
        names, pooled = part_names(look), coordinator.pooled
        parts = dict(zip(names, coordinator.outcome, strict=True))
        notes = notes_of(names, pooled)
        return cls(look, parts, schemas, run, notes, [*run.notes, *notes_by_client(pooled)])


def of_all_owners(look: Look, found: Mapping[str, Looked], run: Run) -> Looked:
    """Return what looks at several owners' columns found, as one."""
    parts: dict[str, Any] = {}
    for own in found.values():
        for name, part in own.parts.items():
            if name == "correlation" and name in parts:
                parts[name] = _blocks(parts[name], part)
            else:
                parts[name] = [*parts[name], *part] if name in parts else part
    schemas = {client: own.schemas[client] for client, own in found.items()}
    notes: Notes = {}
    for own in found.values():
        for name, columns in own.notes.items():
            notes.setdefault(name, {}).update(columns)
    every = dict.fromkeys(text for own in found.values() for text in own.all_notes)
    return Looked(look, parts, schemas, run, notes, list(every), "columns")


def _blocks(one: Correlation, other: Correlation) -> Correlation:
    """Return the correlations of two owners' columns; of one's with the other's nothing is known."""
    here, there = len(one.names), len(other.names)
    matrix = np.full((here + there, here + there), np.nan)
    matrix[:here, :here], matrix[here:, here:] = one.matrix, other.matrix
    rows = np.zeros(matrix.shape, dtype=np.int64)
    rows[:here, :here], rows[here:, here:] = one.rows, other.rows
    vif = np.concatenate([one.vif, other.vif])
    note = (
        "columns of different clients are not correlated with each other: that would take the cells of both. "
        "Variance inflation factors are within each client's columns."
    )
    complete = min(one.complete, other.complete)
    return Correlation((*one.names, *other.names), matrix, rows, vif, complete, (note,))
