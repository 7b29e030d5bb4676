"""``fedps ledger show``: what left a client, added up from its ledger file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import click

from fedps.cli.output import say, show
from fedps.client.ledger import Entry, read_ledger
from fedps.errors import UsageError
from fedps.report.rendering import Section, count, size

_MOST_COLUMNS = 6
_OUTCOMES = ("sent", "refused", "failed")


@click.group("ledger")
def ledger_commands() -> None:
    """Read a client's record of what left it."""


@ledger_commands.command("show")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--peer", metavar="PEER", help="Only what this peer asked for.")
@click.option(
    "--since",
    metavar="TIME",
    default="",
    help="Only from this time on: 2026-11-16, or 2026-11-16T09:30.",
)
def _show(file: Path, peer: str | None, since: str) -> None:
    """Add up what left, by peer and by statistic. FILE is a ledger."""
    if not file.is_file():
        raise UsageError(f"there is no file {str(file)!r}.")
    found = list(read_ledger(file))
    broken = [number for number in found if isinstance(number, int)]
    if broken and len(broken) == len(found) and len(broken) > 1:
        raise UsageError(f"{str(file)!r} is not a ledger: none of its lines is an entry.")
    entries = [entry for entry in found if isinstance(entry, Entry) and entry.time >= since]
    if peer is not None:
        entries = [entry for entry in entries if entry.peer == peer]
    if entries:
        show(_by_peer(entries, file.name), _by_statistic(entries))
    else:
        say(f"{file.name}: no answers.")
    if broken:
        lines = ", ".join(map(str, broken[:5])) + (", ..." if len(broken) > 5 else "")
        say(
            f"\n{count(len(broken), 'line')} cannot be read (line {lines}): a machine stopped or a disk was full "
            "while it was written. What such a line is about did not leave."
        )


def _by_peer(entries: Sequence[Entry], name: str) -> Section:
    header = ("peer", "first", "last", *_OUTCOMES, "bytes")
    rows = []
    for peer in dict.fromkeys(entry.peer for entry in entries):
        own = [entry for entry in entries if entry.peer == peer]
        times = sorted(entry.time for entry in own)
        rows.append((peer, times[0][:10], times[-1][:10], *_outcomes(own), _sent(own)))
    title = f"{name}: {count(len(entries), 'answer')}, days in UTC"
    return Section(title, header, rows, frozenset(header[3:]))


def _by_statistic(entries: Sequence[Entry]) -> Section:
    header = ("statistic", "level", "columns", *_OUTCOMES, "bytes")
    rows = []
    for statistic, level in sorted({(entry.statistic, entry.level) for entry in entries}):
        own = [e for e in entries if (e.statistic, e.level) == (statistic, level)]
        columns = list(dict.fromkeys(column for entry in own for column in entry.columns))
        shown = ", ".join(columns[:_MOST_COLUMNS])
        if len(columns) > _MOST_COLUMNS:
            shown += f" and {len(columns) - _MOST_COLUMNS} more"
        rows.append((statistic, level, shown or "-", *_outcomes(own), _sent(own)))
    return Section("What was asked", header, rows, frozenset(header[3:]))


def _outcomes(entries: Iterable[Entry]) -> tuple[str, ...]:
    found = [entry.outcome for entry in entries]
    return tuple(str(found.count(outcome)) for outcome in _OUTCOMES)


def _sent(entries: Iterable[Entry]) -> str:
    return size(sum(entry.bytes for entry in entries if entry.outcome == "sent"))
