"""Run and Explanation: collected first, rendered second."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from fedps.report.rendering import Rendered, Section, count, size

MOST_CLIENTS = 20  # the table of costs lists so many; to_dict has them all
MOST_COLUMNS = 4
ASK_HEADER = ("round", "statistic", "columns", "level", "what it shows")
SCHEMA = ("1", "Schema", "all", "-", "names, dtypes, rows, empty columns")


@dataclass(frozen=True)
class AskRow:
    """One ask of one round: what was asked of which columns, and how many bytes it brought."""

    round: int
    statistic: str
    columns: tuple[str, ...]
    level: str
    shows: str
    bytes: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class LeftOut:
    """A client that a fit went on without: in which round it was given up, and why."""

    client: str
    round: int
    reason: str


@dataclass(frozen=True)
class Costs:
    """Bytes that came from and went to each client."""

    up: dict[str, int]
    down: dict[str, int]


@dataclass(repr=False)
class Run(Rendered):
    """The record of the last call: what it cost and what left each client.

    Attributes
    ----------
    rounds : int
        How often all clients were asked.
    bytes_up, bytes_down : dict of str to int
        Bytes that each client sent and received, everything included.
    asks : list of AskRow
        What was asked, in the order of the rounds.
    seconds : float
        How long it took.
    left_out : list of LeftOut
        The clients that the fit went on without, where a quorum allowed it.
    resumed : int
        How many of the rounds were known from a checkpoint.
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

    def __post_init__(self) -> None:
        self.bytes_up = self.bytes_up or dict.fromkeys(self.clients, 0)
        self.bytes_down = self.bytes_down or dict.fromkeys(self.clients, 0)

    @property
    def without(self) -> frozenset[str]:
        """The names of the clients that were left out."""
        return frozenset(each.client for each in self.left_out)

    def leave_out(self, left_out: Sequence[LeftOut]) -> None:
        """Go on without some clients. What they cost stays counted."""
        self.left_out += left_out
        self.clients = tuple(client for client in self.clients if client not in self.without)

    def introduce(self, names: Mapping[str, str]) -> None:
        """Call the clients by their names, where they were known by address only."""
        called = (names.get(client, client) for client in self.clients)
        self.clients = tuple(sorted(name for name in called if name not in self.without))
        self.bytes_up = {names.get(c, c): number for c, number in self.bytes_up.items()}
        self.bytes_down = {names.get(c, c): number for c, number in self.bytes_down.items()}

    def costs(self, before: Costs | None = None) -> Costs:
        """Return the bytes so far, or since then."""
        up, down = dict(self.bytes_up), dict(self.bytes_down)
        if before is not None:
            up = {client: number - before.up.get(client, 0) for client, number in up.items()}
            down = {client: number - before.down.get(client, 0) for client, number in down.items()}
        return Costs(up, down)

    def resume(self, costs: Costs) -> None:
        """Count a round that a checkpoint knew."""
        self.resumed += 1
        for total, spent in ((self.bytes_up, costs.up), (self.bytes_down, costs.down)):
            for client, number in spent.items():
                total[client] = total.get(client, 0) + number

    def sections(self) -> list[Section]:
        """Return the tables to show."""
        title = (
            f"{self.estimator} over {count(len(self.clients), 'client')}, {count(self.rows, 'row')}:"
            f" {count(self.rounds, 'round')}, {self.seconds:.2f} s"
        )
        if self.resumed:
            title += f"; {self.resumed} of the rounds from the checkpoint"
        sections = [self._cost(title), self._disclosures()]
        if self.left_out:
            sections.insert(1, self._left_out())
        return sections

    def _left_out(self) -> Section:
        rows = [(each.client, str(each.round), each.reason) for each in self.left_out]
        return Section("Went on without", ("client", "round", "why"), rows)

    def _cost(self, title: str) -> Section:
        shown = list(self.clients[:MOST_CLIENTS])
        rows = [(c, size(self.bytes_up[c]), size(self.bytes_down[c])) for c in shown]
        if len(self.clients) > len(shown):
            rows.append((f"... and {len(self.clients) - len(shown)} more", "", ""))
        total = size(sum(self.bytes_up.values())), size(sum(self.bytes_down.values()))
        header = ("client", "sent", "received")
        return Section(title, header, [*rows, ("all", *total)], frozenset(header[1:]))

    def _disclosures(self) -> Section:
        header = (*ASK_HEADER, "bytes")
        rows = [(*_ask_cells(ask), _span(list(ask.bytes.values()))) for ask in self.asks]
        every = [(*SCHEMA, ""), *rows] if self.rounds else rows
        return Section("What left each client", header, every, frozenset(["bytes"]))

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain values."""
        return asdict(self)

    def to_json(self) -> str:
        """Return the record as JSON."""
        return json.dumps(self.to_dict(), indent=2)


@dataclass(repr=False)
class Explanation(Rendered):
    """What a fit would ask, before anything runs.

    ``further`` tells what may come on top: that depends on the cells, which nobody has looked at yet.
    ``outputs`` is what a ``fit_transform`` would ask, where the clients' rows as they come out take
    more than a fit.
    """

    estimator: str
    clients: tuple[str, ...]
    rounds: int
    asks: list[AskRow]
    further: list[str] = field(default_factory=list)
    outputs: Explanation | None = None

    def sections(self) -> list[Section]:
        """Return the tables to show."""
        asked = self.asked(f"Fitting {self.estimator}")
        if self.outputs is None:
            return asked
        return [*asked, *self.outputs.asked(f"fit_transform of {self.estimator}")]

    def asked(self, what: str) -> list[Section]:
        """Return what is asked and what may follow; ``what`` is what would take so many rounds."""
        title = (
            f"{what} over {count(len(self.clients), 'client')} would take "
            f"{count(self.rounds, 'round')}{' or more' if self.further else ''}"
        )
        rows = [_ask_cells(ask) for ask in self.asks]
        asked = Section(title, ASK_HEADER, [SCHEMA, *rows] if self.rounds else rows)
        if not self.further:
            return [asked]
        more = [(text,) for text in self.further]
        return [asked, Section("What may follow", ("then",), more)]

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as plain values."""
        return asdict(self)

    def to_json(self) -> str:
        """Return the explanation as JSON."""
        return json.dumps(self.to_dict(), indent=2)


def _ask_cells(ask: AskRow) -> tuple[str, ...]:
    return str(ask.round), ask.statistic, _columns(ask.columns), ask.level, ask.shows


def _columns(columns: Sequence[str]) -> str:
    """Return some names in a line that stays readable."""
    shown = ", ".join(columns[:MOST_COLUMNS])
    more = len(columns) - MOST_COLUMNS
    return shown if more <= 0 else f"{shown} and {more} more"


def _span(sizes: Sequence[int]) -> str:
    if not sizes:
        return ""
    low, high = min(sizes), max(sizes)
    return str(low) if low == high else f"{low}-{high}"
