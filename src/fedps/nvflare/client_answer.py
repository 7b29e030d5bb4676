"""answer: how a site replies to a round of FedPS."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from nvflare.collab import collab

from fedps.client import Ledger, Policy, Responder
from fedps.client.tables.files.csv_options import CSV
from fedps.client.tables.files.excel_sheets import Excel
from fedps.client.tables.sql.sql import SQL
from fedps.engines.client_answer import answer_guarded, open_client
from fedps.engines.owned import read_owned
from fedps.nvflare.asking_job import asking_job, submitter

_KEPT = "fedps.responder"  # where a site keeps what answers, for as long as the job lives
_LOG_FILE = "fedps.log"  # in the site's own folder

_one_at_a_time = threading.Lock()  # a call that is repeated may find the first one still under way


def answer(  # noqa: PLR0913 - each by its name
    message: bytes,
    table: Any,
    policy: Policy | None = None,
    *,
    target: str | None = None,
    dtypes: Mapping[str, str] | None = None,
    ledger: Ledger | str | Path | None = None,
    split: Literal["rows", "columns"] = "rows",
    key: str | None = None,
    new: Any = None,
    outputs: str | Path | None = None,
    predictions: str | Path | None = None,
    salt: str | Path | None = None,
) -> bytes:
    """Return the reply to a round of FedPS. Never raises.

    Parameters
    ----------
    message : bytes
        The round, as it arrived.
    table : table or callable
        Anything that ``fedps.Federation`` takes as a client's table: a data frame, an array, a pair
        ``(X, y)``, the path of Parquet or CSV files. Or a function without arguments that returns it.
    policy : Policy, optional
        What this site is willing to reveal. Default: ``fedps.Policy()``.
    target : str, optional
        The label column; it is not a feature.
    dtypes : dict of str to str, optional
        What some columns are read as, such as ``{"zip": "str"}``.
    ledger : path, optional
        A file to which a line is added for everything that leaves. Needed where the policy limits what
        is told over time, as the default policy does, and with ``split="columns"``.
    split : {"rows", "columns"}, default="rows"
        Whether the table has some rows of all columns, or some columns of rows that other clients have.
    key : str, optional
        With ``split="columns"``, the column that identifies rows; it is not a feature.
    new : table, path or callable, optional
        With ``split="columns"``, the rows to predict: this client's columns of them, and the key.
    outputs, predictions : path, optional
        With ``split="columns"``, where this client's transformed rows are written, and predictions that are
        delivered to it: a Parquet or CSV file, or a folder.
    salt : path, optional
        With ``split="columns"``, a file with a secret that the clients share, and the server does not know. It
        hides keys from a server that guesses them. Default: none.

    Returns
    -------
    bytes
        To be returned to NVFLARE.

    Examples
    --------
    On the client side of a job::

        class Site:
            @collab.publish
            def fedps_answer(self, message):
                return fedps.nvflare.answer(message, "patients.parquet", ledger="oslo.jsonl")
    """

    def open_responder() -> Responder:
        name = collab.site_name
        return open_client(
            name,
            table,
            policy,
            ledger,
            asking_job(),
            target=target,
            dtypes=dtypes,
            requester=submitter(),
            owned=read_owned(split, key, new, outputs, predictions, salt),
        )

    return reply_and_keep(message, (table, policy, target, ledger, split, key, new), open_responder)


class _Kept(NamedTuple):
    """What answers, and what it was opened from."""

    source: tuple[Any, ...]
    responder: Responder


def reply_and_keep(
    message: Any, source: tuple[Any, ...], open_responder: Callable[[], Responder]
) -> bytes:
    """Return the reply of a responder that is opened once, and again if ``source`` differs."""

    def responder() -> Responder:
        kept: _Kept | None = collab.get_app_prop(_KEPT)
        if kept is not None and _same(kept.source, source):
            return kept.responder
        opened = open_responder()
        if kept is not None:
            opened.remember(kept.responder.heard, kept.responder.rows_seen)
            kept.responder.table.release()
        collab.set_app_prop(_KEPT, _Kept(source, opened))
        return opened

    with _one_at_a_time:
        _keep_log_here()
        return answer_guarded(
            collab.site_name, message if isinstance(message, bytes) else b"", responder
        )


def _keep_log_here() -> None:
    """Write what FedPS logs to a file of the site's own.

    NVFLARE sends its logs to the server, and the text of an exception can quote a cell.
    """
    log = logging.getLogger("fedps")
    if not log.propagate:
        return
    handler = logging.FileHandler(Path(collab.workspace.get_root_dir(), _LOG_FILE), delay=True)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    log.addHandler(handler)
    log.propagate = False


def _same(left: tuple[Any, ...], right: tuple[Any, ...]) -> bool:
    """Whether two sources are the same: tables are compared by identity, what names them by value."""
    return all(
        one is other or (isinstance(one, str | Path | CSV | SQL | Excel) and one == other)
        for one, other in zip(left, right, strict=True)
    )
