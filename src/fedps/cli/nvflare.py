"""``fedps nvflare``: make a job, start a client and a server, and fit, on NVFLARE."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from fedps.cli.reading import read_clients
from fedps.cli.showing import describe_client, report_path
from fedps.errors import UsageError
from fedps.files.saved_fits import checked_path
from fedps.nvflare.job import make_job
from fedps.nvflare.kit import Kit
from fedps.nvflare.simulating import simulate
from fedps.nvflare.site import Site, read_site, site_file, write_site
from fedps.nvflare.submitting import Ended, submit

FILE = click.Path(path_type=Path, dir_okay=False)
FOLDER = click.Path(path_type=Path, file_okay=False)
THERE = click.Path(path_type=Path, file_okay=False, exists=True)

TARGET = click.option("--target", metavar="COLUMN", help="The label column; it is no feature.")


@click.group()
def nvflare() -> None:
    """Run on NVFLARE: make a job, start a server and clients, fit.

    \b
    fedps nvflare server KIT    once, where all can reach it
    fedps nvflare client KIT    at each site
    fedps nvflare job DIR       make a job of a pipeline
    fedps nvflare run DIR       fit it there
    fedps nvflare simulate DIR  fit it on this machine, to try it out
    """  # noqa: D301 - to click, \\b means that lines stay as they are


@nvflare.command()
@click.argument("folder", type=FOLDER)
@click.option("--pipeline", required=True, metavar="FILE:NAME", help="Such as prep.py:pipeline.")
@click.option("--site", "sites", multiple=True, help="A site that takes part. Once for each.")
@click.option("--clients", type=click.IntRange(min=1), help="How many sites, whichever they are.")
@click.option("--timeout", type=float, help="Seconds that a site has to answer a round: 600.")
@click.option("--quorum", type=click.IntRange(min=1), help="Go on with this many at least.")
@click.option("--quantiles", metavar="HOW", help="exact, kll[:k] or req[:k].")
@click.option("--frequent", metavar="HOW", help="exact or items[:k].")
@click.option("--sample-weight", metavar="COLUMN", help="A column of row weights.")
@click.option(
    "--checkpoint", help="A file of the server that records rounds: a second run goes on."
)
def job(
    folder: Path, pipeline: str, sites: tuple[str, ...], clients: int | None, **options: Any
) -> None:
    """Make a job in FOLDER that fits a pipeline. It has no code, only the pipeline's parameters."""
    if bool(sites) == (clients is not None):
        raise UsageError("say who takes part: --site for each site, or --clients and a number.")
    for path in make_job(folder, pipeline, list(sites) or clients or 0, **options):
        click.echo(f"wrote {path}")


OUT = click.option("--out", type=FILE, help="The skops file for the fitted estimator.")
REPORT = click.option("--report", type=FILE, help="What it cost and showed: .html, .json or .md.")
KEEP = click.option("--keep", type=FOLDER, help="Keep all that the job leaves in this new folder.")


@nvflare.command()
@click.argument("folder", type=THERE)
@click.option("--admin", type=THERE, metavar="KIT", required=True, help="Your own startup kit.")
@click.option("--wait", default=60.0, show_default=True, help="Seconds for the sites to connect.")
@OUT
@REPORT
@KEEP
def run(
    folder: Path, admin: Path, wait: float, out: Path | None, report: Path | None, keep: Path | None
) -> None:
    """Run the job in FOLDER on a federation that is up, and fetch what it gives."""
    _check_files(out, report)
    with _place(keep) as place:
        ended = submit(folder, Kit(admin, "admin"), place, wait=wait, say=_say)
        _finish(ended, out, report)


@nvflare.command("simulate")
@click.argument("folder", type=THERE)
@click.option(
    "--client", "clients", metavar="NAME=FILE", multiple=True, required=True,
    help="A site and its Parquet or CSV file. Once for each site.",
)  # fmt: skip
@TARGET
@click.option("--policy", type=FILE, help="What the sites reveal. By default the strict policy.")
@OUT
@REPORT
@KEEP
def simulate_(
    folder: Path, clients: tuple[str, ...], target: str | None, policy: Path | None,
    out: Path | None, report: Path | None, keep: Path | None,
) -> None:  # fmt: skip
    """Run the job in FOLDER on this machine, in NVFLARE's simulator: each site is a process."""
    _check_files(out, report)
    rules = _absolute(policy)
    sites = {
        name: Site(_whole(file), target, rules) for name, file in read_clients(clients).items()
    }
    for name, site in sites.items():
        describe_client(site.open(name, "check"), site.policy)
    with _place(keep) as place:
        results = simulate(folder.absolute(), sites, place)
        _finish(Ended("simulated", results, ""), out, report)


@contextmanager
def _place(keep: Path | None) -> Iterator[Path]:
    """Give a folder for what a job leaves: one that is kept, or one that is not."""
    if keep is None:
        with tempfile.TemporaryDirectory(prefix="fedps-nvflare-") as temporary:
            yield Path(temporary)
        return
    if keep.exists() and any(keep.iterdir()):
        raise UsageError(f"--keep {str(keep)!r} is there already. Give a new folder.")
    keep.mkdir(parents=True, exist_ok=True)
    yield keep.absolute()


def _finish(ended: Ended, out: Path | None, report: Path | None) -> None:
    """Show what a job has cost, write what it gave, and say what went wrong."""
    click.echo(ended.results.shown)
    if written := ended.results.collect(out, report):
        click.echo(f"\nWritten: {', '.join(map(str, written))}")
    ended.results.check(ended.status, ended.blame)


@nvflare.command()
@click.argument("kit", type=THERE)
@click.option("--data", metavar="FILES", help="Parquet or CSV: a path or a glob.")
@TARGET
@click.option("--policy", type=FILE, help="What may leave: a TOML file. By default the strict one.")
@click.option("--ledger", type=FILE, help="A line is added here for everything that leaves.")
@click.option("--refuse-code", is_flag=True, help="Refuse jobs that bring code, from now on.")
@click.option("--check", is_flag=True, help="Only check, and do not start.")
def client(
    kit: Path, data: str | None, target: str | None, policy: Path | None, ledger: Path | None,
    refuse_code: bool, check: bool,
) -> None:  # fmt: skip
    """Start the client of a startup kit, which answers about its own table.

    Table, policy and ledger are checked first. They are kept in local/fedps.toml of the kit, so they
    need be given only once. None of this comes from the server.
    """
    own = Kit(kit, "client")
    file = site_file(own.local, own.name)
    if data is not None:
        site = Site(_whole(data), target, _absolute(policy), _absolute(ledger))
        describe_client(site.open(own.name, "check"), site.policy)
        write_site(file, site)
        _say(f"wrote {file}")
    elif target or policy or ledger:
        raise UsageError("--target, --policy and --ledger go with --data.")
    else:
        site = read_site(file)
        describe_client(site.open(own.name, "check"), site.policy)
    _allow(own)
    if refuse_code:
        own.refuse_code()
        _say(f"jobs may bring no code now: {own.local / 'authorization.json'}")
    if not check:
        own.start()


@nvflare.command()
@click.argument("kit", type=THERE)
@click.option("--check", is_flag=True, help="Only prepare the kit, and do not start.")
def server(kit: Path, check: bool) -> None:
    """Start the server of a startup kit, where jobs of FedPS may run."""
    own = Kit(kit, "server")
    _allow(own)
    if not check:
        own.start()


def _allow(kit: Kit) -> None:
    if kit.allow_fedps():
        _say(f"jobs may use the classes of fedps.nvflare now: {kit.local / 'resources.json'}")


def _check_files(out: Path | None, report: Path | None) -> None:
    if out is not None:
        checked_path(out)
    report_path(report)


def _whole(data: str) -> str:
    return str(Path(data).expanduser().absolute())


def _absolute(path: Path | None) -> Path | None:
    return None if path is None else path.expanduser().absolute()


def _say(text: str) -> None:
    click.echo(f"fedps: {text}")
