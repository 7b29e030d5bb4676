"""Explanation: what a fit would ask, before anything runs."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any

from fedps.report.asks import ASK_HEADER, SCHEMA_CELLS, AskRow, ask_cells
from fedps.report.rendering import Rendered, Section, count


@dataclass(repr=False)
class Explanation(Rendered):
    """What a fit would ask, before anything runs.

    Attributes
    ----------
    estimator : str
        The class of the estimator; of a look, such as ``describe``, its name.
    clients : tuple of str
        The clients that would take part.
    rounds : int
        The number of rounds, at least. All clients are asked at once in a round.
    asks : list of AskRow
        What would be asked, in the order of the rounds.
    further : list of str
        What may have to be asked in addition. That depends on the cells, which are not read yet.
    outputs : Explanation or None
        What ``fit_transform`` would ask, if that is more than ``fit`` would.
    deliveries : int
        With ``split="columns"``, how often clients would be sent what was learned, to keep it.
    """

    estimator: str
    clients: tuple[str, ...]
    rounds: int
    asks: list[AskRow]
    further: list[str] = field(default_factory=list)
    outputs: Explanation | None = None
    deliveries: int = 0

    def sections(self) -> list[Section]:
        """Return the tables to show."""
        # a look is called as the method is, in small letters: nothing is fitted
        looks = self.estimator.islower()
        asked = _asked(self, self.estimator if looks else f"Fitting {self.estimator}")
        if self.outputs is None:
            return asked
        return [*asked, *_asked(self.outputs, f"fit_transform of {self.estimator}")]

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as plain values."""
        return asdict(self)

    def to_json(self) -> str:
        """Return the explanation as JSON."""
        return json.dumps(self.to_dict(), indent=2)


def _asked(found: Explanation, what: str) -> list[Section]:
    """Return the tables of what is asked and of what may follow; ``what`` begins the title."""
    title = (
        f"{what} over {count(len(found.clients), 'client')} would take "
        f"{count(found.rounds, 'round')}{' or more' if found.further else ''}"
    )
    if found.deliveries:
        title += ", then each client gets what was learned"
    rows = [ask_cells(ask) for ask in found.asks]
    every = [SCHEMA_CELLS, *rows] if found.rounds else rows
    asked = Section(title, ASK_HEADER, every, explained=True)
    if not found.further:
        return [asked]
    more = [(text,) for text in found.further]
    return [asked, Section("What may follow", ("then",), more)]
