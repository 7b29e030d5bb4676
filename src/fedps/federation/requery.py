"""Requery: fitted estimators that still ask the clients, about their rows or the caller's.

A fitted KNNImputer or KNeighborsRegressor is the rows that it was fitted on, and these stay with the
clients. So what ``fit`` returns for them asks the clients whenever it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from fedps.assembly import asking, asking_with_learned, only_asking
from fedps.client.tables import names_of, positions_of, take
from fedps.errors import UsageError, did_you_mean
from fedps.federation.session import Session
from fedps.learned import Learned
from fedps.plans import plan_to_ask
from fedps.protocol.coordinator import Coordinator
from fedps.report import Run

FitTransform = Callable[[Any], tuple[Any, dict[str, Any]]]


class Requery:
    """Asks the clients that an estimator was fitted on, whenever the estimator is used."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._one_run: Run | None = None

    def __repr__(self) -> str:
        return f"Requery of {', '.join(self._session.clients)}"

    def connect(self, fitted: Any, estimator: Any, known: Coordinator[Learned]) -> None:
        """Connect the parts of a fitted estimator that ask to the clients that they were fitted on."""
        for part, learned in asking_with_learned(fitted, known.outcome):
            part.connect(self, partial(self._ask, known, estimator, part, learned))

    @contextmanager
    def one_run(self, name: str) -> Iterator[None]:
        """Record everything that is asked meanwhile as one run."""
        self._one_run = self._session.new_run(name)
        try:
            yield
        finally:
            self._one_run = None

    def _ask(
        self,
        known: Coordinator[Learned],
        estimator: Any,
        part: Any,
        learned: Learned,
        queries: Any,
    ) -> Any:
        """Return the clients' merged answer about rows, for a part of a fitted estimator."""
        run = self._one_run or self._session.new_run(type(part).__name__, known.clients)
        # those that it was fitted on: a quorum may have left out others
        run.clients = known.clients
        with self._session.timed(run):
            functions = self._session.trust(estimator)
            coordinator = Coordinator(
                plan_to_ask(part.unfitted(), learned, queries),
                run.clients,
                known.pooled,
                request=known.request,
                functions=functions,
                columns=known.columns,
                schemas=known.schemas,
            )
            self._session.drive(coordinator, run, functions)
        return coordinator.outcome

    def transform(self, fitted: Any, fit_transform: FitTransform) -> dict[str, Any]:
        """Return each client's rows as a fitted estimator transforms them, by asking all clients.

        Gaps are filled as during the fit; all other parts of the estimator stay as they are.
        """
        for part in asking(fitted):
            if part.owner not in (None, self):
                raise UsageError(
                    f"this {type(part).__name__} was fitted by another federation, and its rows are "
                    "there. Use that federation, or fitted.transform on rows that you have."
                )
        again, outputs = fit_transform(only_asking(fitted))
        for before, now in zip(asking(fitted), asking(again), strict=True):
            if not before.has_same_rows(now):
                raise UsageError(
                    f"this {type(before).__name__} was fitted on different rows than the clients have "
                    "now. Fit it again by federation.fit."
                )
        return outputs


def predict_by_asking(fitted: Any, transform: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
    """Return predictions for each client's rows if only steps before the model ask the clients."""
    if not isinstance(fitted, Pipeline) or asking(fitted.steps[-1][1]):
        raise UsageError(
            f"{type(fitted).__name__} asks all clients about the rows to be predicted: give them, "
            "federation.predict(fitted, rows)."
        )
    model, outputs = fitted.steps[-1][1], transform(fitted[:-1])
    return {
        client: model.predict(rows) if rows.shape[0] else np.empty(0)
        for client, rows in outputs.items()
    }


def in_fitted_order(fitted: Any, rows: Any) -> Any:
    """Return rows with the columns that an estimator was fitted on, in that order, by name."""
    wanted = getattr(fitted, "feature_names_in_", None)
    if wanted is None or not hasattr(rows, "columns"):
        return rows
    have = names_of(rows) or ()
    for name in wanted:
        if name not in have:
            raise UsageError(f"the rows have no column {name!r}.{did_you_mean(name, have)}")
    return take(rows, positions_of(rows, wanted))
