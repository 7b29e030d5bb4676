"""submit: run a job on a running federation, with the startup kit of an admin."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from nvflare.fuel.flare_api.flare_api import new_secure_session

from fedps.engines.job import FitJob
from fedps.errors import FedPSError, TransportError
from fedps.nvflare.job_folder import read_job
from fedps.nvflare.job_results import RESULTS, JobResults
from fedps.nvflare.startup_kit import StartupKit

_LOGIN = 30.0  # seconds to reach the server
_PAUSE = 1.0  # seconds between two looks


class EndedJob(NamedTuple):
    """How a job ended, its results, and which site caused that it failed, as NVFLARE says."""

    status: str
    results: JobResults
    blame: str


def submit(
    job: Path, admin: StartupKit, downloads: Path, *, wait: float, say: Callable[[str], None]
) -> EndedJob:
    """Submit a job and follow it to its end.

    Parameters
    ----------
    job : path
        The folder of the job.
    admin : StartupKit
        Who submits it.
    downloads : path
        The folder for what NVFLARE keeps of the job.
    wait : float
        Seconds that the sites have to connect before the job is submitted.
    say : callable
        Called with a sentence whenever something happens.
    """
    wanted = read_job(job)
    with _session(admin) as session:
        _await_sites(session, wanted, wait)
        id = session.submit_job(str(job.absolute()))
        say(f"job {id} is submitted")
        try:
            meta = _follow(session, id, say)
        except KeyboardInterrupt:
            raise TransportError(f"stopped following job {id}, which goes on.") from None
        folder = Path(session.download_job_result(id, str(downloads)))
        status = meta["status"]
        blame = "" if status.endswith(":COMPLETED") else _who_failed(session, id, meta)
    return EndedJob(status, JobResults(folder / "workspace" / RESULTS), blame)


@contextmanager
def _session(admin: StartupKit) -> Iterator[Any]:
    """Log in, and turn what NVFLARE raises into errors of FedPS. The session is always closed."""
    try:
        session = new_secure_session(admin.name, str(admin.folder), timeout=_LOGIN)
    except Exception as error:
        raise TransportError(
            f"{admin.name!r} cannot log in: {error}. Is the server up, and can its port be reached?"
        ) from error
    try:
        yield session
    except FedPSError:
        raise
    except ConnectionError:
        raise TransportError(
            "the connection to the server was lost. Start it again, and run the job again; with a "
            "checkpoint nothing is asked twice."
        ) from None
    except Exception as error:
        raise TransportError(f"NVFLARE says: {type(error).__name__}: {error}.") from error
    finally:
        session.close()


def _await_sites(session: Any, job: FitJob, wait: float) -> None:
    """Wait until the sites of a job are connected: none can join it once it has begun."""
    deadline = time.monotonic() + wait
    clients, quorum = job.clients, job.quorum
    wanted = clients if isinstance(clients, int) else len(clients)
    while True:
        here = sorted(client.name for client in session.get_connected_client_list())
        missing = [] if isinstance(clients, int) else [name for name in clients if name not in here]
        there = len(here) if isinstance(clients, int) else wanted - len(missing)
        if there >= wanted:
            return
        if time.monotonic() >= deadline:
            break
        time.sleep(_PAUSE)
    if quorum is None or there < quorum:
        absent = ", ".join(missing) or f"{wanted - there} more"
        raise TransportError(
            f"after {wait:g} seconds these sites are connected: {', '.join(here) or 'none'}; missing: "
            f"{absent}. Start them ('fedps nvflare client KIT'), or wait longer (--wait)."
        )


def _follow(session: Any, id: str, say: Callable[[str], None]) -> dict[str, Any]:
    """Return what NVFLARE says of a job once it has ended; say what it does until then."""
    last = ""
    while True:
        meta: dict[str, Any] = session.get_job_meta(id)
        status = str(meta["status"])
        if status != last:
            say(f"the job is {status}")
        last = status
        if status.startswith("FINISHED"):
            return meta
        time.sleep(_PAUSE)


def _who_failed(session: Any, id: str, meta: dict[str, Any]) -> str:
    """Return which sites made a job fail, as far as NVFLARE lets this admin know."""
    deployed = meta.get("job_deploy_detail") or ()
    problems = [
        str(each) for each in deployed if ": " in str(each) and not str(each).endswith(": OK")
    ]
    if problems:
        return f"NVFLARE could not set it up: {'; '.join(problems)}."
    try:
        found = session.grep_target("server", "", f"Failing job {id}", "log.txt")
    except Exception:  # noqa: BLE001 - an admin without that right sees no log
        return ""
    site = str(found).strip().rpartition("due to reported failure from ")[2].partition(":")[0]
    if not site or not site.isprintable():
        return ""
    return f"NVFLARE says that the job process of site {site!r} died."
