"""Driving a plan: rounds out, replies in, and a note of what it cost."""

from __future__ import annotations

from typing import Any

from fedps.errors import PeerError
from fedps.progress import Progress
from fedps.protocol.codec import FunctionNames, decode, encode
from fedps.protocol.coordinator import Coordinator
from fedps.protocol.messages import Reply, Round
from fedps.report import AskRow, Run
from fedps.templates import described_columns
from fedps.transports import Transport


def drive(
    coordinator: Coordinator[Any],
    transport: Transport,
    run: Run,
    *,
    functions: FunctionNames | None = None,
    show: bool | None = None,
) -> None:
    """Carry rounds and replies until the plan has its outcome. ``show`` is for the progress line."""
    progress = Progress(len(run.clients), show=show)
    try:
        while (round_ := coordinator.next_round()) is not None:
            run.rounds += 1
            messages = _messages(coordinator, round_, functions)
            for client, message in messages.items():
                run.bytes_down[client] += len(message)
            try:
                for answered, (client, data) in enumerate(transport.exchange(messages)):
                    run.bytes_up[client] += len(data)
                    progress.update(run.rounds, answered + 1)
                    reply = decode(data, Reply, f"client {client!r}")
                    if reply.client != client:
                        raise PeerError(
                            f"client {client!r} sent a reply in the name of {reply.client!r}."
                        )
                    coordinator.receive(reply)
            finally:
                _record(coordinator, run)
    finally:
        progress.close()


def _messages(
    coordinator: Coordinator[Any], round_: Round, functions: FunctionNames | None
) -> dict[str, bytes]:
    """Return a round as bytes for each client; encoded once where all are told the same."""
    if not round_.is_private:
        return dict.fromkeys(coordinator.waiting, encode(round_, functions))
    return {client: encode(own, functions) for client, own in coordinator.rounds().items()}


def _record(coordinator: Coordinator[Any], run: Run) -> None:
    """Note what a round asked."""
    if coordinator.pooled.table is not None:
        run.rows = coordinator.pooled.table.rows
    for asked in coordinator.asked:
        statistic = asked.ask.statistic
        row = AskRow(
            run.rounds,
            type(statistic).__name__,
            described_columns(asked.view, coordinator.columns, statistic),
            statistic.disclosure.name,
            statistic.shows,
            dict(asked.sizes),
        )
        run.asks.append(row)
