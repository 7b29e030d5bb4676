"""Rehearsal: run a plan without any client, to see what it would ask."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from fedps.protocol.codec import FunctionNames, encode_part
from fedps.protocol.plan import Plan, Query, View


def rehearse(
    plan: Plan[Any],
    width: int,
    functions: FunctionNames,
    after_first: Callable[[], None] | None = None,
) -> list[list[Query]]:
    """Return the asks of each round, equal ones once; every answer is that of no rows.

    ``after_first`` is called once the first round's answers would be in.
    """
    rounds: list[list[Query]] = []
    try:
        queries = next(plan)
        while True:
            rounds.append(distinct_queries(queries, functions))
            if len(rounds) == 1 and after_first is not None:
                after_first()
            queries = plan.send(tuple(_answer(query, width) for query in queries))
    except StopIteration:
        return rounds


def distinct_queries(queries: Sequence[Query], functions: FunctionNames) -> list[Query]:
    """Return the queries without those that repeat another."""
    seen: dict[Any, Query] = {}
    for query in queries:
        seen.setdefault((encode_part(query.statistic), _path(query.view, functions)), query)
    return list(seen.values())


def _path(view: View, functions: FunctionNames) -> Any:
    if view.parent is None:
        return view.is_target
    return _path(view.parent, functions), encode_part(view.change, functions)


def _answer(query: Query, width: int) -> Any:
    names = query.view.names
    columns = query.statistic.columns
    if columns is None:
        columns = len(names) if names else width
    return query.statistic.result(query.statistic.empty(columns))
