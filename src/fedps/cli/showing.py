"""What the commands print: tables that fit the terminal, and files of reports."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Callable
from html import escape
from pathlib import Path

import click

from fedps.client import Responder
from fedps.client.policy_file import misspelt
from fedps.errors import UsageError
from fedps.files.saved_fits import in_folder, whole_file
from fedps.report.rendering import Rendered, Section, as_text

NARROW = 80  # what goes into a file or a pipe is as wide as a terminal at its narrowest


def width() -> int:
    """Return how wide a line may be."""
    if not sys.stdout.isatty():
        return NARROW
    return max(shutil.get_terminal_size((NARROW, 24)).columns, NARROW)


def describe_client(client: Responder, policy: Path | None) -> None:
    """Say what a client has and lets out, and warn of columns that only its policy knows."""
    schema, rules, target = client.table.schema(), client.policy, client.table.target_name
    for warning in misspelt(rules, [*(schema.names or ()), *([target] if target else [])]):
        click.echo(f"fedps: warning: the policy's {warning}", err=True)
    click.echo(
        f"fedps: client {client.name!r} has {schema.rows} rows of {schema.width} columns; policy: "
        f"{policy or 'the default'} (level {rules.level}, min_rows {rules.min_rows}, max_share "
        f"{rules.max_share:g}); ledger: {client.ledger.path or 'none'}"
    )


def show(*sections: Section) -> None:
    """Print tables."""
    click.echo("\n\n".join(as_text(section, width()) for section in sections))


def say(text: str) -> None:
    """Print a text in lines that fit; a line break in front of it stays."""
    start = "\n" if text.startswith("\n") else ""
    click.echo(start + textwrap.fill(text.strip(), width(), break_long_words=False))


def report_path(path: Path | None) -> Path | None:
    """Return where a report goes; UsageError for a kind of file that is not known."""
    if path is None:
        return None
    if path.suffix.lower() not in FORMATS:
        known = ", ".join(FORMATS)
        raise UsageError(f"--report {str(path)!r}: a report is one of {known}.")
    return in_folder(path)


def write_report(rendered: Rendered, path: Path) -> None:
    """Write a run or an explanation as a file of the kind that its name says."""
    text = FORMATS[path.suffix.lower()](rendered)
    with whole_file(path) as beside:
        beside.write_text(text, "utf-8")


def _page(rendered: Rendered) -> str:
    title = escape(rendered.sections()[0].title)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title></head>\n'
        '<body style="font-family:sans-serif;margin:2em;color-scheme:light dark">\n'
        f"{rendered.to_html()}\n</body></html>\n"
    )


FORMATS: dict[str, Callable[[Rendered], str]] = {
    ".html": _page,
    ".json": lambda rendered: rendered.to_json() + "\n",  # type: ignore[attr-defined]
    ".md": lambda rendered: rendered.to_markdown() + "\n",
}
