"""Answer: one ask of a round, and its answer so far, as the rules see it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from msgspec import Raw

from fedps.client.ledger import Charge
from fedps.client.places.asked import Wanted
from fedps.client.rules.row_weights import RowWeights
from fedps.client.rules.sources import Sources
from fedps.client.rules.watch import Watch
from fedps.protocol.codec import encode_part
from fedps.protocol.messages import Failure, KeptBack, Refusal, ShownLess
from fedps.statistics.limits import Less


@dataclass
class Answer:
    """One ask, the columns it is about, and its answer so far."""

    ask: Wanted
    columns: tuple[str, ...] = ()  # of the client's own, all that are read
    transformed: bool = False
    sources: Sources = ()
    also: tuple[str, ...] = ()  # weights and target, which are read beside the table
    made: bytes = b""  # how the table is made
    summary: Any = None
    present: Any = 0
    problem: Refusal | Failure | None = None
    held: Any = None  # clusters in which rows stay
    computed: Any = None  # what is computed: the statistic, or what it needs to show less
    less: Sequence[Less] = ()  # what is shown less of than was asked
    charges: tuple[Charge, ...] = ()
    watch: Watch | None = None
    weights: RowWeights | None = None  # where rows have weights, and these matter to the rules
    gone: dict[int, str] = field(default_factory=dict)  # columns of a look that a rule keeps back

    @property
    def outcome(self) -> str:
        """What the ledger records: sent, refused or failed."""
        if self.problem is None:
            return "sent"
        return "refused" if isinstance(self.problem, Refusal) else "failed"

    @property
    def named(self) -> tuple[str, ...]:
        """The names of the table's columns, where these are the client's own."""
        return () if self.transformed else self.columns

    @property
    def result(self) -> Any:
        """The summary, what it shows less of, or why there is none."""
        if self.problem is not None or not self.less:
            return self.summary if self.problem is None else self.problem
        columns: dict[tuple[str, str], list[int]] = {}
        for position, rule, shown in self.less:
            columns.setdefault((rule, shown), []).append(position)
        kept_back = [KeptBack(*why, tuple(some)) for why, some in columns.items()]
        return ShownLess(Raw(encode_part(self.summary)), tuple(kept_back))
