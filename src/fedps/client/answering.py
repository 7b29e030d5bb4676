"""Answering the asks of a round in one pass over the table, each behind the policy gate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fedps.client.policy_gate import PolicyGate
from fedps.client.views import Views
from fedps.protocol.messages import Ask, Failure, Refusal
from fedps.statistics import BadCells


@dataclass
class Answer:
    """One ask, the columns it is about, and what is known of its answer so far."""

    ask: Ask
    columns: tuple[str, ...] = ()
    transformed: bool = False
    summary: Any = None
    present: Any = 0
    problem: Refusal | Failure | None = None

    @property
    def outcome(self) -> str:
        """What became of it: sent, refused or failed."""
        if self.problem is None:
            return "sent"
        return "refused" if isinstance(self.problem, Refusal) else "failed"

    @property
    def result(self) -> Any:
        """The summary, or why there is none."""
        return self.summary if self.problem is None else self.problem


def answer_all(asks: Sequence[Ask], views: Views, gate: PolicyGate, rows: int) -> list[Answer]:
    """Return the answers to all asks; the policy is applied before anything is computed and after."""
    answers = [Answer(ask) for ask in asks]
    for answer in answers:
        _begin(answer, views, gate, rows)
    open_ = [answer for answer in answers if answer.problem is None]
    for block in views.passes() if open_ else ():
        for answer in open_:
            _update(answer, block, gate)
    for answer in open_:
        if answer.problem is None:
            answer.summary = answer.ask.statistic.compact(answer.summary, gate.limits)
            known = answer.ask.statistic.tells_cells
            cells = answer.summary.support() if known else answer.present
            columns = () if answer.transformed else answer.columns
            answer.problem = gate.check_summary(answer.summary, cells, columns)
    return answers


def _begin(answer: Answer, views: Views, gate: PolicyGate, rows: int) -> None:
    statistic = answer.ask.statistic
    try:
        if statistic.aligned:
            views.demand_columns()
        view = views[answer.ask.view]
        answer.columns, answer.transformed = view.columns, view.transformed
        weight = getattr(statistic, "weight", None)
        concerned = view.columns if weight is None else (*view.columns, weight)
        # with split="columns" exactly one client has the target: only that one can keep it back
        if statistic.of_target and not (statistic.aligned and views.table.target_schema() is None):
            concerned = (*concerned, views.table.target_name or "target")
            answer.columns = concerned
        answer.problem = gate.check_request(statistic, rows, concerned) or gate.check_sample(
            view.drawn
        )
        if answer.problem is None:
            answer.summary = statistic.empty(view.width)
    except BadCells as error:
        answer.problem = failure(error)


def _update(answer: Answer, block: Any, gate: PolicyGate) -> None:
    if answer.problem is not None:
        return
    statistic: Any = answer.ask.statistic
    try:
        rows = block(answer.ask.view)
        answer.summary = statistic.update(answer.summary, rows)
        if gate.counts_cells and not statistic.tells_cells:
            answer.present = answer.present + rows.present()
    except BadCells as error:
        # a position in a transformed table is not one of the client's own columns
        answer.problem = failure(error, () if answer.transformed else answer.columns)


def failure(error: BadCells, columns: tuple[str, ...] = ()) -> Failure:
    """Return a failure that names the rule and the column."""
    if error.what is not None:
        return Failure(error.rule, error.what)
    if error.position is None or not columns:
        return Failure(error.rule)
    known = error.position < len(columns)
    return Failure(error.rule, columns[error.position] if known else f"number {error.position}")
