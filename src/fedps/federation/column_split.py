"""``split="columns"``: each client holds some columns of the same rows."""

from __future__ import annotations

from collections.abc import Mapping
from secrets import token_hex
from typing import Any

from fedps.errors import NotFederated, TransportError, UsageError
from fedps.federation.clients.client_names import ClientNames
from fedps.federation.cohort import Cohort
from fedps.federation.explain import Carry, expected_rounds, explain
from fedps.federation.faults.checkpoint import Checkpoint, StrPath
from fedps.federation.looks.look import Look
from fedps.federation.looks.looked import Looked
from fedps.federation.looks.owners import explain_at_owners, look_at_owners
from fedps.federation.owners.alignment import Alignment
from fedps.federation.owners.parts import Parts
from fedps.federation.owners.predicting import NO_MODEL, SERVER, PredictThere, read_to
from fedps.federation.owners.queries import matched_queries
from fedps.federation.session import Session
from fedps.learned import Learned, model_of, path_of_model
from fedps.plans import check_outputs, plan_for_columns, plan_to_predict
from fedps.plans.describe import describe
from fedps.protocol.codec import FunctionNames
from fedps.protocol.coordinator import Coordinator
from fedps.protocol.messages import Predict, Request
from fedps.protocol.owners.kept_parts import KeptParts, Receipt
from fedps.protocol.plan import Plan, View, deliver
from fedps.protocol.pooled import Options
from fedps.protocol.schemas import Schemas
from fedps.report import Explanation, Run
from fedps.report.progress_lines import ExpectedRounds
from fedps.trials import must_be_tried, try_selectors, try_weights

_NO_QUORUM = (
    "With split='columns' nobody else holds its columns, so that there is no quorum: the call ends. Run it "
    "again when the client is back."
)


class ColumnSplit:
    """Fits estimators on clients that hold some columns of the same rows.

    What was learned is sent to each client, which fits its part on its own columns and keeps it, and
    its transformed rows. In process, both are then handed to the caller; over an engine they stay there.

    Parameters
    ----------
    session : Session
        The clients, and what drives plans over them.
    key, target : str or None
        The columns that identify rows, and that hold the labels.
    names : ClientNames, optional
        What the caller calls the clients.
    private : bool, default=False
        Whether rows are matched, by keys that nobody shows. Otherwise all must have the same rows.
    """

    name = "columns"

    def __init__(
        self,
        session: Session,
        key: str | None,
        target: str | None,
        names: ClientNames | None = None,
        *,
        private: bool = False,
    ) -> None:
        self._session = session
        self._names = names or ClientNames()
        self._here = session.here
        self._key = key
        run = session.run = session.new_run("matching of rows" if private else "RowKeys")
        self._aligned = Alignment(
            session.clients,
            key,
            target,
            lambda known: self._drive(known, run),
            there=self._here is None,
            private=private,
        )
        self._fits = 0

    @property
    def matched(self) -> int | None:
        """How many rows all clients were found to have, where rows were matched."""
        return None if self._aligned.match is None else self._aligned.rows

    @property
    def schemas(self) -> Schemas:
        """What each client's table looks like."""
        return self._aligned.schemas

    def fit(
        self,
        estimator: Any,
        weight: str | None,
        options: Options,
        checkpoint: StrPath | None,
        name: str | None = None,
    ) -> Parts | KeptParts:
        """Return the clients' fitted parts; over an engine, their receipts."""
        _refuse(weight, options)
        coordinator = self._fit(estimator, checkpoint, name, outputs=False)
        return self._parts(coordinator)[0]

    def fit_transform(
        self,
        estimator: Any,
        weight: str | None,
        options: Options,
        checkpoint: StrPath | None,
        name: str | None = None,
    ) -> tuple[Parts | KeptParts, dict[str, Any]]:
        """Return the clients' fitted parts, and each client's transformed rows.

        Over an engine both stay with the clients, and their receipts are returned.
        """
        _refuse(weight, options)
        coordinator = self._fit(estimator, checkpoint, name, outputs=True)
        return self._parts(coordinator)

    def _fit(
        self, estimator: Any, checkpoint: StrPath | None, fit: str | None, *, outputs: bool
    ) -> Coordinator[Learned]:
        """Carry a fit to its end: by then the clients keep their parts."""
        session, name = self._session, type(estimator).__name__
        run, view = session.new_run(name, rows=self._aligned.rows), self._aligned.view()
        with session.timed(run):
            _try(estimator, view)
            functions = session.trust(estimator)
            record = None if checkpoint is None else Checkpoint(checkpoint, name, fit or "")
            request = _request(estimator, view, self._name(name, fit, record), outputs=outputs)
            plan = _learn_and_deliver(estimator, view)
            coordinator = self._aligned.coordinator(plan, view, request, functions, record)
            if record is not None:
                Cohort(session, run, None, record)  # the clients must be those of the checkpoint
            self._drive(
                coordinator,
                run,
                functions,
                record,
                lambda schemas: self._expected(estimator, functions, schemas, outputs),
            )
            if record is not None:
                record.remove()
        return coordinator

    def _name(self, estimator: str, given: str | None, record: Checkpoint | None) -> str:
        """Return the name of a fit: the caller's, or the checkpoint's, or a new one."""
        self._fits += 1
        short = None if self._here is None else f"{estimator} {self._fits}"
        name = given or short or f"{estimator}-{token_hex(4)}"
        return name if record is None else record.fit_name(name)

    def _drive(self, coordinator: Coordinator[Any], run: Run, *more: Any) -> None:
        """Carry a plan to its end; an owner that is lost ends it, as nobody else has its columns."""
        try:
            self._session.drive(coordinator, run, *more)
        except TransportError as error:
            if error.clients:
                error.args = (f"{error} {_NO_QUORUM}",)
            raise

    def _parts(self, fitted: Coordinator[Learned]) -> tuple[Parts | KeptParts, dict[str, Any]]:
        """Return what a fit gives, and each client's transformed rows."""
        request, fit = fitted.request, str(fitted.request.fit)
        if self._here is None:
            widths = {client: both[0].width for client, both in self._aligned.schemas.items()}
            receipts = {client: Receipt(client, fit, own) for client, own in widths.items()}
            return KeptParts(fitted.outcome, request, receipts), dict(receipts)
        kept = self._here.take_kept(fit)
        parts = {client: own.part for client, own in kept.items()}
        found = Parts(parts, fitted.outcome, request, fitted.functions or {}, self._names)
        return found, {client: own.output for client, own in kept.items()}

    def look(self, look: Look, checkpoint: StrPath | None) -> Looked:
        """Return what a look found: each client is asked about its own columns alone."""
        if checkpoint is not None:
            raise NotFederated("with split='columns', looks do not take checkpoint=: ask again.")
        session = self._session
        run = session.new_run(look.name, rows=self._aligned.rows)
        with session.timed(run):
            known, match = self._aligned.schemas, self._aligned.match
            return look_at_owners(look, known, run, lambda c: session.drive(c, run), match)

    def explain_look(self, look: Look) -> Explanation:
        """Return what a look would ask, of one client after the other."""
        return explain_at_owners(look, self._aligned.schemas)

    def _expected(
        self, estimator: Any, functions: FunctionNames, schemas: Schemas, outputs: bool
    ) -> ExpectedRounds | None:
        """Return how many rounds a fit takes. The user's functions are not called once more for that."""
        if must_be_tried(estimator):
            return None
        return expected_rounds(
            schemas, lambda carry: carry(self._rehearsed(estimator, functions, outputs))
        )

    def _rehearsed(
        self, estimator: Any, functions: FunctionNames, outputs: bool
    ) -> Coordinator[Learned]:
        """Return what drives the plan of a fit that is only rehearsed."""
        view = self._aligned.view()
        plan = _learn_and_deliver(estimator, view)
        request = _request(estimator, view, "", outputs=outputs)
        return self._aligned.coordinator(plan, view, request, functions)

    def transform(self, fitted: Any) -> dict[str, Any]:
        """Return each client's rows, transformed by its own part."""
        here = self._session.in_process(
            "over an engine each client transforms its own rows: with fit_transform they are written where "
            "its settings say (outputs)."
        )
        if not isinstance(fitted, Parts):
            raise UsageError(
                f"with split='columns', transform needs what fit returned, not a "
                f"{type(fitted).__name__}."
            )
        if any(not hasattr(part, "transform") for part in fitted.values()):
            raise UsageError(f"{fitted.name} has no transform: use federation.predict(fitted).")
        for part in fitted.values():
            check_outputs(part, used=True)
        return here.transform_parts(fitted.by_text, self._aligned.match)

    def predict(self, fitted: Any, queries: Any, to: str = SERVER) -> Any:
        """Return predictions for rows of which each client holds its own columns."""
        if read_to(to) != SERVER and self._here is not None:
            raise UsageError(
                "to= is for clients on an engine: in process, predictions are returned."
            )
        known = KeptParts if self._here is None else Parts
        if not isinstance(fitted, known):
            raise UsageError(NO_MODEL)
        model = model_of(fitted._learned)  # noqa: SLF001 - what only servers need
        run = self._session.new_run(model.estimator, rows=self._aligned.rows)
        if isinstance(fitted, Parts):
            return self._predict_here(fitted, queries, run)
        with self._session.timed(run):
            there = PredictThere(self._aligned, self._key, lambda one: self._drive(one, run))
            return there.predict(fitted, queries, to)

    def _predict_here(self, fitted: Parts, queries: Any, run: Run) -> Any:
        here, view = self._session.in_process(""), self._aligned.view()
        learned, request = fitted._learned, fitted._request  # noqa: SLF001
        functions = fitted._functions  # noqa: SLF001
        which = Predict("own" if queries is None else "new")
        place = view.queries(path_of_model(learned), which)
        if (plan := plan_to_predict(model_of(learned), place)) is None:
            raise UsageError(NO_MODEL)
        known = here.own_rows(self._aligned.match)
        if isinstance(queries, Mapping):
            queries = {self._names.text(name, str(name)): own for name, own in queries.items()}
        rows = known if queries is None else matched_queries(queries, known, self._key)
        coordinator = self._aligned.coordinator(plan, view, request, functions)
        with here.predicting(str(request.fit), fitted.by_text, rows), self._session.timed(run):
            self._session.drive(coordinator, run, functions)
        return coordinator.outcome

    def explain(self, estimator: Any, weight: str | None, options: Options) -> Explanation:
        """Return what a fit would ask."""
        _refuse(weight, options)
        functions = self._session.trust(estimator)

        def run_plan(carry: Carry, outputs: bool) -> object:
            _try(estimator, self._aligned.view())
            return carry(self._rehearsed(estimator, functions, outputs))  # type: ignore[func-returns-value]

        return explain(type(estimator).__name__, self._aligned.schemas, run_plan)


def _try(estimator: Any, view: View) -> None:
    """Try the user's functions. One of a FunctionTransformer has all rows here, and needs no trial."""
    try_weights(estimator)
    try_selectors(estimator, view.pooled.dummy_row)


def _request(estimator: Any, view: View, fit: str, *, outputs: bool) -> Request:
    """Return what the clients hear first: what is fitted, and the name under which they keep it."""
    pipeline = describe(estimator, view.pooled, whole=True)
    return Request(pipeline, outputs=outputs, across=True, fit=fit)


def _learn_and_deliver(estimator: Any, view: View) -> Plan[Learned]:
    """Learn what no client can learn alone, then have each client fit and keep its part."""
    learned = yield from plan_for_columns(estimator, view)
    yield from deliver(learned, view)
    return learned


def _refuse(weight: str | None, options: Options) -> None:
    """Raise NotFederated for options that do not apply to ``split="columns"``."""
    if weight is not None or (options.quantiles, options.frequent) != (None, None):
        raise NotFederated(
            "with split='columns', every client holds all rows of its columns: fits are exact, and do not "
            "take sample_weight=, quantiles= or frequent=."
        )
