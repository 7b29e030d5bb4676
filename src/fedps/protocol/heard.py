"""What a coordinator knows of one round: what was asked, and the merged replies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from msgspec import Raw

from fedps.protocol.answers import Problem, raise_problems, unpacked
from fedps.protocol.messages import Ask, Failure, KeptBack
from fedps.protocol.plan import EachClient, TooLarge, View
from fedps.protocol.pooled import Limited, Pooled, Unified
from fedps.protocol.schemas import Columns
from fedps.statistics import Schema, Statistic, Summary

Packed = Summary | Raw
OWN_NUMBERS = "own_numbers"  # the rule by which a client's own numbers go only into those of all


@dataclass
class Asked:
    """One ask of one round: its message, what it asks for, its view, what may follow, and each client's answer.

    ``each`` says that the plan wants each client's own answer, too.
    """

    ask: Ask
    statistic: Statistic[Any, Any]
    view: View
    further: str = ""
    each: bool = False
    answers: dict[str, Any] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    limited: list[Limited] = field(default_factory=list)
    unified: list[Unified] = field(default_factory=list)

    def names(self, columns: Columns, width: int | None) -> Sequence[Any] | None:
        """Return what the columns of the view are called; None where a transformer made others."""
        names = ("target",) if self.view.is_target else columns.names(self.view)
        if names is None and (at := columns.at(self.view.base)):
            names = next(iter(at.values()))
        return names if names is not None and len(names) == width else None

    def own_answers(self) -> dict[str, Summary]:
        """Return the answers of clients that let their own be shown, where the plan wants these."""
        hidden = {one.client for one in self.limited if one.rule == OWN_NUMBERS}
        # what one client keeps back is what all have minus what the others have
        if not self.each or len(hidden) == 1:
            return {}
        return {client: one for client, one in self.answers.items() if client not in hidden}

    def result(self, merged: Packed, own: Mapping[str, Packed]) -> Any:
        """Return what the plan gets of a merged answer, and of each client's own if it wants these."""
        found = self._result(merged)
        if not self.each:
            return found
        return EachClient(found, {client: self._result(one) for client, one in own.items()})

    def _result(self, summary: Packed) -> Any:
        return self.statistic.result(unpacked(self.statistic, summary))

    def keep_back(
        self,
        client: str,
        kept_back: Iterable[KeptBack],
        order: Sequence[int],
        names: Sequence[Any] | None,
    ) -> None:
        """Note what a client kept back.

        ``order`` has the position of each of its columns at the server, and ``names`` their names there.
        """
        view, statistic = self.view, type(self.statistic).__name__
        for one in kept_back:
            for position in (order[own] for own in one.columns):
                column = position if view.columns is None else view.columns[position]
                name = f"number {column}" if names is None else str(names[position])
                where = (view.path, view.of, column, name, statistic)
                self.limited.append(Limited(client, *where, one.rule, one.shown))


@dataclass(frozen=True)
class Heard:
    """The replies of a round: schemas by client, the merged answers, and what is to note about them.

    The merged answers are None if the plan did not use them. They may still be packed. ``own`` are the
    clients' own answers to each ask, where the plan wants these.
    """

    schemas: Mapping[str, tuple[Schema, ...]]
    merged: Sequence[Packed] | None = None
    limited: Sequence[Limited] = ()
    unified: Sequence[Unified] = ()
    own: Sequence[Mapping[str, Packed]] = ()


def stop_on(problems: Sequence[Problem], asked: Iterable[Asked], pooled: Pooled) -> None:
    """Raise the problems of clients, if there are some; TooLarge where the plan can ask for less at once."""
    large = problems and all(one.problem == Failure("too large") for one in problems)
    wide = [one.view.columns for one in asked if one.statistic.in_pieces]
    if large and any(pooled.pieces == 1 if some is None else len(some) > 1 for some in wide):
        raise TooLarge
    raise_problems(problems, (pooled.table and pooled.table.names) or ())
