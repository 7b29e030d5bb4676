"""learn: runs the plan of a fit or of a look to its end, once the schema is known where it needs that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from fedps.assembly import dtype_in, dummy_row, freeze, pooled_dtypes
from fedps.client.places.select_columns import branch_positions
from fedps.client.tables import take
from fedps.errors import FedPSError
from fedps.federation.explain import Carry
from fedps.learned import Described, Learned
from fedps.plans import OF_TARGETS, plan_for, weighted_plan_for
from fedps.plans.describe import describe
from fedps.protocol.codec import FunctionNames
from fedps.protocol.coordinator import Coordinator, StartAgain
from fedps.protocol.messages import Request
from fedps.protocol.plan import NeedsSchema, Plan, TooLarge, View
from fedps.protocol.pooled import Options, Pooled
from fedps.protocol.schemas import Columns, Schemas, positions_in
from fedps.statistics import Schema
from fedps.trials import must_be_tried, try_functions, try_weights

LookPlan = Callable[[Any, View], Plan[Any]]


def learn(
    estimator: Any,
    weight: str | None,
    options: Options,
    functions: FunctionNames,
    clients: tuple[str, ...],
    carry: Carry,
    *,
    remote: bool,
    look: LookPlan | None = None,
) -> Coordinator[Any]:
    """Run the plan to its end. If it needs the schema first, run it again once that is known."""
    try_weights(estimator)
    pooled = Pooled(freeze=freeze, options=options, remote=remote)
    schemas: Schemas = {}
    untried = look is None and must_be_tried(estimator)
    make = look or partial(_plan, weight=weight)
    while True:
        plan = make(estimator, View(pooled, used=options.outputs))
        request = _request(estimator, weight, options, pooled, only_schema=untried)
        plan = _only_schema(plan) if untried else plan
        columns = Columns(request.pipeline, chosen_columns, weight)
        if schemas:
            columns.learn_tables(schemas)
        about = partial(Coordinator, request=request, functions=functions, columns=columns)
        coordinator = about(plan, clients, pooled)
        try:
            carry(coordinator)
        except TooLarge:
            pooled.split_more()
        except StartAgain:
            pooled.dummy_row = pooled_row(coordinator, None)
            pooled.forget()
            if schemas:
                raise FedPSError("the clients' columns changed while they were asked.") from None
            schemas = coordinator.schemas
            if untried:
                try_functions(estimator, pooled_row(coordinator, estimator, without=weight))
                untried = False
        else:
            return coordinator


def _only_schema(plan: Plan[Learned]) -> Plan[Learned]:
    """Ask nothing but the schema. What the plan has against its estimator, it says before that."""
    next(plan, None)
    raise NeedsSchema
    yield


def _request(
    estimator: Any, weight: str | None, options: Options, pooled: Pooled, *, only_schema: bool
) -> Request:
    """Return what the clients hear first: what the fit is about."""
    try:
        pipeline = describe(estimator, pooled)
    except NeedsSchema:  # the schema is asked for first, and nothing else
        pipeline = None
    return Request(
        None if only_schema else pipeline,
        outputs=options.outputs,
        weight=weight,
        quantiles=options.quantiles,  # type: ignore[arg-type]
        frequent=options.frequent,  # type: ignore[arg-type]
    )


def chosen_columns(
    schema: Schema, parent: Sequence[int], transformer: Described, branch: int
) -> list[int]:
    """Return which of a client's columns a branch of a ColumnTransformer gets, by position.

    ``parent`` are the positions that the ColumnTransformer gets.
    """
    row = dummy_row(schema.container, schema.names, schema.width, schema.dtypes)
    found = branch_positions(take(row, list(parent)), transformer, branch)
    return [parent[i] for i in found]


def _plan(estimator: Any, view: View, weight: str | None) -> Plan[Learned]:
    if weight is not None:
        return weighted_plan_for(estimator, view, weight)
    return plan_for(estimator, view)


def pooled_row(coordinator: Coordinator[Any], estimator: Any, *, without: str | None = None) -> Any:
    """Return one made-up row of the pooled table, or of the pooled target."""
    pooled = coordinator.pooled
    assert pooled.table is not None
    if isinstance(estimator, OF_TARGETS):
        schema = pooled.target or Schema("numpy", None, 1, ("|O",), pooled.table.rows)
        each = [
            list(both[1].dtypes)
            for both in coordinator.schemas.values()
            if len(both) > 1 and both[1].rows
        ]
        dtypes = pooled_dtypes(each, schema.container) if each else list(schema.dtypes)
        return dummy_row(schema.container, schema.names, schema.width, dtypes)
    table = pooled.table
    tables = [both[0] for both in coordinator.schemas.values() if both[0].rows]
    dtypes = pooled_dtypes([_dtypes(t, table) for t in tables], table.container)
    names, width = table.names, table.width
    if without is not None and names is not None:
        kept = [i for i, name in enumerate(names) if name != without]
        dtypes = dtypes if len(dtypes) == 1 else [dtypes[i] for i in kept]
        names, width = tuple(names[i] for i in kept), len(kept)
    return dummy_row(table.container, names, width, dtypes)


def _dtypes(schema: Schema, like: Schema) -> list[str]:
    """Return a table's dtypes in the column order and the container of another table."""
    dtypes = list(schema.dtypes)
    if len(dtypes) > 1:
        dtypes = [dtypes[i] for i in positions_in(schema, like.names)]
    return [dtype_in(like.container, dtype, schema.container) for dtype in dtypes]
