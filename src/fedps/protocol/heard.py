"""What a coordinator knows of one round: what was asked, and the merged replies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from msgspec import Raw

from fedps.protocol.messages import Ask
from fedps.protocol.plan import View
from fedps.statistics import Schema, Statistic, Summary


@dataclass
class Asked:
    """One ask of one round: its message, what it asks for, its view, what may follow, and each client's answer."""

    ask: Ask
    statistic: Statistic[Any, Any]
    view: View
    further: str = ""
    answers: dict[str, Any] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Heard:
    """The replies of a round: schemas by client, and the merged answers.

    The merged answers are None if the plan did not use them. They may still be packed.
    """

    schemas: Mapping[str, tuple[Schema, ...]]
    merged: Sequence[Summary | Raw] | None = None
