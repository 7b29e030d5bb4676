"""What a coordinator knows of one round: what was asked, and what all replies came to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from msgspec import Raw

from fedps.protocol.messages import Ask
from fedps.protocol.plan import View
from fedps.statistics import Schema, Summary
from fedps.statistics.cells.schema import Positions


@dataclass
class Asked:
    """One ask of one round: the wire form, the view, what may follow, and each client's answer."""

    ask: Ask
    view: View
    further: str = ""
    answers: dict[str, Any] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Heard:
    """What all replies of a round came to: the schemas, the columns chosen, the answers merged.

    The answers are None where the plan did not come to use them. They may be packed.
    """

    schemas: Mapping[str, tuple[Schema, ...]]
    chosen: Mapping[str, tuple[Positions, ...]]
    merged: Sequence[Summary | Raw] | None = None
