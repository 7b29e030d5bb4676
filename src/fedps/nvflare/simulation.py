"""simulate: run a job in NVFLARE's simulator on this machine, with a process for each client."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from fedps.engines.client_settings import ClientSettings
from fedps.errors import TransportError, UsageError
from fedps.nvflare.job_folder import read_job
from fedps.nvflare.job_results import RESULTS, JobResults
from fedps.nvflare.site_settings import FILE_VARIABLE, write_site_file
from fedps.nvflare.startup_kit import allow_fedps

_SIMULATOR = "nvflare.private.fed.app.simulator.simulator"

# What the simulator logs about a client once it has reached its process, before a job's own code runs
# there; and what it logs if it could not: it picks a port seconds before it uses it, and another program
# may take it meanwhile.
_REACHED = "ClientTaskWorker started to run"
_NOT_REACHED = ("Communication error with client", "Failed to create connection", "[Errno 98]")


def simulate(job: Path, sites: Mapping[str, ClientSettings], workspace: Path) -> JobResults:
    """Run a job with simulated sites; return its results.

    Parameters
    ----------
    job : path
        The folder of the job.
    sites : dict of str to ClientSettings
        The settings of each site, by its name.
    workspace : path
        A new folder for the settings of the sites (``sites``), the files of the simulator
        (``simulator``) and its log (``simulator.log``).
    """
    _check(read_job(job).clients, sites)
    settings = workspace / "sites"
    settings.mkdir(parents=True, exist_ok=True)
    for name, site in sites.items():
        write_site_file(settings / f"{name}.toml", site)
    made = workspace / "simulator"  # it empties its folder first
    _allow(made / "local")
    names = ",".join(sites)
    command = [sys.executable, "-m", _SIMULATOR, str(job), "-w", str(made)]
    command += ["-c", names, "-t", str(len(sites))]
    with (workspace / "simulator.log").open("wb") as log:
        subprocess.run(  # noqa: S603 - our own Python
            command,
            env={**os.environ, FILE_VARIABLE: str(settings / "{site}.toml")},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            check=False,  # it exits with 0 even if a job failed
        )
    results = JobResults(made / "server" / "simulate_job" / RESULTS)
    said = (workspace / "simulator.log").read_text("utf-8", "replace")
    if not results.folder.exists() and not all_reached(said, len(sites)):
        raise TransportError(
            "NVFLARE's simulator did not reach all of its clients: probably another program took a "
            "port that it had picked. Nothing was fitted; run it again. --keep FOLDER keeps its log."
        )
    return results


def all_reached(log: str, sites: int) -> bool:
    """Whether the simulator came to run a job's code at all sites, according to its log."""
    return log.count(_REACHED) >= sites or not any(sign in log for sign in _NOT_REACHED)


def _check(clients: int | Sequence[str], sites: Mapping[str, ClientSettings]) -> None:
    """Demand the sites that the job is for, and no others."""
    if isinstance(clients, int) and clients != len(sites):
        raise UsageError(f"the job is for {clients} sites; {len(sites)} are given.")
    if not isinstance(clients, int) and set(clients) != set(sites):
        raise UsageError(
            f"the job is for the sites {', '.join(clients)}; given are {', '.join(sites)}."
        )
    for name in sites:
        if "," in name or "/" in name:
            raise UsageError(f"{name!r} cannot be the name of a site.")


def _allow(local: Path) -> None:
    """Let the simulator's sites use the classes of FedPS."""
    local.mkdir(parents=True, exist_ok=True)
    resources = {"format_version": 2}
    allow_fedps(resources, "server", "client")
    (local / "resources.json.default").write_text(json.dumps(resources), "utf-8")
