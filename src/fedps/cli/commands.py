"""The command ``fedps``. Its commands are imported when they are called, and so are engines."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NamedTuple, NoReturn

import click
from click.shell_completion import CompletionItem

from fedps.cli.exit_codes import errors_as_exit_codes
from fedps.errors import did_you_mean


class _Command(NamedTuple):
    """Where a command is, and its line of help, which is shown without importing it."""

    module: str
    name: str
    help: str


_COMMANDS = {
    "fit": _Command(
        "fedps.cli.fit", "fit_command", "Fit a pipeline across the files of several clients."
    ),
    "explain": _Command(
        "fedps.cli.fit", "explain_command", "Show what a fit would ask of the clients."
    ),
    "describe": _Command(
        "fedps.cli.looks.look_commands",
        "describe_command",
        "Show what the columns of all clients hold, as if pooled.",
    ),
    "crosstab": _Command(
        "fedps.cli.looks.look_commands",
        "crosstab_command",
        "Count the rows of each pair of two columns' categories.",
    ),
    "corr": _Command(
        "fedps.cli.looks.look_commands",
        "corr_command",
        "Correlate the clients' columns of numbers.",
    ),
    "transform": _Command(
        "fedps.cli.transform.transform",
        "transform_command",
        "Transform a file with a fitted estimator.",
    ),
    "policy": _Command(
        "fedps.cli.policy.policy_check",
        "policy_commands",
        "Check what a policy lets out of a table.",
    ),
    "ledger": _Command(
        "fedps.cli.ledger.ledger_commands",
        "ledger_commands",
        "Read a client's record of what left it.",
    ),
    "requests": _Command(
        "fedps.cli.requests.request_commands",
        "request_commands",
        "Approve or deny pipelines that wait for a client's owner.",
    ),
    "supported": _Command(
        "fedps.cli.supported", "supported_command", "List the estimators that can be fitted."
    ),
    "flower": _Command(
        "fedps.cli.flower", "flower_commands", "Run on Flower: server, clients, apps."
    ),
    "nvflare": _Command(
        "fedps.cli.nvflare", "nvflare_commands", "Run on NVFLARE: server, clients, jobs."
    ),
}
_ENGINES = {"flower": "flwr", "nvflare": "nvflare"}


class _Commands(click.Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands, in the order of help."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command; for an engine that is not installed, the error says how to install it."""
        place = _COMMANDS.get(cmd_name)
        if place is None:
            return None
        try:
            command = getattr(import_module(place.module), place.name)
        except ModuleNotFoundError as error:
            engine = _ENGINES.get(cmd_name)
            if engine is None or (error.name or "").partition(".")[0] != engine:
                raise
            raise click.UsageError(
                f'{engine} is not installed. Install it with: pip install "fedps[{cmd_name}]"'
            ) from None
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the words begin with; suggest one for an unknown word."""
        if args and args[0] not in _COMMANDS and not args[0].startswith("-"):
            hint = did_you_mean(args[0], _COMMANDS)
            raise click.UsageError(f"there is no command {args[0]!r}.{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without loading them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, place.help) for name, place in _COMMANDS.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return what a half-written word may become, without loading the commands."""
        named = [
            CompletionItem(name, help=place.help)
            for name, place in _COMMANDS.items()
            if name.startswith(incomplete)
        ]
        return [*named, *click.Command.shell_complete(self, ctx, incomplete)]

    def main(self, args: Sequence[str] | None = None, *more: Any, **options: Any) -> NoReturn:
        """Run a command and exit with its code."""
        given = list(sys.argv[1:] if args is None else args)
        debug = "--debug" in given  # anywhere in the command
        given = [word for word in given if word != "--debug"]
        options["standalone_mode"] = False
        with errors_as_exit_codes(debug=debug):
            sys.exit(super().main(given, *more, **options) or 0)
        raise AssertionError("errors_as_exit_codes() exits")


def _version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        from fedps import __version__

        click.echo(f"fedps {__version__}")
        ctx.exit()


@click.group("fedps", cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--debug", is_flag=True, help="Show the whole traceback of an error.")
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_version,
    help="Show the version.",
)  # fmt: skip
def fedps_command(debug: bool) -> None:
    """Fit scikit-learn preprocessing across clients that cannot pool their rows."""
    assert not debug  # _Commands.main has taken it out
