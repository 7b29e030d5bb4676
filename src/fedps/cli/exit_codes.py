"""Errors of the command line: one line on stderr, and an exit code."""

from __future__ import annotations

import sys
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from fedps.errors import MOST_NAMED, FedPSError, UsageError

_FAILED, _MISUSED = 1, 2
# a group without a command shows its help; older versions of click do that by themselves
_HELP_WANTED: tuple[type[click.UsageError], ...] = tuple(
    filter(None, [getattr(click.exceptions, "NoArgsIsHelpError", None)])
)


@contextmanager
def errors_as_exit_codes(*, debug: bool) -> Iterator[None]:
    """Turn an exception inside into a line on stderr and an exit code.

    2 is for a mistake in the command, in a file that it names or in a pipeline; 1 for everything else:
    clients that refuse, peers that are gone, errors of FedPS itself. With ``debug`` the traceback is
    printed, too.
    """
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _warn
            yield
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except (click.Abort, KeyboardInterrupt):
        _line("stopped.")
        sys.exit(130)
    except BrokenPipeError:  # `fedps ... | head` has seen enough
        sys.stderr.close()
        sys.exit(_FAILED)
    except Exception as error:  # noqa: BLE001 - the last one to see it
        if isinstance(error, _HELP_WANTED):
            click.echo(error.format_message(), err=True)
            sys.exit(_MISUSED)
        if debug:
            traceback.print_exc()
            _all_clients(error)
        _line(_text(error))
        sys.exit(_MISUSED if isinstance(error, click.UsageError | UsageError) else _FAILED)


def _text(error: Exception) -> str:
    """Return what is printed about an error, in one line."""
    if isinstance(error, click.ClickException):
        context = getattr(error, "ctx", None)
        hint = "" if context is None else f" Try: {context.command_path} --help"
        return f"{error.format_message()}{hint}"
    if isinstance(error, FedPSError):
        many = len(error.clients) > MOST_NAMED + 1
        return f"{error} --debug names all {len(error.clients)} clients." if many else str(error)
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    # the text of an unexpected error can quote a cell: it is shown only if requested
    return f"unexpected {type(error).__name__}. Run it again with --debug to see the traceback."


def _all_clients(error: Exception) -> None:
    """Name all clients that an error is about: its sentence has room for a few."""
    if isinstance(error, FedPSError) and error.clients:
        click.echo(f"clients: {', '.join(error.clients)}", err=True)


def _line(text: str) -> None:
    click.echo(f"fedps: {' '.join(text.split())}", err=True)


def _warn(message: Any, category: type[Warning], *_: Any, **__: Any) -> None:
    if not issubclass(category, DeprecationWarning | PendingDeprecationWarning):
        _line(f"warning: {message}")
