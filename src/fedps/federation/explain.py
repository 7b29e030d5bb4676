"""Explaining a fit: the plan is rehearsed with the clients' schemas, and nothing is asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from fedps.assembly import dummy_row, freeze
from fedps.client.select_columns import selected_positions
from fedps.client.tables import take
from fedps.federation.pooled_row import pooled_row
from fedps.learned import Learned
from fedps.protocol.answers import Problem, raise_problems
from fedps.protocol.codec import FunctionNames
from fedps.protocol.coordinator import Coordinator
from fedps.protocol.messages import Failure, Select
from fedps.protocol.plan import NeedsSchema, Options, Plan, Pooled, Query, View
from fedps.protocol.rehearsal import rehearse
from fedps.report.run import AskRow, Explanation
from fedps.statistics import BadCells, Schema

MakePlan = Callable[[View], Plan[Learned]]


def explain(
    estimator: Any,
    make_plan: MakePlan,
    known: Coordinator[Any],
    functions: FunctionNames,
    options: Options,
) -> Explanation:
    """Return what a fit would ask, and beside it what a fit_transform would, where that is more.

    ``known`` has learned the clients' schemas.
    """
    fit = _explained(estimator, make_plan, known, functions, options)
    outputs = replace(options, outputs=True)
    both = _explained(estimator, make_plan, known, functions, outputs)
    return fit if both.asks == fit.asks else replace(fit, outputs=both)


def _explained(
    estimator: Any,
    make_plan: MakePlan,
    known: Coordinator[Any],
    functions: FunctionNames,
    options: Options,
) -> Explanation:
    """Return the rounds and asks of a plan."""
    assert known.pooled.table is not None
    schemas = {client: both[0] for client, both in known.schemas.items()}
    width = known.pooled.table.width
    pooled = Pooled(freeze=freeze, options=options)
    rounds: list[list[Query]] = []

    def learn_schema() -> None:
        pooled.table = known.pooled.table

    try:
        view = View(pooled, used=options.outputs)
        rounds = rehearse(make_plan(view), width, functions, learn_schema)
        _demand_columns(rounds, schemas)
        extra = _starts_again(rounds, schemas)
    except NeedsSchema:
        extra = True
    if extra:
        pooled = Pooled(known.pooled.table, None, pooled_row(known, None), freeze, options)
        again = rehearse(make_plan(View(pooled, used=options.outputs)), width, functions)
        rounds = [rounds[0] if rounds else [], *again]
    asks = [
        _row(number, query, known)
        for number, queries in enumerate(rounds, start=1)
        for query in queries
    ]
    further = dict.fromkeys(query.further for queries in rounds for query in queries)
    return Explanation(
        type(estimator).__name__,
        known.clients,
        max(1, len(rounds)),
        asks,
        [text for text in further if text],
    )


def _starts_again(rounds: Sequence[Sequence[Query]], schemas: dict[str, Schema]) -> bool:
    """Whether the clients' column orders make the first round's answers unfit for use."""
    if not rounds or len({schema.names for schema in schemas.values()}) == 1:
        return False
    return any(_unfit(query, schemas) for query in rounds[0])


def _unfit(query: Query, schemas: dict[str, Schema]) -> bool:
    view = query.view
    if view.is_target:
        return False
    if view.is_transformed or query.statistic.positional:
        columns = {tuple(_columns(view.base, schema)) for schema in schemas.values()}
        return len(columns) > 1
    return len({frozenset(_columns(view, schema)) for schema in schemas.values()}) > 1


def _columns(view: View, schema: Schema) -> list[str]:
    """Return the columns of a view at a client with this schema."""
    example = dummy_row(schema.container, schema.names, schema.width, schema.dtypes)
    names = schema.names or [f"column {j}" for j in range(schema.width)]
    return [names[j] for j in _positions(view, example)]


def _positions(view: View, example: Any) -> list[int]:
    """Return where a view's columns stand in the clients' own table."""
    if view.parent is None:
        return list(range(example.shape[1]))
    assert isinstance(view.change, Select)
    parent = _positions(view.parent, example)
    return [parent[i] for i in selected_positions(take(example, parent), view.change.columns)]


def _demand_columns(rounds: Sequence[Sequence[Query]], schemas: dict[str, Schema]) -> None:
    """Raise what the clients would say of columns that they do not have."""
    problems = []
    known: tuple[str, ...] = ()
    for query in (query for queries in rounds for query in queries if not query.view.is_target):
        for client, schema in schemas.items():
            known = schema.names or ()
            try:
                _columns(query.view.base, schema)
            except BadCells as error:
                problems.append(Problem(client, None, Failure(error.rule, error.what)))
    raise_problems(problems, known)


def _row(number: int, query: Query, known: Coordinator[Any]) -> AskRow:
    statistic, view = query.statistic, query.view
    # in round 1 positions mean each client's own columns; later ones are asked for by name
    schemas = [both[0] for both in known.schemas.values()][: None if number == 1 else 1]
    columns: tuple[str, ...] = ("target",)
    if not view.is_target:
        named = (name for schema in schemas for name in _columns(view.base, schema))
        columns = tuple(dict.fromkeys(named))
    name = type(statistic).__name__
    return AskRow(number, name, columns, statistic.disclosure.name, statistic.shows)
