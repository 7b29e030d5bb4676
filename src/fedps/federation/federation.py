"""Federation: choose a transport, drive the plan, assemble the result."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from os import PathLike
from typing import Any

from fedps.assembly import asking, asking_with_learned, assemble
from fedps.client import Ledger, Policy
from fedps.errors import NotFederated, UsageError
from fedps.federation.alignment import Parts
from fedps.federation.check_fitted import check_can
from fedps.federation.checkpoint import Checkpoint
from fedps.federation.clients import reader, transport_for
from fedps.federation.cohort import Cohort, read_quorum
from fedps.federation.column_split import ColumnsFederation, in_process
from fedps.federation.driver import drive
from fedps.federation.explain import explain
from fedps.federation.options import read_options
from fedps.federation.pooled_row import pooled_row
from fedps.federation.requery import in_fitted_order, predict_by_asking, transform_by_asking
from fedps.federation.session import fit_rows, make_plan, trust
from fedps.learned import Learned
from fedps.plans import check_supported, plan_to_ask
from fedps.protocol.codec import FunctionNames
from fedps.protocol.coordinator import Coordinator
from fedps.protocol.plan import Options, Plan, Pooled, View, nothing
from fedps.report.progress import Show
from fedps.report.run import Explanation, Run
from fedps.transports import LocalTransport, Transport

Path = str | PathLike[str]


class Federation:
    """Several clients that fit scikit-learn preprocessing together without pooling their rows.

    Parameters
    ----------
    clients : dict of str to table, sequence of tables, or a transport
        A table is a pandas or polars data frame, a pyarrow table, a NumPy array, a scipy sparse
        matrix, the path or glob of Parquet or CSV files (which need not fit in memory), or a pair
        ``(X, y)``. "Pooled" means the rows of all clients in this order, with the first client's
        columns; columns are matched by name, arrays by position.
    split : {"rows", "columns"}, default="rows"
        Whether each client holds some rows of the same columns, or some columns of the same rows.
    target : str, optional
        The label column; it is not a feature. Split by columns, one client has it.
    key : str, optional
        Split by columns, the column that tells which row is which; all clients have it, and it is no
        feature. Without one only the numbers of rows are compared.
    policy : Policy or dict of str to Policy, optional
        What the clients are willing to reveal. In process everything, unless given.
    progress : bool or function, optional
        Show a progress line for long fits. By default only in a terminal. A function gets the number
        of clients and returns what shows it: something with ``update(round, answered)`` and ``close()``.
    timeout : float, optional
        The most seconds that a round may take, where ``clients`` are tables: a client that has not
        answered by then is lost. Without one a round takes as long as it takes.
    quorum : int, optional
        The fewest clients that a fit may go on with. If some are lost, refuse or fail, it starts again
        without them, and ``run.left_out`` says so. Without one it ends with an error.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.preprocessing import StandardScaler
    >>> federation = Federation({
    ...     "oslo": pd.DataFrame({"age": [30.0, 40.0]}),
    ...     "bergen": pd.DataFrame({"age": [50.0]}),
    ... })
    >>> federation.fit(StandardScaler()).mean_
    array([40.])
    >>> federation.run.rounds
    1
    """

    def __init__(
        self,
        clients: Mapping[str, Any] | Sequence[Any] | Transport,
        *,
        split: str = "rows",
        target: str | None = None,
        key: str | None = None,
        policy: Policy | Mapping[str, Policy] | None = None,
        progress: Show = None,
        timeout: float | None = None,
        quorum: int | None = None,
    ) -> None:
        self._keyed = not isinstance(clients, Sequence)
        self._transport = transport_for(clients, reader(split, target, key), policy, timeout)
        if target is not None and split == "rows" and self._transport is clients:
            raise UsageError(
                "target= is for clients that are tables: elsewhere each client names its own."
            )
        self._quorum = read_quorum(quorum, len(self._transport.clients()), split)
        self._progress = progress
        self._run: Run | None = None
        self._predicting: Run | None = None
        names = list(self._transport.clients())
        if not names:
            raise UsageError("a federation needs at least one client; none was given.")
        for name in names:
            if names.count(name) > 1:
                raise UsageError(f"two clients are called {name!r}. Give each a name of its own.")
        self._columns: ColumnsFederation | None = None
        if split == "columns":
            self._columns = ColumnsFederation(
                in_process(self._transport), key=key, target=target, show=progress
            )

    def __repr__(self) -> str:
        return f"Federation of {', '.join(self._transport.clients())}"

    @property
    def run(self) -> Run:
        """What the last call cost and what left each client."""
        if self._columns is not None:
            return self._columns.run
        if self._run is None:
            raise UsageError("nothing has run yet: call fit first.")
        return self._run

    @property
    def ledgers(self) -> dict[str, Ledger]:
        """Each client's own record of what left it, in process."""
        if not isinstance(self._transport, LocalTransport):
            raise NotFederated("over an engine each client keeps its own ledger: read it there.")
        return {name: r.ledger for name, r in self._transport.responders.items()}

    def fit(
        self,
        estimator: Any,
        *,
        sample_weight: str | None = None,
        quantiles: Any = "exact",
        frequent: Any = "exact",
        checkpoint: Path | None = None,
    ) -> Any:
        """Return the estimator fitted as if on the rows of all clients.

        Parameters
        ----------
        estimator : scikit-learn estimator
            Any of those that ``fedps.supported()`` lists, combined as you like. Not changed.
        sample_weight : str, optional
            A column of row weights, for estimators whose ``fit`` takes them. It is not a feature.
        quantiles : "exact", KLL or REQ, default="exact"
            How quantiles are found: those of the pooled rows, or within the bound of a sketch in one
            round: ``fedps.KLL(k=200)``, ``fedps.REQ(k=12)``.
        frequent : "exact" or FrequentItems, default="exact"
            How frequent categories are found: as in the pooled rows, or within the bound of a sketch
            in one round: ``fedps.FrequentItems(k=1000)``.
        checkpoint : path, optional
            A file that records what each round came to, merged. If the server stops, the same call
            goes on after the last complete round. The file is removed when the fit is done.

        Returns
        -------
        estimator
            A genuine fitted scikit-learn object. It needs no fedps. Only a KNNImputer and a
            KNeighborsRegressor are the very rows that they were fitted on: what one gets for them
            asks the clients, as long as this federation is there.
        """
        options = read_options(quantiles, frequent)
        if self._columns is not None:
            return self._fit_columns(estimator, sample_weight, options, checkpoint)[0]
        return self._fit(estimator, sample_weight, options, checkpoint)[0]

    def _fit_columns(
        self, estimator: Any, weight: str | None, options: Options, checkpoint: Path | None
    ) -> tuple[Parts, Any]:
        """Return the owners' fitted parts, and what each makes of its own rows."""
        assert self._columns is not None
        check_supported(estimator)
        if weight is not None or (options.quantiles, options.frequent) != (None, None):
            raise NotFederated(
                "split by columns, every owner has all rows of its columns: fits are exact there, and "
                "take no sample_weight, quantiles= or frequent=."
            )
        if checkpoint is not None:
            raise NotFederated("split by columns, fits take no checkpoint=: they run in process.")
        functions = trust(self._transport, estimator)
        fitted, outputs = self._columns.fit(estimator, functions, outputs=options.outputs)
        return fitted, self._as_given(outputs)

    def _fit(
        self,
        estimator: Any,
        sample_weight: str | None,
        options: Options,
        checkpoint: Path | None,
    ) -> tuple[Any, Coordinator[Learned], Any]:
        """Return the fitted estimator, what was learned, and a made-up row of all clients' rows."""
        check_supported(estimator)
        started = time.perf_counter()
        run = self._run = Run(type(estimator).__name__, tuple(self._transport.clients()))
        functions = trust(self._transport, estimator)
        record = None if checkpoint is None else Checkpoint(checkpoint, run.estimator)
        cohort = Cohort(self._transport, run, self._quorum, record)
        try:
            coordinator = cohort.keep_to(
                lambda: fit_rows(
                    estimator, sample_weight, options, functions, cohort, self._progress
                )
            )
        finally:
            run.seconds = time.perf_counter() - started
            if isinstance(self._transport, LocalTransport):
                self._transport.forget()
        dummy_row = pooled_row(coordinator, estimator, without=sample_weight)
        fitted = assemble(estimator, coordinator.outcome.settled, dummy_row)
        for part, learned in asking_with_learned(fitted, coordinator.outcome):
            part.connect(self, partial(self._ask, coordinator, estimator, part, learned))
        if record is not None:
            record.remove()
        run.seconds = time.perf_counter() - started
        return fitted, coordinator, dummy_row

    def _ask(
        self,
        known: Coordinator[Learned],
        estimator: Any,
        part: Any,
        learned: Learned,
        queries: Any,
    ) -> Any:
        """Return what the clients say of rows, for a part of an estimator that they were fitted by."""
        started = time.perf_counter()
        run = self._predicting or Run(type(part).__name__, known.clients)
        run.clients = known.clients  # those that it was fitted on, whoever else is there
        self._run = run
        functions = trust(self._transport, estimator)
        coordinator = Coordinator(
            plan_to_ask(part.unfitted(), learned, queries),
            run.clients,
            known.pooled,
            functions=functions,
            columns=known.columns,
            schemas=known.schemas,
        )
        try:
            self._exchange(coordinator, run, functions)
        finally:
            run.seconds += time.perf_counter() - started
            if isinstance(self._transport, LocalTransport):
                self._transport.forget()
        return coordinator.outcome

    def transform(self, fitted: Any) -> Any:
        """Return each client's transformed rows, keyed like the clients. They stay in process."""
        if self._columns is not None:
            return self._as_given(self._columns.transform(fitted))
        check_can(fitted, "transform")
        if not isinstance(self._transport, LocalTransport):
            raise NotFederated(
                "over an engine the rows stay with the clients: transform them there."
            )
        if asking(fitted):
            return transform_by_asking(fitted, self, self.fit_transform)
        return self._as_given(self._transport.transform(fitted))

    def _as_given(self, outputs: dict[str, Any]) -> Any:
        """Return what belongs to the clients in the form in which they were given: a dict or a list."""
        return outputs if self._keyed else list(outputs.values())

    def predict(self, fitted: Any, queries: Any = None) -> Any:
        """Return a fitted model's predictions for ``queries``, or for each client's own rows.

        Those for the clients' rows are keyed like the clients. They stay in process.
        """
        if self._columns is not None:
            return self._columns.predict(fitted, queries)
        check_can(fitted, "predict")
        if queries is not None:
            # all that is asked for one prediction is one run
            self._predicting = Run(type(fitted).__name__, tuple(self._transport.clients()))
            try:
                return fitted.predict(in_fitted_order(fitted, queries))
            finally:
                self._predicting = None
        if asking(fitted):
            return predict_by_asking(fitted, self.transform)
        if not isinstance(self._transport, LocalTransport):
            raise NotFederated(
                "over an engine the rows stay with the clients: predict there, or give queries."
            )
        return self._as_given(self._transport.predict(fitted))

    def fit_transform(
        self,
        estimator: Any,
        *,
        sample_weight: str | None = None,
        quantiles: Any = "exact",
        frequent: Any = "exact",
        checkpoint: Path | None = None,
    ) -> tuple[Any, Any]:
        """Return the fitted estimator and each client's transformed rows; options as of ``fit``.

        The rows are those of the pooled ``fit_transform``: cross-fitted where there is a
        ``TargetEncoder``, which ``fit`` and then ``transform`` do not give.
        """
        check_supported(estimator)
        if not hasattr(estimator, "transform"):
            name = type(estimator).__name__
            raise UsageError(f"{name} transforms nothing: use federation.fit, then predict.")
        options = replace(read_options(quantiles, frequent), outputs=True)
        if self._columns is not None:
            return self._fit_columns(estimator, sample_weight, options, checkpoint)
        fitted, coordinator, dummy_row = self._fit(estimator, sample_weight, options, checkpoint)
        learned = coordinator.outcome
        if not learned.is_folded or not isinstance(self._transport, LocalTransport):
            return fitted, self.transform(fitted)
        outputs = self._transport.fit_transform(
            coordinator.parts(learned), lambda own: assemble(estimator, own, dummy_row)
        )
        return fitted, self._as_given(outputs)

    def explain(
        self,
        estimator: Any,
        *,
        sample_weight: str | None = None,
        quantiles: Any = "exact",
        frequent: Any = "exact",
    ) -> Explanation:
        """Return what a fit with these options would ask of whom, before anything is computed.

        The clients are asked for nothing but their schemas: column names, dtypes, row counts.
        """
        check_supported(estimator)
        if self._columns is not None:
            return self._columns.explain(estimator, trust(self._transport, estimator))
        clients = tuple(self._transport.clients())
        schema_only = Coordinator(nothing(), clients, Pooled())
        self._exchange(schema_only, Run("schema", clients))
        functions = trust(self._transport, estimator)

        def plan(view: View) -> Plan[Learned]:
            return make_plan(estimator, view, sample_weight)

        options = read_options(quantiles, frequent)
        return explain(estimator, plan, schema_only, functions, options)

    def _exchange(
        self, coordinator: Coordinator[Any], run: Run, functions: FunctionNames | None = None
    ) -> None:
        """Carry rounds and replies until the plan has its outcome."""
        drive(coordinator, self._transport, run, functions=functions, show=self._progress)


def fit(estimator: Any, clients: Any, **options: Any) -> Any:
    """Fit an estimator across clients: shorthand for ``Federation(clients, ...).fit(estimator)``.

    >>> import numpy as np
    >>> from sklearn.preprocessing import MaxAbsScaler
    >>> fit(MaxAbsScaler(), [np.array([[1.0]]), np.array([[-4.0]])]).max_abs_
    array([4.])
    """
    of_fit = ("sample_weight", "quantiles", "frequent", "checkpoint")
    chosen = {name: options.pop(name) for name in of_fit if name in options}
    return Federation(clients, **options).fit(estimator, **chosen)
