"""The command ``fedps``: its commands are loaded when they are called, engines included."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NamedTuple, NoReturn

import click

from fedps.cli.failing import report
from fedps.errors import did_you_mean


class Place(NamedTuple):
    """Where a command is, and the line of help that is shown without loading it."""

    module: str
    name: str
    help: str


COMMANDS = {
    "fit": Place("fedps.cli.fitting", "fit", "Fit a pipeline across clients' files."),
    "explain": Place("fedps.cli.fitting", "explain", "Show what a fit would ask of the clients."),
    "transform": Place("fedps.cli.transforming", "transform", "Transform a file by a fitted one."),
    "policy": Place("fedps.cli.policies", "policy", "Check what a policy lets out of a table."),
    "ledger": Place("fedps.cli.ledgers", "ledger", "Read a client's record of what left it."),
    "supported": Place("fedps.cli.supported", "supported", "List what can be federated."),
    "flower": Place("fedps.cli.flower", "flower", "Run on Flower: clients, servers, apps."),
    "nvflare": Place("fedps.cli.nvflare", "nvflare", "Run on NVFLARE: clients, servers, jobs."),
}
ENGINES = {"flower": "flwr", "nvflare": "nvflare"}


class Commands(click.Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands, in the order of help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command; an engine that is not installed is an error with the way out."""
        place = COMMANDS.get(cmd_name)
        if place is None:
            return None
        try:
            command = getattr(import_module(place.module), place.name)
        except ModuleNotFoundError as error:
            engine = ENGINES.get(cmd_name)
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
        """Return the command that the words begin with; suggest one for a word that is none."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            hint = did_you_mean(args[0], COMMANDS)
            raise click.UsageError(f"there is no command {args[0]!r}.{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without loading them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, place.help) for name, place in COMMANDS.items()])

    def main(self, args: Sequence[str] | None = None, *more: Any, **options: Any) -> NoReturn:
        """Run a command and exit: 0 if all went well, 2 for a mistake in the call, 1 otherwise."""
        given = list(sys.argv[1:] if args is None else args)
        debug = "--debug" in given  # wherever it stands
        given = [word for word in given if word != "--debug"]
        options["standalone_mode"] = False
        with report(debug=debug):
            sys.exit(super().main(given, *more, **options) or 0)
        raise AssertionError("report() exits")


def _version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        from fedps import __version__

        click.echo(f"fedps {__version__}")
        ctx.exit()


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--debug", is_flag=True, help="Show the whole traceback of an error.")
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_version,
    help="Show the version.",
)  # fmt: skip
def main(debug: bool) -> None:
    """Fit scikit-learn preprocessing across clients that cannot pool their rows."""
    assert not debug  # taken out of the words before they come here
