"""Explaining a fit: the plan is rehearsed with the clients' schemas, and nothing is asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from fedps.assembly import freeze, template
from fedps.client.views import chosen
from fedps.errors import UsageError, did_you_mean
from fedps.learned import Learned
from fedps.protocol.codec import FunctionNames
from fedps.protocol.coordinator import Coordinator
from fedps.protocol.messages import Select
from fedps.protocol.plan import NeedsSchema, Plan, Pooled, Query, View
from fedps.protocol.rehearsal import rehearse
from fedps.report import AskRow, Explanation
from fedps.statistics import BadCells, Schema
from fedps.templates import pooled_template

MakePlan = Callable[[View], Plan[Learned]]


def explain(
    estimator: Any, make_plan: MakePlan, known: Coordinator[Any], functions: FunctionNames
) -> Explanation:
    """Return the rounds and asks of a plan; ``known`` has learned the clients' schemas."""
    assert known.pooled.table is not None
    schemas = {client: both[0] for client, both in known.schemas.items()}
    width = known.pooled.table.width
    pooled = Pooled(freeze=freeze)
    rounds: list[list[Query]] = []

    def learn_schema() -> None:
        pooled.table = known.pooled.table

    try:
        rounds = rehearse(make_plan(View(pooled)), width, functions, learn_schema)
        extra = _starts_again(rounds, schemas)
    except NeedsSchema:
        extra = True
    if extra:
        pooled = Pooled(known.pooled.table, None, pooled_template(known, None), freeze)
        again = rehearse(make_plan(View(pooled)), width, functions)
        rounds = [rounds[0] if rounds else [], *again]
    asks = [
        _row(number, query, known)
        for number, queries in enumerate(rounds, start=1)
        for query in queries
    ]
    return Explanation(type(estimator).__name__, known.clients, max(1, len(rounds)), asks)


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
    names = list(schema.names or map(str, range(schema.width)))
    if view.parent is None:
        return names
    assert isinstance(view.change, Select)
    example = template(schema.container, schema.names, schema.width, schema.dtypes)
    parent = _columns(view.parent, schema)
    if view.parent.parent is None:
        try:
            return [names[i] for i in chosen(example, view.change.columns)]
        except BadCells as error:
            raise UsageError(_no_such(error, names)) from None
    return parent


def _no_such(error: BadCells, names: list[str]) -> str:
    if error.rule != "no column":
        return "columns are chosen by dtype, which needs pandas data frames."
    return f"the clients have no column {error.what!r}.{did_you_mean(error.what or '', names)}"


def _row(number: int, query: Query, known: Coordinator[Any]) -> AskRow:
    statistic, view = query.statistic, query.view
    first = next(iter(known.schemas.values()))[0]
    columns = ("target",) if view.is_target else tuple(_columns(view.base, first))
    name = type(statistic).__name__
    return AskRow(number, name, columns, statistic.disclosure.name, statistic.shows)
