"""Limitation: where a client's policy made a result differ from the exact one, and how far."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fedps.report.rendering import Names, Section

UNKNOWN_BOUND = "not known"


@dataclass(frozen=True)
class Limitation:
    """That a client showed less than was asked, so that the result may not be the exact one.

    Attributes
    ----------
    client : str
        The client whose policy it is.
    column : str
        The column, or the number of a column that a transformer made.
    rule : str
        The rule of the policy.
    shown : str
        What the client showed instead.
    bound : str
        How far the result may be from the exact one.
    """

    client: str
    column: str
    rule: str
    shown: str
    bound: str


def limitations_section(limitations: Iterable[Limitation]) -> Section:
    """Return limitations as a table; equal ones of several clients are one row."""
    rows: dict[tuple[str, ...], list[str]] = {}
    for one in limitations:
        rows.setdefault((one.column, one.rule, one.shown, one.bound), []).append(one.client)
    cells = [(Names(clients), *rest) for rest, clients in rows.items()]
    header = ("client", "column", "rule", "what it showed", "how far the result may be off")
    return Section("Where clients showed less than was asked", header, cells)
