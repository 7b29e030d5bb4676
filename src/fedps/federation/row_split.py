"""``split="rows"``: each client holds some rows of the same columns."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, partial
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from fedps.assembly import asking, assemble
from fedps.compounds import walk
from fedps.errors import UsageError
from fedps.federation.assembled import assembled, pooled_row
from fedps.federation.cohort import Cohort
from fedps.federation.explain import Carry, expected_rounds, explain
from fedps.federation.faults.checkpoint import Checkpoint, StrPath
from fedps.federation.learning import LookPlan, learn
from fedps.federation.looks.look import Look
from fedps.federation.looks.look_pipeline import groups_pipeline, look_pipeline, with_groups
from fedps.federation.looks.looked import Looked
from fedps.federation.requery import Requery, in_fitted_order, predict_by_asking
from fedps.federation.session import Session
from fedps.federation.units_agree import check_output_units
from fedps.learned import Learned
from fedps.plans import ASKING, check_outputs
from fedps.plans.looks.look import look_plan
from fedps.protocol.coordinator import Coordinator
from fedps.protocol.plan import nothing
from fedps.protocol.pooled import Options, Pooled
from fedps.protocol.schemas import Schemas
from fedps.report import Explanation, Run
from fedps.report.progress_lines import ExpectedRounds
from fedps.trials import must_be_tried


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
    matched = None  # rows are matched with split="columns" only

    def __init__(self, session: Session, quorum: int | None) -> None:
        self._session = session
        self._quorum = quorum

    @cached_property
    def _requery(self) -> Requery:
        return Requery(self._session)

    def fit(
        self,
        estimator: Any,
        weight: str | None,
        options: Options,
        checkpoint: StrPath | None,
        name: str | None = None,
    ) -> Any:
        """Return the estimator fitted as if on the rows of all clients."""
        _refuse_name(name)
        return self._fit(estimator, weight, options, checkpoint)[0]

    def fit_transform(
        self,
        estimator: Any,
        weight: str | None,
        options: Options,
        checkpoint: StrPath | None,
        name: str | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Return the fitted estimator, and each client's rows as a pooled fit_transform gives them."""
        _refuse_name(name)
        wanted = replace(options, outputs=True)
        fitted, coordinator, row = self._fit(estimator, weight, wanted, checkpoint)
        learned, here = coordinator.outcome, self._session.here
        if not learned.is_folded or here is None:
            return fitted, self.transform(fitted)
        check_output_units(fitted, here.schemas())
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
        check_output_units(fitted, here.schemas())
        return here.transform(fitted)

    def _fit_transform_again(self, estimator: Any) -> tuple[Any, dict[str, Any]]:
        return self.fit_transform(estimator, None, Options(), None)

    def predict(self, fitted: Any, queries: Any, to: str = "server") -> Any:
        """Return predictions for queries, or for each client's own rows."""
        if to != "server":
            raise UsageError("to= is for split='columns' over an engine: leave it out.")
        _check_can(fitted, "predict")
        if queries is not None:
            with self._requery.one_run(type(fitted).__name__):
                return fitted.predict(in_fitted_order(fitted, queries))
        if asking(fitted):
            return predict_by_asking(fitted, self.transform)
        here = self._session.in_process(
            "over an engine the rows stay with the clients: predict there, or give queries."
        )
        check_output_units(fitted, here.schemas())
        return here.predict(fitted)

    def explain(self, estimator: Any, weight: str | None, options: Options) -> Explanation:
        """Return what a fit would ask; the clients are asked for nothing but their schemas."""
        return self._explain(type(estimator).__name__, estimator, weight, options)

    def explain_look(self, look: Look) -> Explanation:
        """Return what a look would ask; the clients are asked for nothing but their schemas."""
        found = self._explain(look.name, look_pipeline(look), None, Options(), look_plan)
        if look.by is None:
            return found
        first = self._explain(look.name, groups_pipeline(look), None, Options(), look_plan)
        again = f"then the same once more in each group of {look.by!r}"
        later = [replace(ask, round=ask.round + first.rounds) for ask in found.asks]
        return replace(
            found,
            rounds=found.rounds + first.rounds,
            asks=[*first.asks, *later],
            further=[*found.further, again],
        )

    def _explain(
        self,
        name: str,
        estimator: Any,
        weight: str | None,
        options: Options,
        make_plan: LookPlan | None = None,
    ) -> Explanation:
        known = Coordinator(nothing(), self._session.clients, Pooled())
        self._session.drive(known, self._session.new_run("schema"))
        if (here := self._session.here) is not None:
            here.rest()
        functions, remote = self._session.trust(estimator), here is None

        def run_plan(carry: Carry, outputs: bool) -> object:
            wanted = replace(options, outputs=outputs)
            about = (estimator, weight, wanted, functions, known.clients, carry)
            return learn(*about, remote=remote, look=make_plan)

        return explain(name, known.schemas, run_plan)

    def _fit(
        self, estimator: Any, weight: str | None, options: Options, checkpoint: StrPath | None
    ) -> tuple[Any, Coordinator[Learned], Any]:
        """Return the fitted estimator, what was learned, and a made-up row of the pooled table."""
        session, name = self._session, type(estimator).__name__
        run = session.new_run(name)
        with session.timed(run):
            record = None if checkpoint is None else Checkpoint(checkpoint, name)
            coordinator = self._carried(run, record, estimator, weight, options)
            row = pooled_row(coordinator.pooled, coordinator.schemas, estimator, without=weight)
            fitted = assembled(estimator, coordinator.outcome.settled, row)
            if any(isinstance(part, ASKING) for part in walk(estimator)):
                self._requery.connect(fitted, estimator, coordinator)
            if record is not None:
                record.remove()
        return fitted, coordinator, row

    def look(self, look: Look, checkpoint: StrPath | None) -> Looked:
        """Return what a look at the clients' data found."""
        run = self._session.new_run(look.name)
        with self._session.timed(run):
            record = None if checkpoint is None else Checkpoint(checkpoint, look.name)
            if look.by is not None:
                ((groups,),) = self._carried(
                    run, record, groups_pipeline(look), None, Options(), look_plan
                ).outcome
                look = with_groups(look, groups)
            found = self._carried(run, record, look_pipeline(look), None, Options(), look_plan)
            if record is not None:
                record.remove()
        return Looked.of(look, found, run)

    def _carried(
        self,
        run: Run,
        record: Checkpoint | None,
        estimator: Any,
        weight: str | None,
        options: Options,
        make_plan: LookPlan | None = None,
    ) -> Coordinator[Any]:
        """Carry a plan to its end, with all clients or those that the quorum leaves."""
        session = self._session
        functions, remote = session.trust(estimator), session.here is None

        def carry(coordinator: Coordinator[Any]) -> None:
            session.drive(coordinator, run, functions, record, rehearse)

        def rehearse(schemas: Schemas) -> ExpectedRounds | None:
            # the user's functions are not called once more for that
            if make_plan is None and must_be_tried(estimator):
                return None
            again = partial(learn, estimator, weight, options, functions, tuple(schemas))
            return expected_rounds(schemas, partial(again, remote=remote, look=make_plan))

        def attempt() -> Coordinator[Any]:
            about = (estimator, weight, options, functions, run.clients, carry)
            return learn(*about, remote=remote, look=make_plan)

        if self._quorum is None and record is None:
            return attempt()
        return Cohort(session, run, self._quorum, record).keep_to(attempt)


def _refuse_name(name: str | None) -> None:
    if name is not None:
        raise UsageError(
            "name= is for split='columns', where clients keep their parts under it: leave it out."
        )


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
