"""Honest fits and predictions across owners of columns, for the fuzz to mutate."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.experimental import enable_iterative_imputer  # noqa: F401 (brings the class in)
from sklearn.impute import IterativeImputer, KNNImputer
from sklearn.linear_model import BayesianRidge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler

import fedps
from fedps.client import Policy, Responder
from fedps.client.owner.owner_fit import KeptFit
from fedps.client.tables.owned_table import open_owned
from fedps.federation.column_split import _learn_and_deliver
from fedps.federation.owners.alignment import Alignment
from fedps.learned import model_of, path_of_model
from fedps.plans import plan_to_predict
from fedps.plans.columns import knn_imputer as columns_knn
from fedps.plans.columns import match_rows as columns_match
from fedps.protocol.coordinator import Coordinator
from fedps.protocol.messages import Predict, Request
from fedps.protocol.plan import View, ask
from fedps.protocol.pooled import Pooled
from fedps.protocol.schemas.owned_columns import KeyColumns, OwnedColumns
from fedps.statistics import RowKeys
from tests.scripts.asking import request_of

ROWS = 12


def tables(
    clients: tuple[str, ...], *, gaps: bool = False, rows: int = ROWS
) -> dict[str, pd.DataFrame]:
    """Return two columns for each client, of the same rows; the first has the target."""
    rng = np.random.default_rng(3)
    found = {}
    for i, client in enumerate(clients):
        cells = rng.normal(50, 9, size=(rows, 2)).round(1)
        if gaps:
            cells[i, 0] = np.nan
        found[client] = pd.DataFrame(cells, columns=[f"a{i}", f"b{i}"]).assign(id=range(rows))
    found[clients[0]]["y"] = rng.normal(size=rows)
    return found


class Owners:
    """A fit or a prediction across owners: who answers, and what drives it."""

    def __init__(
        self,
        clients: tuple[str, ...],
        estimator: Any,
        *,
        gaps: bool = False,
        predicts: bool = False,
        rows: int = ROWS,
    ) -> None:
        self.clients = clients
        self._tables = tables(clients, gaps=gaps, rows=rows)
        self._estimator = estimator
        made = fedps.Federation(self._tables, split="columns", key="id", target="y")
        self._aligned: Alignment = made._split._aligned
        self._parts = made.fit(estimator) if predicts else None
        row = self._aligned.view().dummy_row
        request = request_of(estimator, across=True, fit="fit", outputs=True, row=row)
        self.request: Request = request if self._parts is None else self._parts._request

    def responder(self, name: str) -> Responder:
        """Return a client, with its part of the model where it is to predict."""
        table = open_owned(self._tables[name], target="y", key="id")
        made = Responder(name, table, Policy.open())
        if self._parts is not None:
            made.own.kept[str(self.request.fit)] = KeptFit(self._parts[name])
            made.own.queries = made.own_rows().iloc[:4]
            made.forget()
        return made

    def coordinator(self) -> Coordinator[Any]:
        """Return what asks them."""
        view = self._aligned.view()
        if self._parts is None:
            plan = _learn_and_deliver(self._estimator, view)
        else:
            learned = self._parts._learned
            plan = plan_to_predict(
                model_of(learned), view.queries(path_of_model(learned), Predict("new"))
            )
        return self._aligned.coordinator(plan, view, self.request, {})


class Keys(Owners):
    """The round before all others, in which rows are compared."""

    def coordinator(self) -> Coordinator[Any]:
        """Return what asks for the digests."""
        request = Request(None, across=True)
        plan, columns = ask(RowKeys(), View()), OwnedColumns()
        return Coordinator(plan, self.clients, Pooled(), request=request, columns=columns)


class MatchedKeys(Owners):
    """A match of rows, by keys that nobody shows."""

    def __init__(self, clients: tuple[str, ...]) -> None:
        super().__init__(clients, Normalizer())
        self.request = Request(None, across=True, fit="match")

    def responder(self, name: str) -> Responder:
        """Return an owner, whose secrets are the same whenever it is started."""
        made = super().responder(name)
        made.own.secrets.note("match", "secret", name.encode().ljust(32, b"."))
        return made

    def coordinator(self) -> Coordinator[Any]:
        """Return what matches them."""
        pooled = Pooled()
        plan = columns_match.match_rows(View(pooled))
        columns = KeyColumns()
        return Coordinator(plan, self.clients, pooled, request=self.request, columns=columns)


def owners(clients: tuple[str, ...]) -> list[Owners]:
    """Return a fit or prediction for every statistic of whole rows, and every change of columns."""
    columns_knn.FEW_DISTANCES = (
        0  # in this process small tables, too, ask for rough distances first
    )
    columns_match.MOST_PROOFS = 5  # and few rows are found in several messages
    some = ColumnTransformer(
        [("some", make_pipeline(StandardScaler(), Normalizer()), ["a0", "b1"])]
    )
    return [
        Keys(clients, Normalizer()),
        MatchedKeys(clients),
        Owners(clients, some),
        Owners(clients, BayesianRidge()),
        # few rows; a small tolerance leaves it to another round where the regression stops
        Owners(clients, BayesianRidge(tol=1e-9), rows=2 + 2 * len(clients)),
        Owners(clients, BayesianRidge(), predicts=True),
        Owners(clients, KNeighborsRegressor(2)),
        Owners(clients, KNeighborsRegressor(2), predicts=True),
        Owners(clients, KNNImputer(n_neighbors=2), gaps=True),
        Owners(clients, IterativeImputer(max_iter=2), gaps=True),
    ]
