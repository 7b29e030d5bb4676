"""Which object stands in for an estimator at a client that has some of the columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fedps.assembly.part_norms import PartNormalizer
from fedps.learned import Facts

STAND_INS: dict[str, Callable[[Any, Facts], Any]] = {
    "Normalizer": PartNormalizer.of,
}
