"""answer: how a ClientApp replies to a message of FedPS."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

from flwr.app import ConfigRecord, Context, Message, RecordDict

from fedps.client import Ledger, Policy, Responder
from fedps.engines.client_answer import answer_guarded, open_client
from fedps.engines.owned import read_owned
from fedps.transports.flower import RECORD, REPLY, ROUND

log = logging.getLogger("fedps.client")

# Flower may start a process for each message: where a node keeps what it was told, in context.state
_JOURNAL, _HEARD, _ROWS = "fedps.journal", "rounds", "rows"


def answer(  # noqa: PLR0913 - each by its name
    message: Message,
    context: Context,
    table: Any,
    policy: Policy | None = None,
    *,
    target: str | None = None,
    dtypes: Mapping[str, str] | None = None,
    name: str | None = None,
    ledger: Ledger | str | Path | None = None,
    split: Literal["rows", "columns"] = "rows",
    key: str | None = None,
    new: Any = None,
    outputs: str | Path | None = None,
    predictions: str | Path | None = None,
    salt: str | Path | None = None,
) -> Message:
    """Return the reply to a message of type ``query.fedps``. Never raises.

    Parameters
    ----------
    message, context
        As Flower gives them to the ClientApp's function.
    table : table or callable
        Anything that ``fedps.Federation`` takes as a client's table: a data frame, an array, a pair
        ``(X, y)``, the path of Parquet or CSV files. Or a function without arguments that returns it.
    policy : Policy, optional
        What this node is willing to reveal. Default: ``fedps.Policy()``.
    target : str, optional
        The label column; it is not a feature.
    dtypes : dict of str to str, optional
        What some columns are read as, such as ``{"zip": "str"}``.
    name : str, optional
        What this client is called. Default: ``name`` of the node config, or else ``node`` and its
        number.
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
    Message
        To be returned to Flower.

    Examples
    --------
    In a ClientApp::

        @app.query("fedps")
        def preprocessing(message, context):
            return fedps.flower.answer(message, context, "patients.parquet", ledger="oslo.jsonl")
    """

    def open_responder() -> Responder:
        peer = asking_run(context)
        owned = read_owned(split, key, new, outputs, predictions, salt)
        how: dict[str, Any] = {"target": target, "dtypes": dtypes, "owned": owned}
        return open_client(called, table, policy, ledger, peer, **how)

    called = name or node_name(context)
    return reply_with_journal(message, context, called, open_responder)


def reply_with_journal(
    message: Message, context: Context, name: str, open_responder: Callable[[], Responder]
) -> Message:
    """Return the reply of a responder that knows what this node was told before."""
    opened: list[Responder] = []

    def with_journal() -> Responder:
        responder = open_responder()
        opened.append(responder)
        try:
            responder.remember(*_journal(context))
        except Exception:  # of another version, perhaps: a fit that begins does not need it
            log.exception("client %r cannot read what it was told before", name)
            responder.forget()
        return responder

    packed = answer_guarded(name, _message(message), with_journal)
    if opened:
        heard, rows = list(opened[0].heard), opened[0].rows_seen
        context.state[_JOURNAL] = ConfigRecord({_HEARD: heard, _ROWS: rows})
        opened[0].table.release()  # no process is there until the next round
    return Message(RecordDict({RECORD: ConfigRecord({REPLY: packed})}), reply_to=message)


def node_name(context: Context) -> str:
    """Return what a node is called: as its config says, or else by its number."""
    return str(context.node_config.get("name") or f"node {context.node_id}")


def asking_run(context: Context) -> str:
    """Return who asks, for the ledger: a run of Flower.

    Flower tells a ClientApp neither which account started the run nor which app it is, so that this is all
    that a node can know, and a policy with ``requesters`` cannot be kept here.
    """
    return f"Flower run {context.run_id}"


def _message(message: Message) -> bytes:
    """Return the bytes of a round; none, if the message is not one."""
    record = message.content.get(RECORD) if message.has_content() else None
    found = record.get(ROUND) if isinstance(record, ConfigRecord) else None
    return found if isinstance(found, bytes) else b""


def _journal(context: Context) -> tuple[list[bytes], str]:
    """Return the earlier rounds of the fit, as this node got them, and which rows they were about."""
    record = context.state.get(_JOURNAL)
    if not isinstance(record, ConfigRecord):
        return [], ""
    found: Any = record.get(_HEARD, [])
    return list(found), str(record.get(_ROWS, ""))
