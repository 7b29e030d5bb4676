"""Watch: what the rules look at in one table, in the same pass as the statistics."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any

import numpy as np

from fedps.client.block import TableBlock
from fedps.client.policy import Policy
from fedps.client.rules.dominance import Dominance
from fedps.client.rules.odd_cells import OddCells
from fedps.client.rules.units import UnitCells
from fedps.protocol.messages import Refusal
from fedps.statistics.base import Array
from fedps.statistics.limits import Pairs


class Watch:
    """Looks at the cells of one table for the rules of a policy.

    Parameters
    ----------
    policy : Policy
        The client's rules.
    numbers, sums : bool
        Whether numbers are read, and not only categories, and whether they are added up.
    values : bool
        Whether it matters which unit has which value.
    markers : sequence
        Values that mark missing cells.
    gaps : sequence
        Markers of missing cells that are filled in as a server says.
    """

    def __init__(
        self,
        policy: Policy,
        *,
        numbers: bool,
        sums: bool,
        values: bool,
        markers: Sequence[Any] = (),
        gaps: Sequence[Any] = (),
    ) -> None:
        self._policy = policy
        self._odd = OddCells(policy.min_count if numbers else 0)
        most = policy.max_dominance
        self._dominance = Dominance(most) if sums and most is not None else None
        self._units = UnitCells() if policy.unit is not None else None
        self._values = values
        both = [("markers", marker) for marker in markers] + [("gaps", marker) for marker in gaps]
        self._marked = [(kind, marker, np.zeros(0)) for kind, marker in both]

    def add(self, block: TableBlock, units: Array | None) -> None:
        """Look at a block of rows; ``units`` says whose each row is, where cells count by that."""
        self._odd.add(block, units)
        if self._dominance is not None:
            self._dominance.add(block, units)
        if self._units is not None and units is not None:
            self._units.add(block, units, values=self._values)
        if self._policy.min_count > 0:
            for i, (kind, marker, before) in enumerate(self._marked):
                found = block.equal_to(marker)
                self._marked[i] = (kind, marker, found if not before.size else before + found)

    def present(self) -> Array | None:
        """Return how many units have a cell in each column; None where cells count one by one."""
        return None if self._units is None else self._units.present()

    def pairs(self, position: int) -> Pairs:
        """Return which units have which values of a column."""
        assert self._units is not None
        return self._units.pairs(position)

    def problem(self, columns: Sequence[str], without: Container[int] = ()) -> Refusal | None:
        """Return what the rules do not allow in this table, if anything, but for some columns."""
        least = self._policy.min_count
        if few := [j for j in self._odd.few if j not in without]:
            limit = f"needs {least} cells that differ from a column's most frequent value, or none"
            return Refusal("min_count", limit, _name(columns, few[0]))
        for kind, _, found in self._marked:
            rare = np.flatnonzero((found > 0) & (found < least)).tolist()
            if few := [j for j in rare if j not in without]:
                limit = f"needs {least} {_MARKED[kind]}, or none"
                return Refusal(f"min_count of {kind}", limit, _name(columns, few[0]))
        over = [] if self._dominance is None else self._dominance.over
        if over := [j for j in over if j not in without]:
            most = self._policy.max_dominance
            whose = "cell" if self._policy.unit is None else repr(self._policy.unit)
            limit = f"allows no {whose} more than {most:.0%} of a sum of squared deviations"
            return Refusal("max_dominance", limit, _name(columns, over[0]))
        return None


_MARKED = {
    "markers": "cells that equal missing_values",
    "gaps": "missing cells in each column that is imputed",
}


def _name(columns: Sequence[str], position: int) -> str | None:
    """Return the name of a column; None for one that a transformer made."""
    return columns[position] if position < len(columns) else None
