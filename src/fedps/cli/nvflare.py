"""``fedps nvflare``: start a server and clients, make a job, and fit, on NVFLARE."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from fedps.cli.columns.column_options import (
    NAME_OPTION,
    OWNED_OPTIONS,
    SPLIT_OPTIONS,
    owned_settings,
)
from fedps.cli.columns.nvflare_predict import nvflare_predict
from fedps.cli.looks.nvflare_looks import NVFLARE_LOOKS
from fedps.cli.named_files import read_clients
from fedps.cli.named_sources import read_sources
from fedps.cli.nvflare_sites import SITES, who_takes_part
from fedps.cli.options import (
    CLIENT_OPTION,
    CLIENT_SOURCE_OPTIONS,
    DTYPE_OPTION,
    EXISTING_FOLDER,
    FOLDER,
    JOB_OPTIONS,
    PIPELINE_OPTION,
    POLICY_OPTION,
    REPORT_OPTION,
    TARGET_OPTION,
    all_of,
    client_options,
    out_option,
)
from fedps.cli.output import check_client, say_written
from fedps.engines.client_settings import ClientSettings
from fedps.engines.job import check_new
from fedps.errors import UsageError
from fedps.files.looks import check_look_path
from fedps.files.predictions import check_predictions_path
from fedps.files.reports import check_report_path
from fedps.files.saved_fits import check_result_path
from fedps.nvflare.job_folder import holds_look, holds_prediction, make_job, read_job
from fedps.nvflare.simulation import simulate
from fedps.nvflare.site_settings import read_site_file, site_file, write_site_file
from fedps.nvflare.startup_kit import StartupKit
from fedps.nvflare.submit_job import EndedJob, submit

_RESULTS = all_of(
    out_option(
        help="The file for the result: .skops for a fitted estimator, .parts with --split columns; "
        ".html, .json or .csv of a look; .csv or .parquet of predictions."
    ),
    REPORT_OPTION,
    click.option(
        "--keep",
        metavar="FOLDER",
        type=FOLDER,
        help="Keep all that the job leaves in this new folder.",
    ),
)


@click.group("nvflare")
def nvflare_commands() -> None:
    """Run on NVFLARE: start a server and clients, make a job, fit.

    \b
    fedps nvflare server KIT       once, where all can reach it
    fedps nvflare client KIT       at each site
    fedps nvflare job FOLDER       make a job that fits a pipeline
    fedps nvflare describe FOLDER  make a job that looks at the sites' data
    fedps nvflare predict FOLDER   make a job that predicts, where sites hold different columns
    fedps nvflare run FOLDER       run it there
    fedps nvflare simulate FOLDER  run it on this machine, to try it out
    """  # noqa: D301 - to click, \\b means that lines stay as they are


for _command in (*NVFLARE_LOOKS, nvflare_predict):
    nvflare_commands.add_command(_command)


@nvflare_commands.command("job")
@click.argument("folder", type=FOLDER)
@PIPELINE_OPTION
@SITES
@JOB_OPTIONS
@SPLIT_OPTIONS
@NAME_OPTION
def _job(
    folder: Path, pipeline: str, sites: tuple[str, ...], clients: int | None,
    checkpoint: Path | None, **options: Any,
) -> None:  # fmt: skip
    """Make a job in FOLDER that fits a pipeline. It has no code, only the pipeline's parameters.

    Give either the names of the sites that take part, or with --clients how many. A checkpoint is a
    file in the server's kit.
    """
    options["checkpoint"] = None if checkpoint is None else str(checkpoint)
    for path in make_job(folder, pipeline, who_takes_part(sites, clients), **options):
        click.echo(f"wrote {path}")


@nvflare_commands.command("run")
@click.argument("folder", type=EXISTING_FOLDER)
@click.option(
    "--admin",
    type=EXISTING_FOLDER,
    metavar="KIT",
    required=True,
    help="The startup kit of an admin.",
)
@click.option(
    "--wait",
    metavar="SECONDS",
    default=60.0,
    show_default=True,
    help="How long sites have to connect.",
)
@_RESULTS
def _run(
    folder: Path, admin: Path, wait: float, out: Path | None, report: Path | None, keep: Path | None
) -> None:
    """Run the job in FOLDER on a running federation.

    It is submitted and followed to its end, and its results are fetched.
    """
    _check_files(folder, out, report)
    with _place(keep) as place:
        ended = submit(folder, StartupKit(admin, "admin"), place, wait=wait, say=_say)
        _finish(ended, out, report)


@nvflare_commands.command("simulate")
@click.argument("folder", type=EXISTING_FOLDER)
@CLIENT_OPTION
@CLIENT_SOURCE_OPTIONS
@TARGET_OPTION
@click.option(
    "--key", metavar="COLUMN", help="Of a job with --split columns: what identifies rows."
)
@DTYPE_OPTION
@POLICY_OPTION
@_RESULTS
def _simulate(
    folder: Path, clients: tuple[str, ...], queries: tuple[str, ...], reads: tuple[str, ...],
    policy: Path | None, out: Path | None, report: Path | None, keep: Path | None, **given: Any,
) -> None:  # fmt: skip
    """Run the job in FOLDER in NVFLARE's simulator, on this machine.

    Each client is a process. The policy is that of all clients, whose ledgers begin with this run;
    with --keep, they and the parts of columns that clients keep stay in that folder.
    """
    _check_files(folder, out, report)
    split = read_job(folder).split
    with _place(keep) as place:
        sites = {
            name: ClientSettings(
                own.data,
                policy=policy,
                ledger=place / f"{name}.jsonl",
                query=own.query,
                read=own.read,
                split=split,
                **given,
            )
            for name, own in read_sources(read_clients(clients), queries, reads).items()
        }
        for name, settings in sites.items():
            check_client(name, settings, users_known=True)
        whole = {name: settings.absolute() for name, settings in sites.items()}
        results = simulate(folder.absolute(), whole, place)
        _finish(EndedJob("simulated", results, ""), out, report)


@contextmanager
def _place(keep: Path | None) -> Iterator[Path]:
    """Give a folder for what a job leaves: the one to keep, or a temporary one."""
    if keep is None:
        with tempfile.TemporaryDirectory(prefix="fedps-nvflare-") as temporary:
            yield Path(temporary)
        return
    check_new(keep)
    keep.mkdir(parents=True, exist_ok=True)
    try:
        yield keep.absolute()
    except UsageError:  # before anything ran
        shutil.rmtree(keep)
        raise


def _finish(ended: EndedJob, out: Path | None, report: Path | None) -> None:
    """Show what a job found and cost, write its results, and raise an error if it failed."""
    if out is None and ended.results.found:
        click.echo(f"{ended.results.found}\n")
    click.echo(ended.results.shown)
    if written := ended.results.collect(out, report):
        say_written(written)
    ended.results.check(ended.status, ended.blame)


@nvflare_commands.command("client")
@click.argument("kit", type=EXISTING_FOLDER)
@client_options(data_required=False)
@OWNED_OPTIONS
@click.option("--refuse-code", is_flag=True, help="Refuse jobs that bring code, from now on.")
@click.option("--check", is_flag=True, help="Only check, and do not start.")
def _client(kit: Path, refuse_code: bool, check: bool, **given: Any) -> None:
    """Start the client of a startup kit.

    It answers about its own table. Table, policy and ledger are checked first. They are kept in
    local/fedps.toml of the kit, so give them only once. The server cannot change them.
    """
    own = StartupKit(kit, "client")
    file = site_file(own.local, own.name)
    if given["data"] is not None:
        settings = ClientSettings(**owned_settings(given))
        check_client(own.name, settings, users_known=True)
        write_site_file(file, settings.absolute())
        _say(f"wrote {file}")
    elif any(given.values()):
        raise UsageError(
            "--target, --dtype, --query, --read, --policy, --ledger and those of columns go with --data."
        )
    else:
        check_client(own.name, read_site_file(file), users_known=True)
    _allow(own)
    if refuse_code:
        own.refuse_code()
        _say(f"jobs that bring code are refused now: {own.local / 'authorization.json'}")
    if not check:
        own.start()


@nvflare_commands.command("server")
@click.argument("kit", type=EXISTING_FOLDER)
@click.option("--check", is_flag=True, help="Only prepare the kit, and do not start.")
def _server(kit: Path, check: bool) -> None:
    """Start the server of a startup kit; jobs of FedPS run there."""
    own = StartupKit(kit, "server")
    _allow(own)
    if not check:
        own.start()


def _allow(kit: StartupKit) -> None:
    if kit.allow_fedps():
        _say(f"jobs may use the classes of fedps.nvflare now: {kit.local / 'resources.json'}")


def _check_files(job: Path, out: Path | None, report: Path | None) -> None:
    """Refuse files that the results of a job cannot be written to."""
    if holds_look(job):
        check_look_path(out)
    elif holds_prediction(job):
        check_predictions_path(out)
    elif out is not None:
        check_result_path(out, read_job(job).split)
    check_report_path(report)


def _say(text: str) -> None:
    click.echo(f"fedps: {text}")
