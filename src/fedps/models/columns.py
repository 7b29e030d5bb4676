"""Models and imputers where each client has other columns of the same rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fedps.learned import Learned
from fedps.protocol.plan import Plan, View
from fedps.statistics.base import Array

ACROSS: dict[type, Callable[[Any, View], Plan[Learned]]] = {}

PREDICTIONS: dict[str, Callable[[Learned, View], Plan[Array]]] = {}
