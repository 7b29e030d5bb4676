"""WatchingLedger: what left in a trial fit, and why the rest did not."""

from __future__ import annotations

from typing import Any, NamedTuple

from fedps.client import Ledger
from fedps.protocol.arrays import Budget
from fedps.protocol.codec import decode_part
from fedps.protocol.messages import Failure, Refusal


class NotedAnswer(NamedTuple):
    """What was sent or withheld in a fit."""

    statistic: str
    columns: tuple[str, ...]
    level: str
    problem: Refusal | Failure | None


class WatchingLedger(Ledger):
    """A ledger that also keeps why an answer was withheld."""

    def __init__(self) -> None:
        super().__init__()
        self.answers: list[NotedAnswer] = []

    def note(
        self,
        number: int,
        statistic: str,
        columns: tuple[str, ...],
        level: str,
        answer: bytes,
        outcome: str,
        **more: Any,
    ) -> None:
        """Add one answer."""
        super().note(number, statistic, columns, level, answer, outcome, **more)
        problem = None
        if outcome != "sent":
            problem = decode_part(answer, Refusal | Failure, "here", Budget(1 << 20), statistic)
        self.answers.append(NotedAnswer(statistic, columns, level, problem))
