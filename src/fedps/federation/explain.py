"""Explaining a fit: its plan is rehearsed with the clients' schemas, and nothing else is asked.

The rehearsal drives the same coordinator as a fit does, with made-up replies: the columns that clients
would select follow from their schemas, and every answer is that of a table without rows.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from fedps.federation.faults.callers_line import nothing_said
from fedps.federation.faults.claimed_rows import naming_the_largest
from fedps.federation.session import ask_rows
from fedps.protocol.coordinator import Coordinator
from fedps.protocol.heard import Heard
from fedps.protocol.schemas import Schemas
from fedps.report import AskRow, Explanation
from fedps.report.progress_lines import ExpectedRounds
from fedps.statistics import Summary

Carry = Callable[[Coordinator[Any]], None]
# called with what carries the rounds, and with whether transformed rows are wanted
RunPlan = Callable[[Carry, bool], object]


def explain(name: str, schemas: Schemas, run_plan: RunPlan) -> Explanation:
    """Return what a fit would ask, and also what fit_transform would ask if that is more.

    ``run_plan`` runs the plan of the estimator to its end; what it is given carries the rounds.
    """
    fit, both = _Rehearsal(schemas), _Rehearsal(schemas)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what a fit warns of is said when it is fitted
        run_plan(fit.carry, False)
        run_plan(both.carry, True)
    found = fit.explanation(name)
    return found if both.asks == fit.asks else replace(found, outputs=both.explanation(name))


def expected_rounds(schemas: Schemas, run_plan: Callable[[Carry], object]) -> ExpectedRounds | None:
    """Return how many rounds a plan takes, by a rehearsal; None if that fails: a fit says why."""
    rehearsal = _Rehearsal(schemas)
    try:
        with nothing_said():
            run_plan(rehearsal.carry)
    except Exception:  # noqa: BLE001 - what shows progress must not end a fit
        return None
    return ExpectedRounds(rehearsal.rounds, or_more=any(rehearsal.further))


class _Rehearsal:
    """Answers the rounds of a plan itself, and notes what they ask."""

    def __init__(self, schemas: Schemas) -> None:
        self._schemas = schemas
        self.rounds = 0
        self.deliveries = 0
        self.asks: list[AskRow] = []
        self.further: dict[str, None] = {}

    def explanation(self, name: str) -> Explanation:
        """Return what was noted."""
        further = [text for text in self.further if text]
        return Explanation(
            name, tuple(self._schemas), self.rounds, self.asks, further, deliveries=self.deliveries
        )

    def carry(self, coordinator: Coordinator[Any]) -> None:
        """Answer all rounds; StartAgain where the plan must start again, as in a fit."""
        while coordinator.next_round() is not None:
            if coordinator.only_delivers:
                self.deliveries += 1
            else:
                self.rounds += 1
            self.further |= dict.fromkeys(asked.further for asked in coordinator.asked)
            try:
                with naming_the_largest(coordinator):
                    coordinator.replay(Heard(self._schemas, self._answers(coordinator)))
            finally:
                self.asks += ask_rows(coordinator, self.rounds)

    def _answers(self, coordinator: Coordinator[Any]) -> list[Summary]:
        """Return the merged answers of clients without rows."""
        table = coordinator.pooled.table or next(iter(self._schemas.values()))[0]
        if not coordinator.columns.known:  # how wide an answer is follows from them
            coordinator.columns.learn_tables(self._schemas)
        found: list[Summary] = []
        for asked in coordinator.asked:
            own = coordinator.columns.of(asked.view)
            width = table.width if own is None else len(next(iter(own.values())))
            columns = asked.statistic.columns
            found.append(asked.statistic.empty(width if columns is None else columns))
        return found
