"""WatchingLedger: what left in a trial fit, and why the rest did not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from fedps.client import Ledger
from fedps.client.ledger import Account, Charge, CommitCheck, Spent
from fedps.protocol.codec import decode_part
from fedps.protocol.messages import Failure, Refusal
from fedps.protocol.packing.arrays import Budget


class NotedAnswer(NamedTuple):
    """What was sent or withheld in a fit, the estimator that asked for it, and the question in words."""

    statistic: str
    columns: tuple[str, ...]
    level: str
    problem: Refusal | Failure | None
    estimator: str = ""
    question: str = ""


class WatchingLedger(Ledger):
    """A ledger in memory that also keeps why an answer was withheld.

    Parameters
    ----------
    before : Account, optional
        What was told before: it counts, and what is told again is free. Default: nothing.
    """

    def __init__(self, before: Account | None = None) -> None:
        super().__init__()
        self.before = before or Account(0, {}, lambda _: False)
        self.answers: list[NotedAnswer] = []

    def note(
        self,
        number: int,
        statistic: str,
        columns: tuple[str, ...],
        level: str,
        answer: bytes,
        outcome: str,
        *,
        question: str = "",
        charges: Sequence[Charge] = (),
        **more: Any,
    ) -> None:
        """Add one answer."""
        new = [charge for charge in charges if not self.before.knows(charge.key)]
        about = (number, statistic, columns, level, answer, outcome)
        super().note(*about, question=question, charges=new, **more)
        problem = None
        if outcome != "sent":
            problem = decode_part(answer, Refusal | Failure, "here", Budget(1 << 20), statistic)
        asked = re.match(r"(\w+) \d+: ", question)
        estimator, words = ("", question) if asked is None else (asked[1], question[asked.end() :])
        self.answers.append(NotedAnswer(statistic, columns, level, problem, estimator, words))

    def account(self) -> Account:
        """Return what was told before and in the trial together."""
        return self._after(super().account())

    def commit(self, check: CommitCheck | None = None) -> Refusal | None:
        """Make final what was noted, if a check allows it after what was told before."""
        if check is None:
            return super().commit()
        return super().commit(lambda account, *new: check(self._after(account), *new))

    def used(self) -> dict[str, Spent]:
        """Return what the trial alone was charged, by column."""
        return dict(super().account().by_column)

    def _after(self, account: Account) -> Account:
        own, before = account.by_column, self.before
        both = {}
        for name in {**before.by_column, **own}:
            was, new = before.spent(name), account.spent(name)
            both[name] = Spent(was.values + new.values, was.numbers + new.numbers)
        return Account(
            before.fits + account.fits, both, lambda key: before.knows(key) or account.knows(key)
        )
