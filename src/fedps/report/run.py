"""Run: the record of one call, what it cost and what left each client."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from fedps.report.asks import ASK_HEADER, SCHEMA_CELLS, AskRow, ask_cells
from fedps.report.limitations import Limitation, limitations_section
from fedps.report.rendering import Rendered, Section, count, size

MOST_CLIENTS = 20  # the table of costs lists as many at first


@dataclass(frozen=True)
class LeftOut:
    """A client that a fit went on without.

    Attributes
    ----------
    client : str
        Its name.
    round : int
        The round in which it was left out.
    reason : str
        Why: the text of the error.
    """

    client: str
    round: int
    reason: str


@dataclass(frozen=True)
class Costs:
    """Bytes that each client sent (``up``) and received (``down``)."""

    up: dict[str, int]
    down: dict[str, int]


@dataclass(repr=False)
class Run(Rendered):
    """The record of the last call: what it cost and what left each client.

    Attributes
    ----------
    estimator : str
        The class of the estimator.
    clients : tuple of str
        The clients that took part.
    rows : int
        The number of rows of all clients together.
    rounds : int
        The number of rounds. All clients are asked at once in a round.
    bytes_up, bytes_down : dict of str to int
        Bytes that each client sent and received, whole messages included.
    asks : list of AskRow
        What was asked, in the order of the rounds.
    seconds : float
        How long the call took.
    left_out : list of LeftOut
        The clients that the fit went on without, if a quorum allowed it.
    resumed : int
        The number of rounds that were read from a checkpoint.
    deliveries : int
        With ``split="columns"``, how often clients were sent what was learned, to fit and keep their
        parts. Nothing is asked then.
    limitations : list of Limitation
        Where clients showed less than was asked, because their policies do not allow more: by client,
        column and rule, with how far the result may be from the exact one. Empty if it is exact.
    notes : list of str
        What else to know of the result, such as that one client has nearly all rows.
    """

    estimator: str
    clients: tuple[str, ...]
    rows: int = 0
    rounds: int = 0
    bytes_up: dict[str, int] = field(default_factory=dict)
    bytes_down: dict[str, int] = field(default_factory=dict)
    asks: list[AskRow] = field(default_factory=list)
    seconds: float = 0.0
    left_out: list[LeftOut] = field(default_factory=list)
    resumed: int = 0
    deliveries: int = 0
    limitations: list[Limitation] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def sections(self) -> list[Section]:
        """Return the tables to show."""
        title = (
            f"{self.estimator} over {count(len(self.clients), 'client')}, {count(self.rows, 'row')}:"
            f" {count(self.rounds, 'round')}, {self.seconds:.2f} s"
        )
        if self.deliveries:
            title += "; then each client got what was learned"
        if self.resumed:
            title += f"; {self.resumed} of the rounds from the checkpoint"
        sections = [self._cost(title), self._disclosures()]
        if self.notes:
            sections.insert(1, Section("To note", ("note",), [(note,) for note in self.notes]))
        if self.limitations:
            sections.insert(1, limitations_section(self.limitations))
        if self.left_out:
            sections.insert(1, self._left_out())
        return sections

    def _left_out(self) -> Section:
        rows = [(each.client, str(each.round), each.reason) for each in self.left_out]
        return Section("Went on without", ("client", "round", "why"), rows)

    def _cost(self, title: str) -> Section:
        rows = [
            (client, size(self.bytes_up.get(client, 0)), size(self.bytes_down.get(client, 0)))
            for client in self.clients
        ]
        total = "all", size(sum(self.bytes_up.values())), size(sum(self.bytes_down.values()))
        header = ("client", "sent", "received")
        return Section(title, header, rows, frozenset(header[1:]), MOST_CLIENTS, [total])

    def _disclosures(self) -> Section:
        header = (*ASK_HEADER, "bytes")
        rows = [(*ask_cells(ask), _span(list(ask.bytes.values()))) for ask in self.asks]
        every = [(*SCHEMA_CELLS, ""), *rows] if self.rounds else rows
        return Section("What left each client", header, every, frozenset(["bytes"]), explained=True)

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain values."""
        return asdict(self)

    def to_json(self) -> str:
        """Return the record as JSON."""
        return json.dumps(self.to_dict(), indent=2)


def leave_out(run: Run, left_out: Sequence[LeftOut]) -> None:
    """Remove clients from a run. The bytes that they sent and received stay counted."""
    run.left_out += left_out
    gone = names_left_out(run)
    run.clients = tuple(client for client in run.clients if client not in gone)


def names_left_out(run: Run) -> frozenset[str]:
    """Return the names of the clients that a run went on without."""
    return frozenset(each.client for each in run.left_out)


def introduce(run: Run, names: Mapping[str, str]) -> None:
    """Replace addresses of clients with their names."""
    gone = names_left_out(run)
    called = (names.get(client, client) for client in run.clients)
    run.clients = tuple(sorted(name for name in called if name not in gone))
    run.bytes_up = {names.get(c, c): number for c, number in run.bytes_up.items()}
    run.bytes_down = {names.get(c, c): number for c, number in run.bytes_down.items()}


def costs_since(run: Run, before: Costs | None = None) -> Costs:
    """Return the bytes of a run so far, or since ``before``."""
    up, down = dict(run.bytes_up), dict(run.bytes_down)
    if before is not None:
        up = {client: number - before.up.get(client, 0) for client, number in up.items()}
        down = {client: number - before.down.get(client, 0) for client, number in down.items()}
    return Costs(up, down)


def resume(run: Run, costs: Costs) -> None:
    """Count a round that was read from a checkpoint."""
    run.resumed += 1
    for total, spent in ((run.bytes_up, costs.up), (run.bytes_down, costs.down)):
        for client, number in spent.items():
            total[client] = total.get(client, 0) + number


def _span(sizes: Sequence[int]) -> str:
    if not sizes:
        return ""
    low, high = min(sizes), max(sizes)
    return str(low) if low == high else f"{low}-{high}"
