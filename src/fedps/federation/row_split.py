"""``split="rows"``: each client holds some rows of the same columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from fedps.assembly import asking, assemble, dtype_in, dummy_row, freeze, pooled_dtypes
from fedps.client.places.select_columns import branch_positions
from fedps.client.tables import take
from fedps.compounds import walk
from fedps.errors import FedPSError, UsageError
from fedps.federation.assembled import assembled
from fedps.federation.cohort import Cohort
from fedps.federation.explain import Carry, expected_rounds, explain
from fedps.federation.faults.checkpoint import Checkpoint, StrPath
from fedps.federation.requery import Requery, in_fitted_order, predict_by_asking
from fedps.federation.session import Session
from fedps.learned import Described, Learned
from fedps.plans import ASKING, OF_TARGETS, check_outputs, plan_for, weighted_plan_for
from fedps.plans.describe import describe
from fedps.protocol.codec import FunctionNames
from fedps.protocol.coordinator import Coordinator, StartAgain
from fedps.protocol.messages import Request
from fedps.protocol.plan import NeedsSchema, Options, Plan, Pooled, View, nothing
from fedps.protocol.schemas import Columns, Schemas, positions_in
from fedps.report import Explanation
from fedps.report.progress_lines import ExpectedRounds
from fedps.statistics import Schema
from fedps.trials import must_be_tried, try_functions, try_weights


class RowSplit:
    """Fits estimators on clients that hold some rows of the same columns.

    Parameters
    ----------
    session : Session
        The clients, and what drives plans over them.
    quorum : int or None
        The fewest clients that a fit may go on with. None: all are needed.
    """

    name = "rows"

    def __init__(self, session: Session, quorum: int | None) -> None:
        self._session = session
        self._quorum = quorum

    @cached_property
    def _requery(self) -> Requery:
        return Requery(self._session)

    def fit(
        self, estimator: Any, weight: str | None, options: Options, checkpoint: StrPath | None
    ) -> Any:
        """Return the estimator fitted as if on the rows of all clients."""
        return self._fit(estimator, weight, options, checkpoint)[0]

    def fit_transform(
        self, estimator: Any, weight: str | None, options: Options, checkpoint: StrPath | None
    ) -> tuple[Any, dict[str, Any]]:
        """Return the fitted estimator, and each client's rows as a pooled fit_transform gives them."""
        wanted = replace(options, outputs=True)
        fitted, coordinator, row = self._fit(estimator, weight, wanted, checkpoint)
        learned, here = coordinator.outcome, self._session.here
        if not learned.is_folded or here is None:
            return fitted, self.transform(fitted)
        outputs = here.fit_transform(
            coordinator.parts(learned), lambda own: assemble(estimator, own, row)
        )
        return fitted, outputs

    def transform(self, fitted: Any) -> dict[str, Any]:
        """Return each client's transformed rows."""
        _check_can(fitted, "transform")
        check_outputs(fitted, used=True)
        here = self._session.in_process(
            "over an engine the rows stay with the clients: transform them there."
        )
        if asking(fitted):
            return self._requery.transform(fitted, self._fit_transform_again)
        return here.transform(fitted)

    def _fit_transform_again(self, estimator: Any) -> tuple[Any, dict[str, Any]]:
        return self.fit_transform(estimator, None, Options(), None)

    def predict(self, fitted: Any, queries: Any) -> Any:
        """Return predictions for queries, or for each client's own rows."""
        _check_can(fitted, "predict")
        if queries is not None:
            with self._requery.one_run(type(fitted).__name__):
                return fitted.predict(in_fitted_order(fitted, queries))
        if asking(fitted):
            return predict_by_asking(fitted, self.transform)
        here = self._session.in_process(
            "over an engine the rows stay with the clients: predict there, or give queries."
        )
        return here.predict(fitted)

    def explain(self, estimator: Any, weight: str | None, options: Options) -> Explanation:
        """Return what a fit would ask; the clients are asked for nothing but their schemas."""
        clients = self._session.clients
        known = Coordinator(nothing(), clients, Pooled())
        self._session.drive(known, self._session.new_run("schema"))
        functions = self._session.trust(estimator)

        remote = self._session.here is None

        def run_plan(carry: Carry, outputs: bool) -> object:
            wanted = replace(options, outputs=outputs)
            return _learn(estimator, weight, wanted, functions, known.clients, carry, remote=remote)

        return explain(type(estimator).__name__, known.schemas, run_plan)

    def _fit(
        self, estimator: Any, weight: str | None, options: Options, checkpoint: StrPath | None
    ) -> tuple[Any, Coordinator[Learned], Any]:
        """Return the fitted estimator, what was learned, and a made-up row of the pooled table."""
        session, name = self._session, type(estimator).__name__
        run = session.new_run(name)
        with session.timed(run):
            functions = session.trust(estimator)
            record = None if checkpoint is None else Checkpoint(checkpoint, name)
            remote = session.here is None

            def carry(coordinator: Coordinator[Any]) -> None:
                session.drive(coordinator, run, functions, record, rehearse)

            def rehearse(schemas: Schemas) -> ExpectedRounds | None:
                if must_be_tried(
                    estimator
                ):  # the user's functions are not called once more for that
                    return None
                learn = partial(_learn, estimator, weight, options, functions, tuple(schemas))
                return expected_rounds(schemas, partial(learn, remote=remote))

            def attempt() -> Coordinator[Learned]:
                return _learn(
                    estimator, weight, options, functions, run.clients, carry, remote=remote
                )

            if self._quorum is None and record is None:
                coordinator = attempt()
            else:
                coordinator = Cohort(session, run, self._quorum, record).keep_to(attempt)
            row = pooled_row(coordinator, estimator, without=weight)
            fitted = assembled(estimator, coordinator.outcome.settled, row)
            if any(isinstance(part, ASKING) for part in walk(estimator)):
                self._requery.connect(fitted, estimator, coordinator)
            if record is not None:
                record.remove()
        return fitted, coordinator, row


def _learn(
    estimator: Any,
    weight: str | None,
    options: Options,
    functions: FunctionNames,
    clients: tuple[str, ...],
    carry: Carry,
    *,
    remote: bool,
) -> Coordinator[Learned]:
    """Run the plan to its end. If it needs the schema first, run it again once that is known."""
    try_weights(estimator)
    pooled = Pooled(freeze=freeze, options=options, remote=remote)
    schemas: Schemas = {}
    untried = must_be_tried(estimator)
    while True:
        plan = _plan(estimator, View(pooled, used=options.outputs), weight)
        request = _request(estimator, weight, options, pooled, only_schema=untried)
        if untried:
            plan = _only_schema(plan)
        columns = Columns(request.pipeline, chosen_columns, weight)
        if schemas:
            columns.learn_tables(schemas)
        coordinator = Coordinator(
            plan, clients, pooled, request=request, functions=functions, columns=columns
        )
        try:
            carry(coordinator)
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


def _check_can(fitted: Any, method: str) -> None:
    """Raise UsageError, with the way out, unless this is fitted and has the method."""
    name = type(fitted).__name__
    if not isinstance(fitted, BaseEstimator):
        raise UsageError(f"{method} needs a fitted estimator, not {name}.")
    try:
        check_is_fitted(fitted)
    except (ValueError, TypeError):
        raise UsageError(
            f"this {name} is not fitted. fit returns the fitted one and leaves its argument as "
            f"it was: fitted = federation.fit(...), then federation.{method}(fitted)."
        ) from None
    if not hasattr(fitted, method):
        other = next((o for o in ("transform", "predict") if hasattr(fitted, o)), None)
        hint = f" Use federation.{other}(fitted)." if other else ""
        raise UsageError(f"{name} has no {method}.{hint}")
