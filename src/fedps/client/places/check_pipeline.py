"""What a client checks of a pipeline before it computes anything. A server chose it, and may mean harm."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from fedps.assembly import CLASSES
from fedps.client.places.asked import Refuse
from fedps.client.places.functions import look_up
from fedps.client.policy import Policy
from fedps.client.work_limits import check_parameters, check_pattern
from fedps.learned import (
    BY_COLUMNS,
    COMPOUNDS,
    HOW_IT_RUNS,
    Described,
    FrozenState,
    Function,
    Learned,
    branches_of,
)
from fedps.learned.looks import LOOKS
from fedps.protocol.limits import MAX_NESTING, MAX_PLACES
from fedps.protocol.messages import Request
from fedps.questions import Declared
from fedps.statistics import KLL, REQ, BadCells, FrequentItems

_KNOWN = {**CLASSES, **LOOKS}
_NEVER = ("out", "where")  # they choose cells, and write into memory


def check_request(request: Request, policy: Policy) -> None:
    """Refuse what no honest server describes: unknown estimators, parameters that are not theirs, ..."""
    sketches = isinstance(request.quantiles, KLL | REQ | None)
    if not sketches or not isinstance(request.frequent, FrequentItems | None):
        raise Refuse("consent", "takes KLL and REQ for quantiles=, FrequentItems for frequent=")
    if request.pipeline is None:
        return
    for described in _every(request.pipeline):
        _check_estimator(described, whole=request.across)
        _check_functions(described.estimator, described.params, policy)
        if described.frozen is not None:
            _check_frozen(described.frozen, policy)


def check_questions(declared: Declared) -> None:
    """Refuse a pipeline with parameters from which no questions follow."""
    for place in declared.places:
        try:
            declared.at(place.number)
        except Exception:  # noqa: BLE001 - whatever a parameter of the wrong kind makes Python raise
            raise BadCells("estimator", what=place.described.estimator) from None


def _every(pipeline: Described) -> Iterator[Described]:
    """Yield all estimators, from the outermost in; BadCells if there are too many, or too deep inside."""
    waiting, found = [(pipeline, 0)], 0
    while waiting:
        described, depth = waiting.pop()
        found += 1
        if found > MAX_PLACES or depth > MAX_NESTING:
            limit = (
                f"a pipeline of more than {MAX_PLACES} steps, or {MAX_NESTING} inside each other"
            )
            raise BadCells("too much", what=limit)
        waiting += [(step, depth + 1) for step in described.steps]
        yield described


def _check_estimator(described: Described, *, whole: bool) -> None:
    """Check that an estimator is known, has only parameters of its class, and the right inside."""
    name = described.estimator
    if name not in _KNOWN:
        raise BadCells("estimator", what=name)
    for parameter in described.params:
        runs = parameter in HOW_IT_RUNS and not whole
        if runs or parameter not in _parameters_of(name):
            text = "takes from a server the parameters that matter to a transform"
            raise Refuse("consent", f"{text}, and not {parameter!r} of {name}")
    check_parameters(name, described.params)
    if name in COMPOUNDS and not _is_whole(described):
        raise BadCells("estimator", what=name)


@cache
def _parameters_of(name: str) -> frozenset[str]:
    known = set(inspect.signature(_KNOWN[name]).parameters)
    more = {"parts", "set_output"} if name in COMPOUNDS else {"set_output"}
    return frozenset(known | more)


def _is_whole(compound: Described) -> bool:
    """Whether the parts of a compound are what they should be, and each estimator is there."""
    try:
        if compound.estimator == BY_COLUMNS:
            parts = [(name, kept) for name, kept, _ in branches_of(compound)]
            for *_, columns in compound.params["parts"]:
                _check_selector(columns)
                if isinstance(columns, list) and len(set(columns)) < len(columns):
                    raise BadCells("too much", what="a column that a branch selects twice")
        else:
            parts = [(name, kept) for name, kept in compound.params["parts"]]
    except (KeyError, TypeError, ValueError):
        return False
    if len(parts) > MAX_PLACES:
        raise BadCells("too much", what=f"a compound of more than {MAX_PLACES} parts")
    plain = all(type(n) is str and k in (None, "drop", "passthrough") for n, k in parts)
    return plain and sum(kept is None for _, kept in parts) == len(compound.steps)


def _check_selector(columns: Any) -> None:
    """Refuse a pattern that may take long to match."""
    where = columns.get("make_column_selector") if isinstance(columns, dict) else None
    pattern = where.get("pattern") if isinstance(where, dict) else None
    if pattern is not None:
        check_pattern(pattern)


def _check_functions(name: str, params: Mapping[str, Any], policy: Policy) -> None:
    """Check that the client knows all functions, and may call them with the given arguments."""
    for value in params.values():
        if isinstance(value, Function):
            look_up(value.name, policy, {})
    arguments = params.get("kw_args")
    if name != "FunctionTransformer" or not arguments:
        return
    function = params.get("func")
    listed = isinstance(function, Function) and function.name in policy.functions
    if not listed or not isinstance(arguments, dict) or set(arguments) & set(_NEVER):
        what = function.name if isinstance(function, Function) else "no function"
        raise Refuse(
            "functions",
            f"runs {what} with no arguments: kw_args= needs its entry in 'functions', and never has "
            "out= or where=",
        )


def _check_frozen(learned: Learned, policy: Policy, depth: int = 0) -> None:
    """Check what was fitted before, and all that is inside of it."""
    if depth > MAX_NESTING or learned.estimator not in CLASSES:
        raise BadCells("estimator", what=learned.estimator)
    if not isinstance(learned.numbers, FrozenState):
        raise BadCells("estimator", what=learned.estimator)
    attributes, kind = learned.numbers.attributes, CLASSES[learned.estimator]
    if any(name.startswith("__") or callable(getattr(kind, name, None)) for name in attributes):
        raise BadCells("estimator", what=learned.estimator)  # no method is replaced
    check_parameters(learned.estimator, attributes)
    _check_functions(learned.estimator, _plain(attributes), policy)
    _check_inside(attributes)
    for step in learned.steps:
        _check_frozen(step, policy, depth + 1)


def _plain(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Return attributes with dicts as they were: frozen ones are lists of keys and values."""
    found = dict(attributes)
    arguments = found.get("kw_args")
    if isinstance(arguments, dict) and "keys" in arguments and "values" in arguments:
        found["kw_args"] = dict(zip(arguments["keys"], arguments["values"], strict=False))
    return found


def _check_inside(value: Any) -> None:
    """Refuse patterns that may take long to match, wherever a frozen estimator has them."""
    if isinstance(value, Mapping):
        _check_selector(dict(value))
        for item in value.values():
            _check_inside(item)
    elif isinstance(value, list | tuple):
        for item in value:
            _check_inside(item)
