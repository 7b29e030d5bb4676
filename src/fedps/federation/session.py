"""Fitting over rows: an estimator's plan run to its end by the clients of a transport."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator

from fedps.assembly import freeze
from fedps.errors import FedPSError
from fedps.federation.cohort import Cohort
from fedps.federation.driver import drive
from fedps.federation.pooled_row import pooled_row
from fedps.learned import Learned
from fedps.plans import plan_for, weighted_plan_for
from fedps.protocol.codec import FunctionNames
from fedps.protocol.coordinator import Coordinator, StartAgain
from fedps.protocol.plan import Options, Plan, Pooled, View
from fedps.protocol.schemas import Columns
from fedps.report.progress import Show
from fedps.transports import LocalTransport, Transport


def fit_rows(
    estimator: Any,
    weight: str | None,
    options: Options,
    functions: FunctionNames,
    cohort: Cohort,
    show: Show,
) -> Coordinator[Learned]:
    """Run the plan to its end; again, once the schema is known, where it needs that first."""
    pooled = Pooled(freeze=freeze, options=options)
    columns: Columns | None = None
    while True:
        plan = make_plan(estimator, View(pooled, used=options.outputs), weight)
        clients = cohort.run.clients
        coordinator = Coordinator(plan, clients, pooled, functions=functions, columns=columns)
        try:
            drive(
                coordinator,
                cohort.transport,
                cohort.run,
                functions=functions,
                show=show,
                checkpoint=cohort.checkpoint,
            )
        except StartAgain:
            again = columns is not None
            columns = coordinator.columns
            pooled.dummy_row = pooled_row(coordinator, None)
            if again:
                raise FedPSError("the clients' columns changed while they were asked.") from None
        else:
            return coordinator


def make_plan(estimator: Any, view: View, weight: str | None) -> Plan[Learned]:
    """Return the plan of an estimator, which may weigh rows by a column."""
    if weight is not None:
        return weighted_plan_for(estimator, view, weight)
    return plan_for(estimator, view)


def trust(transport: Transport, estimator: Any) -> FunctionNames:
    """Give names to the functions in an estimator that have none of their own, in process."""
    if not isinstance(transport, LocalTransport):
        return {}
    values = estimator.get_params(deep=True).values() if hasattr(estimator, "get_params") else ()
    found = [v for v in values if callable(v) and not isinstance(v, type | BaseEstimator)]
    names = {f"local:{i}": function for i, function in enumerate(found)}
    transport.trust(names)
    return {id(function): name for name, function in names.items()}
