"""Ledger: a client's own record of what left it. Enough for an audit, and no cell."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import blake2b

from msgspec import Struct


class Entry(Struct, frozen=True):
    """One answer that left, or was refused."""

    round: int
    statistic: str
    columns: tuple[str, ...]
    level: str
    bytes: int
    digest: str
    outcome: str


@dataclass
class Ledger:
    """All answers of a client, oldest first."""

    entries: list[Entry] = field(default_factory=list)

    def note(
        self,
        number: int,
        statistic: str,
        columns: tuple[str, ...],
        level: str,
        answer: bytes,
        outcome: str,
    ) -> None:
        """Add one answer."""
        digest = blake2b(answer, digest_size=8).hexdigest()
        entry = Entry(number, statistic, columns, level, len(answer), digest, outcome)
        self.entries.append(entry)
