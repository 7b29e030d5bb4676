"""simulate: run a job on this machine, in NVFLARE's simulator, each client a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from fedps.errors import TransportError, UsageError
from fedps.nvflare.job import clients_of
from fedps.nvflare.kit import allow_fedps
from fedps.nvflare.results import Results
from fedps.nvflare.server import RESULTS
from fedps.nvflare.site import VARIABLE, Site, write_site

SIMULATOR = "nvflare.private.fed.app.simulator.simulator"

# What the simulator says of a client once it has reached its process, and before a job's own code runs
# there; and what it says where it could not: it picks a port first and uses it seconds later, and
# meanwhile another program may have taken it.
REACHED = "ClientTaskWorker started to run"
NOT_REACHED = ("Communication error with client", "Failed to create connection", "[Errno 98]")


def simulate(job: Path, sites: Mapping[str, Site], workspace: Path) -> Results:
    """Run a job with simulated sites; return what it leaves in the workspace, a new folder.

    There are the settings of the sites (``sites``), what the simulator makes (``simulator``), and what
    it says (``simulator.log``).
    """
    _check(clients_of(job), sites)
    settings = workspace / "sites"
    settings.mkdir(parents=True, exist_ok=True)
    for name, site in sites.items():
        write_site(settings / f"{name}.toml", site)
    made = workspace / "simulator"  # it empties its folder first
    _allow(made / "local")
    names = ",".join(sites)
    command = [sys.executable, "-m", SIMULATOR, str(job), "-w", str(made)]
    command += ["-c", names, "-t", str(len(sites))]
    with (workspace / "simulator.log").open("wb") as log:
        subprocess.run(  # noqa: S603 - our own Python
            command,
            env={**os.environ, VARIABLE: str(settings / "{site}.toml")},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            check=False,  # it says 0 also where a job failed
        )
    results = Results(made / "server" / "simulate_job" / RESULTS)
    said = (workspace / "simulator.log").read_text("utf-8", "replace")
    if not results.folder.exists() and not all_reached(said, len(sites)):
        raise TransportError(
            "NVFLARE's simulator did not reach all of its clients: probably another program took a "
            "port that it had picked. Nothing was fitted; run it again. With --keep FOLDER its log stays."
        )
    return results


def all_reached(log: str, sites: int) -> bool:
    """Tell whether the simulator got as far as to run a job's code at all sites, by what it said."""
    return log.count(REACHED) >= sites or not any(sign in log for sign in NOT_REACHED)


def _check(clients: int | list[str], sites: Mapping[str, Site]) -> None:
    """Demand that those take part that the job is for."""
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
