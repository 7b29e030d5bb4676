"""The NVFLARE transport: rounds travel as calls of NVFLARE's Collab API, one to each site.

Each site publishes a function ``fedps_answer``, which takes the bytes of a round and returns those of
its reply. Sites are called by the names in their certificates, and so are the clients.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from queue import Empty, SimpleQueue
from typing import Any

from nvflare.collab import CollabCallError, collab

from fedps.errors import TransportError, UsageError
from fedps.transports.base import Lost
from fedps.transports.lost_replies import UNREADABLE, clients_needed, too_late

log = logging.getLogger("fedps.nvflare")

_FUNCTION = "fedps_answer"  # what each site publishes
_GRACE = 5.0  # seconds that NVFLARE may exceed its own timeout before a site counts as lost


class NVFlareTransport:
    """Carries rounds to the sites of an NVFLARE job, from within its ``@collab.main``.

    Parameters
    ----------
    clients : int or sequence of str
        How many sites take part, or their names.
    timeout : float
        Seconds that a site has to answer a round.
    quorum : int, optional
        The fewest sites to go on with if not all are part of the job. Default: all are clients_needed.
    """

    def __init__(
        self, clients: int | Sequence[str], timeout: float, quorum: int | None = None
    ) -> None:
        self._timeout = timeout
        self._context = collab.context
        self._sites: dict[str, Any] = {site.name: site for site in collab.clients}
        if isinstance(clients, int):
            _check_count(sorted(self._sites), clients, quorum or clients)
            self._names = tuple(sorted(self._sites))
        else:
            self._names = tuple(sorted(clients))

    def clients(self) -> Sequence[str]:
        """Return the names of the sites that take part, sorted."""
        return self._names

    def exchange(self, messages: Mapping[str, bytes]) -> Iterator[tuple[str, bytes | Lost]]:
        """Call each site with its message; yield replies and losses as they arrive."""
        arrived: SimpleQueue[tuple[str, bytes | Lost]] = SimpleQueue()
        for client, message in messages.items():
            given = client, message, arrived
            threading.Thread(target=self._call, args=given, name="fedps", daemon=True).start()
        deadline = time.monotonic() + self._timeout + _GRACE
        waiting = set(messages)
        while waiting:
            try:
                client, found = arrived.get(timeout=max(0.0, deadline - time.monotonic()))
            except Empty:
                break
            if isinstance(found, Lost) and self._context.is_aborted():
                raise _ended(waiting)
            waiting.discard(client)
            yield client, found
        for client in sorted(waiting):
            yield client, too_late(self._timeout)

    def _call(
        self, client: str, message: bytes, arrived: SimpleQueue[tuple[str, bytes | Lost]]
    ) -> None:
        """Let one site answer. What NVFLARE says of an exception there is not passed on."""
        try:
            found = self._answer(client, message)
        except CollabCallError as error:
            is_late = error.cause_type == "TimeoutError"
            found = too_late(self._timeout) if is_late else _why(error)
        except Exception:  # whatever NVFLARE raises, the round goes on
            log.exception("the call of site %r failed", client)
            found = Lost("could not be called: the server's log says why")
        arrived.put((client, found))

    def _answer(self, client: str, message: bytes) -> bytes | Lost:
        site = self._sites.get(client)
        if site is None:
            return Lost("is not part of the job: its site was not connected when it began")
        reply = getattr(site(timeout=self._timeout), _FUNCTION)(message)
        if not isinstance(reply, bytes):
            return Lost(f"has a {_FUNCTION} that does not return what fedps.nvflare.answer gives")
        return reply or UNREADABLE


def _why(error: Any) -> Lost:
    """Return why a call failed, without NVFLARE's own text, which may quote a cell."""
    if error.remote_traceback:
        return Lost(f"has a {_FUNCTION} that failed: the log at the site says why")
    if "does not have method" in str(error.cause):
        return Lost(f"does not publish a function {_FUNCTION}: is it the client of fedps.nvflare?")
    return Lost("could not be reached: its job process or its connection is gone")


def _ended(waiting: set[str]) -> TransportError:
    """Return the error for a job that NVFLARE ends: no quorum can go on in it."""
    names = ", ".join(map(repr, sorted(waiting)))
    return TransportError(
        f"NVFLARE ended the job before {names} answered: the job process of a site died, or someone "
        "aborted the job. The log of the server says which site reported a failure."
    )


def _check_count(present: Sequence[str], wanted: int, quorum: int) -> None:
    """Demand that the right number of sites is part of the job: none can join it later."""
    there = f"{len(present)} sites are part of the job ({', '.join(present)})"
    if len(present) > wanted:
        raise UsageError(
            f"{there}, and clients={wanted}. Say clients={len(present)}, or give the names of those "
            "that take part."
        )
    if len(present) < quorum:
        raise TransportError(
            f"{there}, and {clients_needed(wanted, quorum)} were to take part. Connect the others and submit the "
            f"job again; min_clients={wanted} lets NVFLARE wait for them."
        )
    if len(present) < wanted:
        log.warning("%s instead of %d: going on with these", there, wanted)
