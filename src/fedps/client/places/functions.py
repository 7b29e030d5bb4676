"""Functions that a pipeline names: which of them a client runs."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from fedps.client.policy import Policy
from fedps.learned import Described, FrozenState, Function, Learned
from fedps.statistics import BadCells

SAFE_HOMES = ("numpy", "scipy.special")  # their ufuncs need no entry in a policy


def look_up(name: str, policy: Policy, known: Mapping[str, Any]) -> Any:
    """Return a function by its dotted name; BadCells unless the client trusts it.

    ``known`` are functions of this process, which the server may name.
    """
    if name in known:
        return known[name]
    home, _, attribute = name.rpartition(".")
    listed = name in policy.functions
    # exactly these modules, not those inside them: importing a module runs its code
    if not listed and home not in SAFE_HOMES:
        raise BadCells("function", what=name)
    try:
        function = getattr(importlib.import_module(home), attribute)
    except (ImportError, AttributeError, ValueError):
        raise BadCells("function", what=name) from None
    if not listed and not isinstance(function, np.ufunc):
        raise BadCells("function", what=name)
    return function


def runs_function(described: Described) -> bool:
    """Return whether an estimator runs a function other than one of NumPy's or scipy.special's."""
    frozen = () if described.frozen is None else _inside(described.frozen)
    found = [described.params.get("func"), *frozen]
    return any(
        isinstance(f, Function) and f.name.rpartition(".")[0] not in SAFE_HOMES for f in found
    )


def _inside(learned: Learned) -> list[Any]:
    """Return the functions inside an estimator that was fitted before."""
    own = (
        learned.numbers.attributes.get("func") if isinstance(learned.numbers, FrozenState) else None
    )
    return [own, *(f for step in learned.steps for f in _inside(step))]
