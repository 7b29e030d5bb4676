"""simulate: run a job on this machine, in NVFLARE's simulator, each client a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from fedps.errors import UsageError
from fedps.nvflare.job import clients_of
from fedps.nvflare.kit import allow_fedps
from fedps.nvflare.results import Results
from fedps.nvflare.server import RESULTS
from fedps.nvflare.site import VARIABLE, Site, write_site

SIMULATOR = "nvflare.private.fed.app.simulator.simulator"


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
    return Results(made / "server" / "simulate_job" / RESULTS)


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
