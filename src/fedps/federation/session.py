"""Session: what both settings share. It drives plans over a transport, and times and records them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from typing import Any

from msgspec import structs

from fedps.errors import (
    ClientError,
    Disagreement,
    FedPSError,
    NotFederated,
    PeerError,
    TransportError,
)
from fedps.federation.faults.checkpoint import Checkpoint
from fedps.federation.faults.claimed_rows import (
    MAX_ROWS,
    check_claim,
    naming_the_largest,
    notes_on_rows,
)
from fedps.federation.in_process import InProcess
from fedps.learned.looks import is_look
from fedps.protocol.answers import who
from fedps.protocol.codec import FunctionNames, decode, encode
from fedps.protocol.coordinator import Coordinator, StartAgain
from fedps.protocol.messages import Reply, Round, mark
from fedps.protocol.plan import View
from fedps.protocol.pooled import Pooled
from fedps.protocol.schemas import Columns, Schemas
from fedps.report import AskRow, Costs, Run
from fedps.report.limitations import UNKNOWN_BOUND, Limitation
from fedps.report.progress import Progress, Show, wants_progress
from fedps.report.progress_lines import ExpectedRounds
from fedps.report.run import costs_since, introduce, names_left_out, resume
from fedps.statistics import Statistic
from fedps.transports import LocalTransport, Lost, Nameless, Transport

# Returns how many rounds a fit over clients with these schemas is expected to take.
Rehearse = Callable[[Schemas], ExpectedRounds | None]


class Session:
    """Clients behind a transport, and the record of the last call.

    Parameters
    ----------
    transport : Transport
        What carries bytes to the clients and back.
    show : bool, callable or None
        Whether to show progress, or what shows it.
    max_rows : int
        The most rows that a client may claim.
    """

    def __init__(self, transport: Transport, show: Show, max_rows: int = MAX_ROWS) -> None:
        self.transport = transport
        self.here = InProcess(transport) if isinstance(transport, LocalTransport) else None
        self.run: Run | None = None
        self._show = show
        self._max_rows = max_rows
        self._begun = time.monotonic()

    @property
    def clients(self) -> tuple[str, ...]:
        """The names of the clients, in the order that "pooled" means."""
        return tuple(self.transport.clients())

    def in_process(self, otherwise: str) -> InProcess:
        """Return the clients of this process; NotFederated, with a reason, over an engine."""
        if self.here is None:
            raise NotFederated(otherwise)
        return self.here

    def trust(self, estimator: Any) -> FunctionNames:
        """Return names for functions in an estimator that have none of their own, in process."""
        return {} if self.here is None else self.here.trust(estimator)

    def new_run(self, name: str, clients: tuple[str, ...] = (), rows: int = 0) -> Run:
        """Return a new record of a call over all clients, or over some."""
        who_takes_part = clients or self.clients
        up, down = dict.fromkeys(who_takes_part, 0), dict.fromkeys(who_takes_part, 0)
        return Run(name, who_takes_part, rows, bytes_up=up, bytes_down=down)

    @contextmanager
    def timed(self, run: Run) -> Iterator[None]:
        """Time a call; when it is over, clients release derived tables."""
        started, self.run = time.perf_counter(), run
        self._begun = time.monotonic()
        before = run.seconds
        try:
            yield
        finally:
            run.seconds = before + time.perf_counter() - started
            if self.here is not None:
                self.here.forget()

    def drive(
        self,
        coordinator: Coordinator[Any],
        run: Run,
        functions: FunctionNames | None = None,
        checkpoint: Checkpoint | None = None,
        rehearse: Rehearse | None = None,
    ) -> None:
        """Carry rounds and replies until the plan has its outcome.

        What a checkpoint knows is not asked again; what it does not know is written there. ``rehearse``
        tells how many rounds to expect, for progress.
        """
        progress = self._progress(coordinator, run, rehearse)
        driver = _Driver(coordinator, self.transport, run, functions, progress, self._max_rows)
        try:
            while (round_ := coordinator.next_round()) is not None:
                if coordinator.only_delivers:
                    run.deliveries += 1
                    # in process the clients forget what they keep: it must be delivered again
                    driver.carry(round_, checkpoint if self.here is None else None)
                    continue
                run.rounds += 1
                if progress is not None:
                    progress.start(run.rounds)
                try:
                    with naming_the_largest(coordinator):
                        driver.carry(round_, checkpoint)
                except (ClientError, PeerError, TransportError) as error:
                    raise error.in_round(coordinator.number) from None
        finally:
            run.limitations = limitations_of(coordinator.pooled)
            if progress is not None:
                progress.close()

    def _progress(
        self, coordinator: Coordinator[Any], run: Run, rehearse: Rehearse | None
    ) -> Progress | None:
        """Return what shows progress, if anything does."""
        if self._show is False or not wants_progress(self._show):
            return None

        def expect() -> ExpectedRounds | None:
            known = coordinator.schemas if self.here is None else self.here.schemas(read=False)
            own = {name: known[name] for name in run.clients if name in known}
            return rehearse(own) if rehearse and len(own) == len(run.clients) else None

        return Progress(len(run.clients), show=self._show, begun=self._begun, expect=expect)


def limitations_of(pooled: Pooled) -> list[Limitation]:
    """Return where clients showed less than was asked, each once, with what plans say about it."""
    found = []
    for one in pooled.limited:
        here = [b.text for b in pooled.bounds if (b.path, b.column) == (one.path, one.column)]
        bound = "; ".join(dict.fromkeys(here)) or UNKNOWN_BOUND
        found.append(Limitation(one.client, one.name, one.rule, one.shown, bound))
    return list(dict.fromkeys(found))


def ask_rows(
    coordinator: Coordinator[Any], number: int, sizes: Sequence[Mapping[str, int]] = ()
) -> list[AskRow]:
    """Return what a round asked as rows of a report.

    ``sizes`` are those of the answers, if they are from a checkpoint.
    """
    rows = []
    for asked, known_sizes in zip_longest(coordinator.asked, sizes):
        statistic = asked.statistic
        columns = _columns_asked(asked.view, coordinator.columns, statistic)
        if not columns and is_look(coordinator.request.pipeline):
            continue  # the clients have no columns of that kind
        row = AskRow(
            number,
            type(statistic).__name__,
            columns,
            statistic.disclosure.name,
            statistic.shows,
            dict(known_sizes or asked.sizes),
        )
        rows.append(row)
    return rows


def _columns_asked(view: View, columns: Columns, statistic: Statistic[Any, Any]) -> tuple[str, ...]:
    """Return the clients' own columns that an answer is about, as a report shows them."""
    across = statistic.of_target and statistic.aligned
    if view.is_target or (across and not statistic.reads_numbers):
        return ("target",)
    try:
        at = (columns.of(view) or columns.at(view.base) or {}).values()
    except ClientError:  # some clients cannot choose any
        return ()
    # columns selected by position differ between clients whose columns are in different orders
    names = dict.fromkeys(name for each in at for name in each)
    also = ("target",) if across else ()
    return (*(name if isinstance(name, str) else f"column {name}" for name in names), *also)


class _Driver:
    """Carries the rounds of one plan. Each has a mark of the round before, so that none is missed."""

    def __init__(
        self,
        coordinator: Coordinator[Any],
        transport: Transport,
        run: Run,
        functions: FunctionNames | None,
        progress: Progress | None,
        max_rows: int,
    ) -> None:
        self._coordinator = coordinator
        self._transport = transport
        self._run = run
        self._functions = functions
        self._progress = progress
        self._max_rows = max_rows
        self._sent: Mapping[str, bytes] = {}

    def carry(self, round_: Round, checkpoint: Checkpoint | None) -> None:
        """Get the answers of one round, from the checkpoint or from the clients."""
        if checkpoint is None:
            self._ask()
            return
        each = self._coordinator.rounds().values() if round_.is_private else [round_]
        asked = [encode(own, self._functions) for own in each]
        if (known := checkpoint.known(asked)) is not None:
            try:
                self._coordinator.replay(known.heard)
            finally:
                resume(self._run, known.costs)
                self._record(known.sizes)
            return
        before = costs_since(self._run)
        try:
            self._ask()
        except StartAgain:
            self._write(checkpoint, asked, before)
            raise
        self._write(checkpoint, asked, before)

    def _write(self, checkpoint: Checkpoint, asked: Sequence[bytes], before: Costs) -> None:
        """Write a round that is complete into the checkpoint."""
        costs = costs_since(self._run, before)
        names = self._transport.names if isinstance(self._transport, Nameless) else {}
        checkpoint.write(asked, self._coordinator, costs, names)

    def _ask(self) -> None:
        """Send each client its round and collect all replies; only then raise what went wrong.

        So an error names all clients that failed, and a quorum can leave all of them out at once.
        """
        if self._coordinator.begins:
            self._coordinator.retell()
        messages = self._messages(self._coordinator.rounds())
        for client, message in messages.items():
            self._run.bytes_down[client] = self._run.bytes_down.get(client, 0) + len(message)
        faults: list[FedPSError] = []
        try:
            replies = self._collect(messages, faults)
            if isinstance(self._transport, Nameless) and self._transport.nameless:
                self._introduce(self._transport, replies)
            marks = _marks(self._sent)
            replies.reverse()
            while replies:  # which are let go one by one, to spare memory
                client, reply = replies.pop()
                try:
                    self._check(client, reply, marks.get(client))
                    check_claim(client, reply, self._max_rows)
                    self._coordinator.receive(reply)
                except (PeerError, TransportError) as error:
                    if not error.clients:
                        raise
                    faults.append(error)
        finally:
            self._record()
        _stop_on(faults)
        if silent := self._coordinator.waiting:
            raise TransportError(f"{who(silent)} did not answer.").about(*silent)

    def _messages(self, own: Mapping[str, Round]) -> dict[str, bytes]:
        """Return a round as bytes for each client; encoded once for clients that are told the same."""
        marks = _marks(self._sent)
        packed: dict[tuple[int, bytes], bytes] = {}
        messages = {}
        for client, round_ in own.items():
            after = b"" if self._coordinator.begins else marks[client]
            key = id(round_), after
            if key not in packed:
                packed[key] = encode(structs.replace(round_, after=after), self._functions)
            messages[client] = packed[key]
        self._sent = messages
        return messages

    def _collect(
        self, messages: Mapping[str, bytes], faults: list[FedPSError]
    ) -> list[tuple[str, Reply]]:
        """Return the replies to a round; add what came instead of a reply to ``faults``."""
        found = []
        for client, data in self._transport.exchange(messages):
            if self._run.left_out and client in names_left_out(self._run):
                continue  # it was left out before, and has answered after all
            if isinstance(data, Lost):
                faults.append(TransportError(f"client {client!r} {data.reason}.").about(client))
                continue
            self._run.bytes_up[client] = self._run.bytes_up.get(client, 0) + len(data)
            try:
                found.append((client, decode(data, Reply, f"client {client!r}")))
            except PeerError as error:
                faults.append(error.about(client))
            if self._progress is not None:
                self._progress.update(self._run.rounds, len(found))
        return found

    def _introduce(self, transport: Nameless, replies: list[tuple[str, Reply]]) -> None:
        """Call the clients by the names in their first replies; lost clients keep their addresses."""
        taken = {name: address for address, name in transport.names.items()}
        taken |= {client: client for client in self._sent if client not in taken}
        names: dict[str, str] = {}
        for client, reply in replies:
            if client in names or taken[client] != client:
                continue  # it has told its name before
            if taken.get(reply.client, client) != client:
                raise Disagreement(
                    f"the clients at {taken[reply.client]} and {client} both call themselves "
                    f"{reply.client!r}. Give each a name of its own."
                )
            taken[reply.client] = client
            names[client] = reply.client
        transport.introduce(names)
        self._coordinator.introduce(names)
        introduce(self._run, names)
        self._sent = {names.get(client, client): sent for client, sent in self._sent.items()}
        replies[:] = [(names.get(client, client), reply) for client, reply in replies]

    def _check(self, client: str, reply: Reply, wanted: bytes | None) -> None:
        """Raise unless a reply is from this client, and has the mark of the message it was sent."""
        if reply.client != client:
            raise PeerError(
                f"client {client!r} sent a reply in the name of {reply.client!r}."
            ).about(client)
        this_round = reply.round == self._coordinator.number
        if wanted is not None and this_round and reply.to != wanted:
            raise TransportError(
                f"client {client!r} answered round {reply.round} of another fit."
            ).about(client)

    def _record(self, sizes: Sequence[Mapping[str, int]] = ()) -> None:
        """Record what a round asked; ``sizes`` are those of the answers, if from a checkpoint."""
        known, run = self._coordinator, self._run
        if known.pooled.table is not None:
            run.rows = known.pooled.table.rows
            noted = [one.text for one in known.pooled.unified]
            notes = [*notes_on_rows(known.schemas), *known.columns.notes]
            run.notes = [*notes, *dict.fromkeys(noted)]
        run.asks += ask_rows(known, run.rounds, sizes)


def _marks(messages: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the mark of each client's message; computed once for equal messages."""
    found = {
        id(message): mark(message) for message in {id(m): m for m in messages.values()}.values()
    }
    return {client: found[id(message)] for client, message in messages.items()}


def _stop_on(faults: Sequence[FedPSError]) -> None:
    """Raise everything that went wrong in a round as one error."""
    if len(faults) > 1:
        everyone = dict.fromkeys(client for fault in faults for client in fault.clients)
        kind = type(faults[0])
        raise kind(" ".join(map(str, faults))).about(*everyone)
    if faults:
        raise faults[0]
