"""``fedps flower``: start a client, a server, and a fit, on Flower."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from fedps.cli.showing import describe_client
from fedps.client import open_table
from fedps.client.policy_file import read_policy
from fedps.engines.engine_adapter import open_client
from fedps.errors import TransportError, UsageError
from fedps.flower import programs
from fedps.flower.app_folder import make_app
from fedps.flower.certificates import check_certificate
from fedps.flower.job import DEFAULTS
from fedps.flower.reaching import check_superlink, check_unused, why_unreachable
from fedps.flower.simulating import simulation

ANY = click.Path(path_type=Path)  # an app of your own may take a folder
FILE = click.Path(path_type=Path, dir_okay=False)
THERE = click.Path(path_type=Path, dir_okay=False, exists=True)

SUPERLINK = click.option(
    "--superlink", metavar="HOST:PORT", required=True, help="Where the SuperLink is."
)
EITHER = click.option("--superlink", metavar="HOST:PORT", help="Where the SuperLink is.")
SIMULATE = click.option(
    "--simulate",
    metavar="NODES",
    type=click.IntRange(min=1),
    help="Instead: simulate so many nodes here. For apps of your own, whose clients need no files.",
)
ROOT = click.option(
    "--root-certificates", type=THERE, help="The certificate of the authority that signed its."
)
INSECURE = click.option(
    "--insecure", is_flag=True, help="Without TLS and node keys: only to try something out."
)
JOB = [
    click.option("--clients", type=click.IntRange(min=1), help="How many clients take part."),
    click.option("--timeout", type=float, help="Seconds to connect, and to answer a round: 600."),
    click.option("--quorum", type=click.IntRange(min=1), help="Go on with this many at least."),
    click.option("--quantiles", metavar="HOW", help="exact, kll[:k] or req[:k]."),
    click.option("--frequent", metavar="HOW", help="exact or items[:k]."),
    click.option("--sample-weight", metavar="COLUMN", help="A column of row weights."),
    click.option("--checkpoint", type=FILE, help="Record rounds here; a fit that stopped goes on."),
    click.option("--out", type=ANY, help="The skops file for the fitted estimator."),
    click.option("--report", type=FILE, help="What it cost and showed: .html, .json or .md."),
]

ABOVE = "the lines above say why."


def job_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the settings of a fit."""
    for option in reversed(JOB):
        command = option(command)
    return command


@click.group()
def flower() -> None:
    """Run on Flower: make an app, start a server and clients, fit.

    \b
    fedps flower server ...     once, where all can reach it (a SuperLink)
    fedps flower register ...   once for each client's key
    fedps flower client ...     at each client (a SuperNode)
    fedps flower app ...        make an app of a pipeline
    fedps flower run ...        fit it
    """  # noqa: D301 - to click, \\b means that lines stay as they are


@flower.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option("--pipeline", required=True, metavar="FILE:NAME", help="Such as prep.py:pipeline.")
@job_options
def app(folder: Path, pipeline: str, **given: Any) -> None:
    """Make an app in FOLDER that fits a pipeline. It needs no code.

    Settings given here are kept in its pyproject.toml; `fedps flower run` can change them.
    """
    for path in make_app(folder, pipeline, _settings(given)):
        click.echo(f"wrote {path}")


@flower.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False, exists=True))
@EITHER
@SIMULATE
@ROOT
@INSECURE
@job_options
def run(
    folder: Path,
    superlink: str | None,
    simulate: int | None,
    root_certificates: Path | None,
    insecure: bool,
    **given: Any,
) -> None:
    """Run the app in FOLDER, and show its log until it is done.

    Files named here are on the machine of the SuperLink.
    """
    _check_security(root_certificates, insecure)
    arguments = [str(folder), programs.CONNECTION]
    if settings := _settings(given):
        arguments += ["--run-config", programs.config_text(settings)]
    if simulate is not None:
        if superlink is not None or root_certificates is not None:
            raise UsageError("--simulate needs no SuperLink and no certificates: leave them out.")
        arguments += ["--federation-config", f"num-supernodes={simulate}"]
        with simulation() as address:
            _run(arguments, address, None, insecure=True)
    elif superlink is None:
        raise UsageError("say where the SuperLink is: --superlink HOST:PORT; or --simulate NODES.")
    else:
        _run(arguments, superlink, root_certificates, insecure=insecure)


def _run(
    arguments: list[str], superlink: str, root_certificates: Path | None, *, insecure: bool
) -> None:
    check_superlink(superlink, root_certificates)
    with programs.connected(superlink, root_certificates, insecure=insecure) as env:
        try:
            ended = programs.run_and_follow(arguments, env)
        except programs.NotStartedError:
            cause = why_unreachable(superlink, root_certificates, insecure=insecure)
            raise TransportError(f"the run did not start: {cause or ABOVE}") from None
    if ended.status != "finished:completed":
        why = ended.details.partition("exception: ")[2] or "its log, above, says why."
        raise TransportError(f"the run ended as {ended.status}: {why}")


@flower.command()
@click.argument("public_keys", type=THERE, nargs=-1, required=True)
@SUPERLINK
@ROOT
def register(public_keys: tuple[Path, ...], superlink: str, root_certificates: Path | None) -> None:
    """Let the clients with these public keys take part."""
    check_superlink(superlink, root_certificates)
    with programs.connected(superlink, root_certificates, insecure=False) as env:
        for key in public_keys:
            code = programs.flwr(["supernode", "register", str(key), programs.CONNECTION], env)
            if code:
                why = why_unreachable(superlink, root_certificates, insecure=False)
                raise TransportError(f"{key} was not registered: {why or ABOVE}")


@flower.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option("--port", default=8000, show_default=True, help="The one port that clients need.")
@click.option("--certificate", type=THERE, help="The server's certificate.")
@click.option("--key", type=THERE, help="The key of the certificate.")
@click.option("--root-certificates", type=THERE, help="That of the authority that signed it.")
@click.option("--database", type=FILE, help="Keep keys and runs here; otherwise in memory.")
@INSECURE
def server(
    host: str,
    port: int,
    certificate: Path | None,
    key: Path | None,
    root_certificates: Path | None,
    database: Path | None,
    insecure: bool,
) -> None:
    """Start a SuperLink: what all clients connect to, and where fits run.

    Only clients whose keys were registered may connect.
    """
    arguments = ["--host", host, "--port", str(port), "--disable-runtime-dependency-installation"]
    if insecure:
        _check_security(root_certificates or certificate or key, insecure)
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
    programs.become("flower-superlink", arguments)


@flower.command()
@click.option("--name", required=True, help="What this client is called.")
@click.option("--data", required=True, metavar="FILES", help="Parquet or CSV: a path or a glob.")
@click.option("--target", metavar="COLUMN", help="The label column; it is no feature.")
@click.option("--policy", type=FILE, help="What may leave: a TOML file. By default the strict one.")
@click.option("--ledger", type=FILE, help="A line is added here for everything that leaves.")
@SUPERLINK
@ROOT
@INSECURE
@click.option("--key", type=THERE, help="This client's private key; its public half is registered.")
@click.option("--port", default=0, help="A local port for the node's own use. By default any.")
def client(
    name: str, superlink: str, root_certificates: Path | None, insecure: bool, key: Path | None,
    port: int, **node: Any,
) -> None:  # fmt: skip
    """Start a client: a SuperNode that answers about its own table.

    Table, policy and ledger are checked first. None of this comes from the server.
    """
    _check_security(root_certificates or key, insecure)
    check_superlink(superlink, root_certificates)
    settings = _checked_node(name, **node)
    if why := why_unreachable(superlink, root_certificates, insecure=insecure):
        click.echo(f"fedps: warning: {why}", err=True)  # the server may come later
    arguments = ["--superlink", superlink, "--port", str(port or programs.free_port())]
    arguments += ["--node-config", programs.config_text(settings)]
    if insecure:
        arguments.append("--insecure")
    if root_certificates is not None:
        arguments += ["--root-certificates", str(root_certificates.absolute())]
    if key is not None:
        arguments += ["--auth-supernode-private-key", str(key.absolute())]
    programs.become("flower-supernode", arguments, programs.home_of(name))


def _checked_node(
    name: str, data: str, target: str | None, policy: Path | None, ledger: Path | None
) -> dict[str, str]:
    """Open all that a client needs, and return its node config."""
    rules = None if policy is None else read_policy(policy)
    table = open_table(data, target=target)
    describe_client(open_client(name, table, rules, ledger, "check"), policy)
    given = {"target": target, "policy": _absolute(policy), "ledger": _absolute(ledger)}
    return {
        "name": name,
        "data": str(Path(data).expanduser().absolute()),
        **{key: value for key, value in given.items() if value is not None},
    }


def _absolute(path: Path | None) -> str | None:
    return None if path is None else str(path.expanduser().absolute())


def _settings(given: dict[str, Any]) -> dict[str, str | int | float]:
    """Return the settings of a run that were given, as a run config has them."""
    found = {key.replace("_", "-"): value for key, value in given.items() if value is not None}
    assert found.keys() <= DEFAULTS.keys()
    return {k: _absolute(v) or "" if isinstance(v, Path) else v for k, v in found.items()}


def _check_security(secured: Path | None, insecure: bool) -> None:
    if insecure and secured is not None:
        raise UsageError(
            "--insecure goes without certificates and keys: leave out one or the other."
        )
