"""``fedps ledger``: show, export and verify what left a client."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from fedps.cli.ledger.answer_totals import answer_totals
from fedps.cli.ledger.export_ledger import FORMATS, wanted_entries, write_entries
from fedps.cli.ledger.ledger_tables import by_column, by_peer, by_question
from fedps.cli.ledger.remaining_budget import find_limits
from fedps.cli.ledger.time_window import read_window
from fedps.cli.options import FILE, FULL_OPTION, all_of
from fedps.cli.output import in_line, say, say_written, show
from fedps.client.ledger import Spent
from fedps.client.ledger.chain import ChainProblem, walk_chain
from fedps.errors import UsageError
from fedps.files.whole_files import check_folder, whole_file
from fedps.report.rendering import Names, Shortened, count

_LEDGER = click.argument("file", type=FILE)
_FILTERS = all_of(
    click.option("--peer", metavar="PEER", help="Only what this peer asked for."),
    click.option(
        "--since",
        metavar="TIME",
        help="Only from this time on: 2026-11-16, or 2026-11-16T09:30. In UTC, unless it ends with "
        "another offset, such as +01:00.",
    ),
    click.option("--until", metavar="TIME", help="Only up to this time, or this day."),
)
_MOST_LISTED = 20


@click.group("ledger")
def ledger_commands() -> None:
    """Read a client's record of what left it."""


@ledger_commands.command("show")
@_LEDGER
@_FILTERS
@click.option(
    "--policy", type=FILE, help="The client's policy: what is left of each column's budget."
)
@click.option("--data", metavar="TABLE", help="The client's table, for its number of rows.")
@FULL_OPTION
def _show(
    file: Path, peer: str | None, since: str | None, until: str | None,
    policy: Path | None, data: str | None,
) -> None:  # fmt: skip
    """Add up what left, by peer, by question and by column. FILE is a ledger.

    What was told about columns is of all peers and times: budgets are for the life of a ledger.
    """
    ledger = _existing(file)
    limits = find_limits(ledger, policy, data)
    totals = answer_totals(ledger, read_window(since, until), peer)
    if len(totals.broken) > 1 and not totals.lines:
        raise UsageError(f"{str(file)!r} is not a ledger: none of its lines is an entry.")
    sections = [by_peer(totals, file.name), by_question(totals)] if totals.groups else []
    if totals.spent:
        sections.append(by_column(totals, limits))
    if not totals.groups:
        say(f"{file.name}: no answers." + ("\n" if sections else ""))
    if sections:
        show(*sections)
    if limits is not None:
        values, numbers = limits.left(Spent())
        say(
            f"\nAny other column: {values} single values and {numbers} numbers are left. Fits so far: "
            f"{totals.fits:,}."
        )
    _say_broken(totals.broken)


@ledger_commands.command("export")
@_LEDGER
@_FILTERS
@click.option("--format", "form", type=click.Choice(FORMATS), required=True, help="What to write.")
@click.option("--out", type=FILE, help="The file to write. Default: to the terminal.")
def _export(
    file: Path, peer: str | None, since: str | None, until: str | None, form: str, out: Path | None
) -> None:
    """Write every answer, as CSV or JSON, for an auditor. FILE is a ledger.

    A cell of a CSV that a spreadsheet would run begins with an apostrophe.
    """
    broken: list[int] = []
    entries = wanted_entries(_existing(file), read_window(since, until), peer, broken)
    if out is None:
        write_entries(entries, sys.stdout, form)
    else:
        check_folder(out)
        with whole_file(out) as beside, beside.open("w", encoding="utf-8", newline="") as sink:
            write_entries(entries, sink, form)
        say_written([out])
    if broken:
        click.echo(f"fedps: warning: {_broken(broken)}", err=True)


@ledger_commands.command("verify")
@_LEDGER
@FULL_OPTION
@click.pass_context
def _verify(context: click.Context, file: Path) -> None:
    """Check that no line of a ledger was removed, changed or inserted.

    Each line has the digest of the one before. The exit code is 1 if something was changed.
    """
    report = walk_chain(_existing(file))
    found = "something was changed" if report.problems else "none was removed, changed or inserted"
    say(f"{file.name}: {count(report.lines, 'line')}, {found}.")
    _list(report.problems)
    if report.unchained:
        say(
            f"\nThe first {count(report.unchained, 'line')} cannot be checked: an older version of FedPS wrote "
            "them without digests."
        )
    if not report.knows_end:
        say(
            f"\nThere is no index {file.name + '.index'!r}, so it cannot be known whether lines are missing at "
            "the end, or the last one was changed."
        )
    if report.problems:
        context.exit(1)


def _list(problems: Sequence[ChainProblem]) -> None:
    """Print what was changed, line by line; of many, the first."""
    lines = [f"- {problem}" for problem in problems]
    first = lines[:_MOST_LISTED]
    if len(lines) <= _MOST_LISTED + 1:
        first = lines
    else:
        first.append(f"- and {len(lines) - _MOST_LISTED:,} more")
    for line in in_line(Shortened("\n".join(first), "\n".join(lines))).splitlines():
        say(line)


def _existing(file: Path) -> Path:
    ledger = file.expanduser()
    if not ledger.is_file():
        raise UsageError(f"there is no file {str(file)!r}.")
    return ledger


def _say_broken(broken: Sequence[int]) -> None:
    if broken:
        say(f"\n{_broken(broken)}")


def _broken(broken: Sequence[int]) -> str:
    lines = in_line(Names(broken, 5))
    return (
        f"{count(len(broken), 'line')} cannot be read (line {lines}): a machine stopped or a disk was full "
        "while it was written. What such a line is about did not leave."
    )
