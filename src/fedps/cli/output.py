"""What the commands print: tables and text that fit the terminal."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path

import click

from fedps.cli.options import FULL
from fedps.client.policy_file import misspelt
from fedps.engines.client_settings import ClientSettings
from fedps.report.levels import has_colours
from fedps.report.rendering import Section, Shortened, as_text, count

_NARROW = 80  # columns of a line, and what files and pipes get
_SAID = "fedps.shortened"  # that it was said how to open lists


def _width() -> int:
    if not sys.stdout.isatty():
        return _NARROW
    return max(shutil.get_terminal_size((_NARROW, 24)).columns, _NARROW)


def check_client(name: str, settings: ClientSettings, *, users_known: bool) -> None:
    """Open a client, print what it has and what may leave it, and warn of misspelt columns.

    ``users_known`` says whether the engine tells a client which user started a run.
    """
    client = settings.open(name, requester="" if users_known else None)
    schema, rules, target = client.table.schema(), client.policy, client.table.target_name
    for warning in misspelt(rules, [*(schema.names or ()), *([target] if target else [])]):
        click.echo(f"fedps: warning: the policy's {warning}", err=True)
    click.echo(
        f"fedps: client {client.name!r} has {count(schema.rows, 'row')} of {count(schema.width, 'column')}; policy: "
        f"{settings.policy or 'the default'} (level {rules.level}, min_rows {rules.min_rows}, max_share "
        f"{rules.max_share:g}); ledger: {client.ledger.path or 'none'}"
    )


def show(*sections: Section) -> None:
    """Print tables; with ``--full``, long lists whole."""
    full, colour = is_full(), has_colours(sys.stdout)
    click.echo(
        "\n\n".join(as_text(section, _width(), full=full, colour=colour) for section in sections)
    )
    if any(section.is_short for section in sections):
        _say_how_to_open()


def in_line(text: str) -> str:
    """Return a text for a sentence: with ``--full`` the whole of it, where it is shortened."""
    if isinstance(text, Shortened) and text.is_short:
        _say_how_to_open()
        return text.whole if is_full() else text
    return text


def is_full() -> bool:
    """Return whether the command was given ``--full``."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(FULL))


def _say_how_to_open() -> None:
    """Say once, at the end of a command that has ``--full``, that it shows long lists whole."""
    context = click.get_current_context(silent=True)
    if context is None or context.meta.get(FULL) is not False or _SAID in context.meta:
        return
    context.meta[_SAID] = True
    context.call_on_close(
        lambda: click.echo("\nLong lists are shortened: --full shows them whole.")
    )


def say(text: str) -> None:
    """Print a text in lines that fit the terminal; a line break in front of it is kept."""
    start = "\n" if text.startswith("\n") else ""
    click.echo(start + textwrap.fill(text.strip(), _width(), break_long_words=False))


def say_written(paths: Sequence[Path]) -> None:
    """Print which files were written."""
    click.echo("\nWritten: " + ", ".join(map(str, paths)))
