"""Explaining a fit: its plan is rehearsed with the clients' schemas, and nothing else is asked.

The rehearsal drives the same coordinator as a fit does, with made-up replies: the columns that clients
would select follow from their schemas, and every answer is that of a table without rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from fedps.assembly import dummy_row
from fedps.client.select_columns import selected_positions
from fedps.client.tables import take
from fedps.federation.session import ask_rows
from fedps.protocol.answers import Problem, raise_problems
from fedps.protocol.coordinator import Coordinator
from fedps.protocol.heard import Heard
from fedps.protocol.messages import TABLE, Failure, Select, Tell
from fedps.protocol.schemas import Schemas, is_by_name
from fedps.report import AskRow, Explanation
from fedps.statistics import BadCells, Schema, Summary

Carry = Callable[[Coordinator[Any]], None]
# called with what carries the rounds, and with whether transformed rows are wanted
RunPlan = Callable[[Carry, bool], object]
_Positions = Mapping[str, Sequence[int]]


def explain(name: str, schemas: Schemas, run_plan: RunPlan) -> Explanation:
    """Return what a fit would ask, and also what fit_transform would ask if that is more.

    ``run_plan`` runs the plan of the estimator to its end; what it is given carries the rounds.
    """
    fit, both = _Rehearsal(schemas), _Rehearsal(schemas)
    run_plan(fit.carry, False)
    run_plan(both.carry, True)
    found = fit.explanation(name)
    return found if both.asks == fit.asks else replace(found, outputs=both.explanation(name))


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
        examples = {client: _example(both[0]) for client, both in self._schemas.items()}
        at: dict[int, _Positions] = {
            TABLE: {client: range(row.shape[1]) for client, row in examples.items()}
        }
        while (round_ := coordinator.next_round()) is not None:
            if coordinator.only_delivers:
                self.deliveries += 1
            else:
                self.rounds += 1
            self.further |= dict.fromkeys(asked.further for asked in coordinator.asked)
            picked = self._chosen(round_.tells, examples, at)
            try:
                coordinator.replay(Heard(self._schemas, picked, self._answers(coordinator)))
            finally:
                self.asks += ask_rows(coordinator, self.rounds)

    def _chosen(
        self, tells: Sequence[Tell], examples: Mapping[str, Any], at: dict[int, _Positions]
    ) -> dict[str, tuple[tuple[int, ...], ...]]:
        """Return what each client would select; raise the error that missing columns would cause."""
        found: dict[str, list[tuple[int, ...]]] = {client: [] for client in examples}
        problems = []
        for tell in tells:
            if not isinstance(tell.change, Select):
                continue
            here: dict[str, Sequence[int]] = {}
            for client, example in examples.items():
                own: list[int] = []
                # the output columns of a transformer are not known before a fit
                if tell.parent in at:
                    parent = at[tell.parent][client]
                    try:
                        own = selected_positions(take(example, list(parent)), tell.change.columns)
                    except BadCells as error:
                        problems.append(Problem(client, None, Failure(error.rule, error.what)))
                    here[client] = [parent[i] for i in own]
                if not is_by_name(tell.change):
                    found[client].append(tuple(own))
            if here:
                at[tell.view] = here
        names = [name for both in self._schemas.values() for name in both[0].names or ()]
        raise_problems(problems, dict.fromkeys(names))
        return {client: tuple(own) for client, own in found.items()}

    def _answers(self, coordinator: Coordinator[Any]) -> list[Summary]:
        """Return the merged answers of clients without rows."""
        table = coordinator.pooled.table or next(iter(self._schemas.values()))[0]
        found: list[Summary] = []
        for asked in coordinator.asked:
            statistic, names = asked.ask.statistic, asked.view.names
            width = len(names) if names else table.width
            columns = statistic.columns
            found.append(statistic.empty(width if columns is None else columns))
        return found


def _example(schema: Schema) -> Any:
    """Return a made-up row of a client's table."""
    return dummy_row(schema.container, schema.names, schema.width, schema.dtypes)
