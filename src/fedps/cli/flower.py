"""``fedps flower``: start a server and clients, make an app, and fit, on Flower."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from fedps.cli.columns.column_options import (
    NAME_OPTION,
    OWNED_OPTIONS,
    SPLIT_OPTIONS,
    owned_settings,
)
from fedps.cli.columns.flower_predict import flower_predict
from fedps.cli.flower_runs import (
    ABOVE,
    INSECURE,
    ROOT,
    SUPERLINK,
    check_security,
    run_settings,
    run_to_its_end,
)
from fedps.cli.looks.flower_looks import FLOWER_LOOKS
from fedps.cli.options import (
    EXISTING_FILE,
    EXISTING_FOLDER,
    FILE,
    FOLDER,
    JOB_OPTIONS,
    PIPELINE_OPTION,
    REPORT_OPTION,
    all_of,
    client_options,
    out_option,
)
from fedps.cli.output import check_client
from fedps.engines.client_settings import ClientSettings
from fedps.errors import TransportError, UsageError
from fedps.flower import flower_programs, flwr_command
from fedps.flower.app_folder import make_app
from fedps.flower.certificates import check_certificate
from fedps.flower.node_config import node_config
from fedps.flower.simulation import simulation
from fedps.flower.superlink_address import check_superlink, check_unused, why_unreachable

_ANY_PATH = click.Path(path_type=Path)  # an app of one's own may write a folder
_OUT = out_option(
    type=_ANY_PATH, help="The file for the fitted estimator: .skops; with --split columns, .parts."
)
_RUN = all_of(JOB_OPTIONS, SPLIT_OPTIONS, NAME_OPTION, _OUT, REPORT_OPTION)


@click.group("flower")
def flower_commands() -> None:
    """Run on Flower: start a server and clients, make an app, fit.

    \b
    fedps flower server ...     once, where all can reach it (a SuperLink)
    fedps flower register ...   once for each client's key
    fedps flower client ...     at each client (a SuperNode)
    fedps flower app ...        make an app that fits a pipeline
    fedps flower run ...        run it
    fedps flower describe ...   look at the clients' data
    fedps flower predict ...    predict, where clients hold different columns
    """  # noqa: D301 - to click, \\b means that lines stay as they are


for _command in (*FLOWER_LOOKS, flower_predict):
    flower_commands.add_command(_command)


@flower_commands.command("app")
@click.argument("folder", type=FOLDER)
@PIPELINE_OPTION
@_RUN
def _app(folder: Path, pipeline: str, **given: Any) -> None:
    """Make an app in FOLDER that fits a pipeline. It needs no other code.

    The other options are the defaults of its runs: they are kept in its pyproject.toml, and
    `fedps flower run` can change them. Clients have as long as --timeout to connect, too.
    """
    for path in make_app(folder, pipeline, run_settings(given)):
        click.echo(f"wrote {path}")


@flower_commands.command("run")
@click.argument("folder", type=EXISTING_FOLDER)
@click.option("--superlink", metavar="HOST:PORT", help="The address of the SuperLink.")
@click.option(
    "--simulate",
    metavar="NODES",
    type=click.IntRange(min=1),
    help="Simulate this many nodes here instead, for apps of your own whose clients need no files.",
)
@ROOT
@INSECURE
@_RUN
def _run(
    folder: Path,
    superlink: str | None,
    simulate: int | None,
    root_certificates: Path | None,
    insecure: bool,
    **given: Any,
) -> None:
    """Run the app in FOLDER, and show its log until it ends.

    The other options change settings of the app. Files that they name are on the machine of the
    SuperLink.
    """
    check_security(root_certificates, insecure)
    arguments = [str(folder), flwr_command.CONNECTION]
    if settings := run_settings(given):
        arguments += ["--run-config", flwr_command.config_text(settings)]
    if simulate is not None:
        if superlink is not None or root_certificates is not None:
            raise UsageError("--simulate needs no SuperLink and no certificates: leave them out.")
        arguments += ["--federation-config", f"num-supernodes={simulate}"]
        with simulation() as address:
            run_to_its_end(arguments, address, None, insecure=True)
    elif superlink is None:
        raise UsageError("give the SuperLink, --superlink HOST:PORT; or --simulate NODES.")
    else:
        run_to_its_end(arguments, superlink, root_certificates, insecure=insecure)


@flower_commands.command("register")
@click.argument("public_keys", type=EXISTING_FILE, nargs=-1, required=True)
@SUPERLINK
@ROOT
def _register(
    public_keys: tuple[Path, ...], superlink: str, root_certificates: Path | None
) -> None:
    """Let the clients with these public keys take part."""
    check_superlink(superlink, root_certificates)
    with flwr_command.connected(superlink, root_certificates, insecure=False) as env:
        for key in public_keys:
            code = flwr_command.flwr(
                ["supernode", "register", str(key), flwr_command.CONNECTION], env
            )
            if code:
                why = why_unreachable(superlink, root_certificates, insecure=False)
                raise TransportError(f"{key} was not registered: {why or ABOVE}")


@flower_commands.command("server")
@click.option(
    "--host",
    metavar="ADDRESS",
    default="127.0.0.1",
    show_default=True,
    help="The address to listen on.",
)
@click.option(
    "--port",
    metavar="PORT",
    default=8000,
    show_default=True,
    help="The only port that clients need.",
)
@click.option("--certificate", type=EXISTING_FILE, help="The server's certificate.")
@click.option("--key", type=EXISTING_FILE, help="The private key of the certificate.")
@ROOT
@click.option("--database", type=FILE, help="A file that keeps keys and runs. Default: in memory.")
@INSECURE
def _server(
    host: str,
    port: int,
    certificate: Path | None,
    key: Path | None,
    root_certificates: Path | None,
    database: Path | None,
    insecure: bool,
) -> None:
    """Start a SuperLink: clients connect to it, and fits run there.

    Only clients whose keys are registered may connect.
    """
    arguments = ["--host", host, "--port", str(port), "--disable-runtime-dependency-installation"]
    if insecure:
        check_security(root_certificates or certificate or key, insecure)
        arguments.append("--insecure")
    elif certificate is None or key is None or root_certificates is None:
        raise UsageError(
            "a server needs --certificate, --key and --root-certificates; to try something out on one "
            "machine, --insecure."
        )
    else:
        check_certificate(certificate, key, root_certificates, host)
        files = (("certfile", certificate), ("keyfile", key), ("ca-certfile", root_certificates))
        for name, path in files:
            arguments += [f"--ssl-{name}", str(path.absolute())]
        arguments.append("--enable-supernode-auth")
    if database is not None:
        arguments += ["--database", str(database.absolute())]
    check_unused(host, port)
    flower_programs.become("flower-superlink", arguments)


@flower_commands.command("client")
@click.option("--name", metavar="NAME", required=True, help="What this client is called.")
@client_options(data_required=True)
@OWNED_OPTIONS
@SUPERLINK
@ROOT
@INSECURE
@click.option(
    "--key", type=EXISTING_FILE, help="This client's private key; the public one is registered."
)
@click.option(
    "--port", metavar="PORT", default=0, help="A local port for the node's own use. Default: any."
)
def _client(
    name: str, superlink: str, root_certificates: Path | None, insecure: bool, key: Path | None,
    port: int, **given: Any,
) -> None:  # fmt: skip
    """Start a client: a SuperNode that answers about its own table.

    Table, policy and ledger are checked first. The server cannot change them.
    """
    check_security(root_certificates or key, insecure)
    check_superlink(superlink, root_certificates)
    settings = ClientSettings(**owned_settings(given))
    check_client(name, settings, users_known=False)
    if why := why_unreachable(superlink, root_certificates, insecure=insecure):
        click.echo(f"fedps: warning: {why}", err=True)  # the server may come later
    arguments = ["--superlink", superlink, "--port", str(port or flower_programs.free_port())]
    arguments += ["--node-config", flwr_command.config_text(node_config(name, settings))]
    if insecure:
        arguments.append("--insecure")
    if root_certificates is not None:
        arguments += ["--root-certificates", str(root_certificates.absolute())]
    if key is not None:
        arguments += ["--auth-supernode-private-key", str(key.absolute())]
    flower_programs.become("flower-supernode", arguments, flower_programs.home_of(name))
