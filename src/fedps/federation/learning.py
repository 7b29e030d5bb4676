"""learn: runs the plan of a fit or of a look to its end, once the schema is known where it needs that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from fedps.assembly import dummy_row, freeze
from fedps.client.places.select_columns import branch_positions
from fedps.client.tables import take
from fedps.errors import FedPSError
from fedps.federation.assembled import pooled_row
from fedps.federation.explain import Carry
from fedps.federation.units_agree import check_learned_units
from fedps.learned import Described, Learned
from fedps.plans import plan_for, weighted_plan_for
from fedps.plans.describe import describe
from fedps.protocol.codec import FunctionNames
from fedps.protocol.coordinator import Coordinator, StartAgain
from fedps.protocol.messages import Request
from fedps.protocol.plan import NeedsSchema, Plan, TooLarge, View
from fedps.protocol.pooled import Options, Pooled
from fedps.protocol.schemas import Columns, Schemas
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
        check = None if untried or look else partial(check_learned_units, estimator, pooled, weight)
        columns = _columns(request, weight, check, schemas)
        about = partial(Coordinator, request=request, functions=functions, columns=columns)
        coordinator = about(plan, clients, pooled)
        try:
            carry(coordinator)
        except TooLarge:
            pooled.split_more()
        except StartAgain:
            pooled.dummy_row = pooled_row(pooled, coordinator.schemas, None)
            pooled.forget()
            if schemas:
                raise FedPSError("the clients' columns changed while they were asked.") from None
            schemas = coordinator.schemas
            if untried:
                _try_it(estimator, pooled, weight, schemas)
                untried = False
        else:
            return coordinator


def _columns(request: Request, weight: str | None, check: Any, schemas: Schemas) -> Columns:
    """Return which columns clients have, as far as that is known."""
    columns = Columns(request.pipeline, chosen_columns, weight, check)
    if schemas:
        columns.learn_tables(schemas)
    return columns


def _try_it(estimator: Any, pooled: Pooled, weight: str | None, schemas: Schemas) -> None:
    """Try the user's functions on made-up tables, and what they make of times in the clients' units."""
    try_functions(estimator, pooled_row(pooled, schemas, estimator, without=weight))
    check_learned_units(estimator, pooled, weight, schemas)


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
        match=options.match,
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
