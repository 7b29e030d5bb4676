"""Cohort: the clients of a fit. They are fixed in the first round, and do not change later."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from fedps.errors import Disagreement, FedPSError, UsageError
from fedps.federation.faults.checkpoint import Checkpoint
from fedps.federation.session import Session
from fedps.protocol.answers import who
from fedps.protocol.coordinator import Coordinator
from fedps.protocol.plan import nothing
from fedps.protocol.pooled import Pooled
from fedps.report.run import LeftOut, Run, introduce, leave_out
from fedps.transports import Nameless, Transport

_T = TypeVar("_T")
_NO_MAJORITY = (
    "quorum= does not help: it leaves out clients that differ from more than half of all."
)


class Cohort:
    """The clients of one fit, how many it needs, and what a checkpoint knows of it.

    Parameters
    ----------
    session : Session
        Drives plans over the clients.
    run : Run
        The record of the fit; its ``clients`` are those that still take part.
    quorum : int or None
        The fewest clients that the fit may go on with. None: all are needed.
    checkpoint : Checkpoint or None
        What is known of the fit already.
    """

    def __init__(
        self, session: Session, run: Run, quorum: int | None, checkpoint: Checkpoint | None
    ) -> None:
        self._session = session
        self.run = run
        self.checkpoint = checkpoint
        self._quorum = quorum
        if checkpoint is not None:
            self._go_on(session.transport, checkpoint)

    def keep_to(self, attempt: Callable[[], _T]) -> _T:
        """Return the result of an attempt; if it fails because of some clients, try again without them.

        Everything is asked again then: numbers from two sets of clients are never mixed.
        """
        while True:
            try:
                return attempt()
            except FedPSError as error:
                self._leave_out(error)

    def _leave_out(self, error: FedPSError) -> None:
        """Leave out the clients that an error is about, or raise it if the quorum does not allow that."""
        left = [client for client in self.run.clients if client not in error.clients]
        if self._quorum is None:
            raise error
        if len(left) == len(self.run.clients):
            if isinstance(error, Disagreement):
                error.args = (f"{error} {_NO_MAJORITY}",)
            raise error
        if len(left) < self._quorum:
            rest = (
                f"Without {who(error.clients)} there are fewer clients than quorum={self._quorum}."
            )
            error.args = (f"{error} {rest}",)
            raise error
        lost = [LeftOut(name, error.round or 1, str(error)) for name in error.clients]
        leave_out(self.run, lost)
        if self.checkpoint is not None:
            transport = self._session.transport
            names = transport.names if isinstance(transport, Nameless) else {}
            self.checkpoint.start_without(self.run.left_out, names)

    def _go_on(self, transport: Transport, checkpoint: Checkpoint) -> None:
        """Continue with the clients of a checkpoint."""
        leave_out(self.run, checkpoint.left_out)
        if isinstance(transport, Nameless) and checkpoint.has_begun:
            self._learn_names(transport, checkpoint)
        here = transport.clients()
        if not checkpoint.cohort:  # nothing is known but who was lost, maybe at another address
            self.run.left_out = [each for each in self.run.left_out if each.client in here]
            return
        if missing := [name for name in checkpoint.cohort if name not in here]:
            raise UsageError(
                f"the checkpoint belongs to a fit with {who(missing)}, not connected now. Connect all "
                "clients that took part, or remove the file to start over."
            )
        if new := [name for name in self.run.clients if name not in checkpoint.cohort]:
            self._go_on_without(new)
        self.run.clients = checkpoint.cohort

    def _go_on_without(self, new: list[str]) -> None:
        """Leave out clients that came after the fit had begun, if there is a quorum."""
        if self._quorum is None:
            raise UsageError(
                f"the checkpoint belongs to a fit without {who(new)}. Leave out clients that did not take "
                "part, or remove the file to start over."
            )
        reason = "was not there when the fit began."
        leave_out(self.run, [LeftOut(name, 1, f"client {name!r} {reason}") for name in new])

    def _learn_names(self, transport: Nameless, checkpoint: Checkpoint) -> None:
        """Learn the clients' names: from the checkpoint, and the others in a round."""
        here, names = transport.clients(), checkpoint.names
        known = {address: names[address] for address in here if address in names}
        transport.introduce(known)
        introduce(self.run, known)

        def ask() -> None:
            told = transport.names.values()
            if new := tuple(client for client in self.run.clients if client not in told):
                self._session.drive(Coordinator(nothing(), new, Pooled()), self.run)

        self.keep_to(ask)
