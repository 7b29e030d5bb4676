"""What the commands print: tables and text that fit the terminal."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path

import click

from fedps.client.policy_file import misspelt
from fedps.engines.client_settings import ClientSettings
from fedps.report.rendering import Section, as_text

_NARROW = 80  # columns of a line, and what files and pipes get


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
        f"fedps: client {client.name!r} has {schema.rows} rows of {schema.width} columns; policy: "
        f"{settings.policy or 'the default'} (level {rules.level}, min_rows {rules.min_rows}, max_share "
        f"{rules.max_share:g}); ledger: {client.ledger.path or 'none'}"
    )


def show(*sections: Section) -> None:
    """Print tables."""
    click.echo("\n\n".join(as_text(section, _width()) for section in sections))


def say(text: str) -> None:
    """Print a text in lines that fit the terminal; a line break in front of it is kept."""
    start = "\n" if text.startswith("\n") else ""
    click.echo(start + textwrap.fill(text.strip(), _width(), break_long_words=False))


def say_written(paths: Sequence[Path]) -> None:
    """Print which files were written."""
    click.echo("\nWritten: " + ", ".join(map(str, paths)))
