"""AnswerTotals: what is in a ledger, added up in one pass over its lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec import Struct

from fedps.cli.ledger.time_window import TimeWindow
from fedps.client.ledger import SCHEMA_ENTRY, Charge, Entry, Spent
from fedps.client.ledger.index_file import read_counted


class AnswerGroup(NamedTuple):
    """What the answers have in common that are added up."""

    peer: str
    statistic: str
    question: str
    level: str
    outcome: str
    columns: tuple[str, ...]


@dataclass(slots=True)
class GroupSum:
    """How many answers there are in a group, their bytes, and when the first and the last were."""

    times: int
    bytes: int
    first: str
    last: str


@dataclass
class AnswerTotals:
    """What a ledger adds up to: groups of answers, and what was told about each column.

    Groups are only of what was wanted, everything else is of the whole ledger.
    """

    groups: dict[AnswerGroup, GroupSum] = field(default_factory=dict)
    spent: dict[str, Spent] = field(default_factory=dict)
    fits: int = 0
    lines: int = 0
    broken: list[int] = field(default_factory=list)
    _known: set[tuple[str, str]] = field(default_factory=set)

    def charge(self, charges: Iterable[Charge]) -> None:
        """Add charges, each only once."""
        for charge in charges:
            both = (charge.column, charge.key)
            if both not in self._known:
                self._known.add(both)
                values, numbers = self.spent.get(charge.column, Spent())
                told = Spent(values + charge.values, numbers + charge.numbers)
                self.spent[charge.column] = told


class _Line(Struct):
    """What is read of a line: less than all, because there may be millions."""

    time: str
    peer: str
    statistic: str
    columns: tuple[str, ...]
    level: str
    bytes: int
    outcome: str
    question: str = ""
    charges: tuple[Charge, ...] = ()
    times: int = 1


def answer_totals(path: Path, window: TimeWindow, peer: str | None) -> AnswerTotals:
    """Return what a ledger adds up to, of a time and of one peer or all of them."""
    totals = AnswerTotals()
    groups, (begin, end) = totals.groups, window
    for line in chain(_lines(path, totals.broken), read_counted(path.resolve())):
        totals.lines += 1
        if line.charges:
            totals.charge(line.charges)
        if line.statistic == SCHEMA_ENTRY and line.outcome == "sent":
            totals.fits += line.times
        when = line.time
        if not begin <= when < end or (peer is not None and line.peer != peer):
            continue
        same = (line.peer, line.statistic, line.question, line.level, line.outcome, line.columns)
        found = groups.get(same)  # type: ignore[call-overload]
        if found is None:
            groups[AnswerGroup(*same)] = GroupSum(line.times, line.bytes * line.times, when, when)
            continue
        found.times += line.times
        found.bytes += line.bytes * line.times
        if when > found.last:
            found.last = when
        elif when < found.first:
            found.first = when
    return totals


def _lines(path: Path, broken: list[int]) -> Iterator[_Line | Entry]:
    decode = msgspec.json.Decoder(_Line).decode
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                yield decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError):
                if line.strip():
                    broken.append(number)
