"""submit: run a job on a federation that is up, by an admin's startup kit."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from nvflare.fuel.flare_api.flare_api import new_secure_session

from fedps.errors import FedPSError, TransportError
from fedps.nvflare.job import clients_of, quorum_of
from fedps.nvflare.kit import Kit
from fedps.nvflare.results import Results
from fedps.nvflare.server import RESULTS

LOGIN = 30.0  # seconds to reach the server
PAUSE = 1.0  # seconds between two looks


class Ended(NamedTuple):
    """How a job ended, what it leaves, and whom NVFLARE blames if it failed."""

    status: str
    results: Results
    blame: str


def submit(
    job: Path, admin: Kit, downloads: Path, *, wait: float, say: Callable[[str], None]
) -> Ended:
    """Submit a job and follow it to its end.

    ``wait`` is how many seconds the sites have to connect before, ``say`` is told what happens.
    """
    clients, quorum = clients_of(job), quorum_of(job)
    with _session(admin) as session:
        _await_sites(session, clients, quorum, wait)
        id = session.submit_job(str(job.absolute()))
        say(f"job {id} is submitted")
        try:
            meta = _follow(session, id, say)
        except KeyboardInterrupt:
            raise TransportError(f"stopped looking at job {id}, which goes on.") from None
        folder = Path(session.download_job_result(id, str(downloads)))
        status = meta["status"]
        blame = "" if status.endswith(":COMPLETED") else _who_failed(session, id, meta)
    return Ended(status, Results(folder / "workspace" / RESULTS), blame)


@contextmanager
def _session(admin: Kit) -> Iterator[Any]:
    """Log in; what NVFLARE raises becomes an error of ours. The session ends in any case."""
    try:
        session = new_secure_session(admin.name, str(admin.folder), timeout=LOGIN)
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


def _await_sites(session: Any, clients: int | list[str], quorum: int | None, wait: float) -> None:
    """Wait until the sites of a job are connected: a job takes those that are there when it begins."""
    deadline = time.monotonic() + wait
    wanted = clients if isinstance(clients, int) else len(clients)
    while True:
        here = sorted(client.name for client in session.get_connected_client_list())
        missing = [] if isinstance(clients, int) else [name for name in clients if name not in here]
        there = len(here) if isinstance(clients, int) else wanted - len(missing)
        if there >= wanted:
            return
        if time.monotonic() >= deadline:
            break
        time.sleep(PAUSE)
    if quorum is None or there < quorum:
        absent = ", ".join(missing) or f"{wanted - there} more"
        raise TransportError(
            f"after {wait:g} seconds these sites are connected: {', '.join(here) or 'none'}; missing: "
            f"{absent}. Start them ('fedps nvflare client KIT'), or wait longer (--wait)."
        )


def _follow(session: Any, id: str, say: Callable[[str], None]) -> dict[str, Any]:
    """Return what NVFLARE says of a job, once it has ended; tell how it goes meanwhile."""
    last = ""
    while True:
        meta: dict[str, Any] = session.get_job_meta(id)
        status = str(meta["status"])
        if status != last:
            say(f"the job is {status}")
        last = status
        if status.startswith("FINISHED"):
            return meta
        time.sleep(PAUSE)


def _who_failed(session: Any, id: str, meta: dict[str, Any]) -> str:
    """Return what NVFLARE says of the sites that have ended a job, as far as this admin may know."""
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
