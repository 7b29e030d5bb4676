"""answer: what a site does with a round of FedPS."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from nvflare.collab import collab

from fedps.client import Policy, Responder, open_table
from fedps.client.tables import Table
from fedps.engines.engine_adapter import answer_guarded, open_client

KEPT = "fedps.responder"  # where a site keeps what answers, for as long as the job lives
LOG = "fedps.log"  # in the site's own folder

_one_at_a_time = threading.Lock()  # a call that comes again may find the first one still under way


def answer(
    message: bytes,
    table: Any,
    policy: Policy | None = None,
    *,
    target: str | None = None,
    ledger: str | Path | None = None,
) -> bytes:
    """Return the reply to a round of FedPS. Never raises.

    Parameters
    ----------
    message : bytes
        The round, as it came.
    table : table or callable
        Anything that ``fedps.Federation`` takes as a client's table: a data frame, an array, a pair
        ``(X, y)``, the path of Parquet or CSV files. A function without arguments is called for one,
        once.
    policy : Policy, optional
        What this site is willing to reveal. ``fedps.Policy()``, the strict default, if not given.
    target : str, optional
        The label column; it is not a feature.
    ledger : path, optional
        A file to which a line is added for everything that leaves.

    Examples
    --------
    On the client side of a job::

        class Site:
            @collab.publish
            def fedps_answer(self, message):
                return fedps.nvflare.answer(message, "patients.parquet")
    """

    def open_responder() -> Responder:
        source = table() if callable(table) else table
        opened = source if isinstance(source, Table) else open_table(source, target=target)
        return open_client(collab.site_name, opened, policy, ledger, peer())

    return reply(message, (table, policy, target, ledger), open_responder)


class Kept(NamedTuple):
    """What answers, and what it was opened from."""

    source: tuple[Any, ...]
    responder: Responder


def reply(message: Any, source: tuple[Any, ...], open_responder: Callable[[], Responder]) -> bytes:
    """Return the reply of a responder that is opened once, and again where its source is another."""

    def responder() -> Responder:
        kept: Kept | None = collab.get_app_prop(KEPT)
        if kept is not None and _same(kept.source, source):
            return kept.responder
        opened = open_responder()
        if kept is not None:
            opened.remember(kept.responder.heard)
        collab.set_app_prop(KEPT, Kept(source, opened))
        return opened

    with _one_at_a_time:
        keep_log_here()
        return answer_guarded(
            collab.site_name, message if isinstance(message, bytes) else b"", responder
        )


def peer() -> str:
    """Return who asks, for the ledger."""
    return f"NVFLARE job {collab.fl_ctx.get_job_id()}"


def keep_log_here() -> None:
    """Write what FedPS logs into a file of the site's own.

    It can quote the text of an exception, and so a cell; NVFLARE sends its own logs to the server.
    """
    log = logging.getLogger("fedps")
    if not log.propagate:
        return
    handler = logging.FileHandler(Path(collab.workspace.get_root_dir(), LOG), delay=True)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    log.addHandler(handler)
    log.propagate = False


def _same(left: tuple[Any, ...], right: tuple[Any, ...]) -> bool:
    """Whether two sources are the same: tables are compared by identity, paths by what they say."""
    return all(
        one is other or (isinstance(one, str | Path) and one == other)
        for one, other in zip(left, right, strict=True)
    )
