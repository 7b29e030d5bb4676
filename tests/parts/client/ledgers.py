"""Ledgers for tests: a clock that is set by hand, and files of any length."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from fedps.client.ledger import SCHEMA_ENTRY, Charge, Entry
from fedps.client.ledger.ledger_index import IndexState, chained
from fedps.protocol.messages import Refusal

STATISTICS = (SCHEMA_ENTRY, "Moments", "Categories", "Ranks", "Extremes")


class Clock:
    """A time that passes when a test says so."""

    def __init__(self):
        self.now = datetime(2026, 11, 16, 9, 30, tzinfo=UTC)

    def __call__(self):
        return self.now

    def forward(self, seconds):
        self.now += timedelta(seconds=seconds)


def write_answers(path, number, columns=8):
    """Write a ledger of many answers, without its index: five in a fit, each fit a second later."""
    clock, state = Clock(), IndexState()
    names = tuple(f"column {j}" for j in range(columns))
    with path.open("wb") as file:
        for i in range(number):
            statistic = STATISTICS[i % len(STATISTICS)]
            clock.forward(statistic == SCHEMA_ENTRY)
            name = names[i % columns]
            entry = Entry(
                time=clock().isoformat(timespec="milliseconds").replace("+00:00", "Z"),
                peer=f"hospital-net {i // 5 % 3}",
                round=1 + i % 4,
                statistic=statistic,
                question="" if statistic == SCHEMA_ENTRY else "count, sum and sum of squares",
                columns=names if i % 4 else (name,),
                level="AGGREGATE" if i % 3 else "SUMMARY",
                bytes=100 + i % 50,
                digest=f"{i:016x}",
                outcome="refused" if i % 11 == 0 and statistic != SCHEMA_ENTRY else "sent",
                pipeline="3f2a91c0" * 4,
                approval="owner 3f2a91c0",
                charges=(Charge(name, i % 3, 2, f"{i % 1000:08x}"),) if i % 10 == 0 else (),
            )
            _, line, state = chained(entry, state)
            file.write(line)


def note(ledger, column="age", *, statistic="Moments", answer=b"answer", outcome="sent", **more):
    """Note an answer about a column."""
    ledger.note(1, statistic, (column,), "AGGREGATE", answer, outcome, **more)


def begin_fit(ledger, answer=b"names"):
    """Note what every fit begins with."""
    note(ledger, statistic=SCHEMA_ENTRY, answer=answer)


def at_most_one_fit(account, charges, fits):
    """Refuse a second fit."""
    return Refusal("max_fits", "allows 1 fit") if account.fits + fits > 1 else None
