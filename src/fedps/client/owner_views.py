"""Views with ``split="columns"``: the client fits on its columns, keeps its part and predicts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from fedps.assembly import prepared, unfitted
from fedps.client.failure_reasons import no_text_leaves
from fedps.client.owner_fit import KeptFit, before_model, fit_own
from fedps.client.policy import Policy
from fedps.client.tables import Chunk, first_rows, names_of, shape
from fedps.client.tables.owned_table import OwnedTable
from fedps.client.views import DerivedTable, Views
from fedps.learned import Learned
from fedps.protocol.messages import QUERIES, Fit, Keep, Route, Tell, UseFit
from fedps.statistics import BadCells


class OwnerViews(Views):
    """The views of one client with ``split="columns"``.

    Parameters
    ----------
    table, policy, functions
        As for ``Views``.
    kept : mapping of str to KeptFit
        The client's parts of earlier fits, by name.
    queries : table or None
        The client's columns of the rows to predict.
    """

    def __init__(
        self,
        table: OwnedTable,
        policy: Policy,
        functions: Mapping[str, Any] | None,
        kept: Mapping[str, KeptFit],
        queries: Any,
    ) -> None:
        super().__init__(table, policy, functions)
        self._kept_fits = kept
        self._queries = queries

    def makers(self, number: int) -> dict[type, Callable[[int, Any], DerivedTable]]:
        """Return the functions that make a view, by the kind of change that was told."""
        return {
            **super().makers(number),
            Fit: partial(self._fitted, number),
            Keep: partial(self._fitted, number),
            Route: self._routed,
            UseFit: self._used,
        }

    def demand_columns(self) -> None:
        """Accept: this client is one with ``split="columns"``."""

    def _make(self, number: int) -> DerivedTable:
        return self._rows_to_predict() if number == QUERIES else super()._make(number)

    def _rows_to_predict(self) -> DerivedTable:
        if self._queries is None:
            raise BadCells("no model")
        own, rows = self._own_table(), self._queries
        return DerivedTable(lambda: rows, own.columns, None, lambda *_: rows, shape(rows)[1])

    def _used(self, number: int, change: UseFit) -> DerivedTable:
        if change.fit not in self._kept_fits:
            raise BadCells("no model")
        parent, part = self[number], self._kept_fits[change.fit].part

        def ready(rows: Any, _: Chunk) -> Any:
            """Return the model's input, of all rows at once: some steps only know all rows together."""
            with no_text_leaves(part, rows, parent.columns):
                return before_model(part, rows)

        # the width is that of the given rows: the steps before the model have not run yet
        return DerivedTable(
            lambda: parent.example, parent.columns, number, ready, parent.width, model=part
        )

    def _routed(self, number: int, change: Route) -> DerivedTable:
        return self._taken(number, list(change.positions[0]))

    def _fitted(self, own: int, number: int, change: Fit | Keep) -> DerivedTable:
        parent, estimator = self[number], self._prepared(number, change.learned)

        def fit(rows: Any, chunk: Chunk) -> Any:
            return self._fit_on(estimator, parent, rows, chunk, "transform", outputs=True).output

        def example() -> Any:
            (chunk,) = self.table.chunks()
            return first_rows(self._rows(own, chunk, self._kept), 1)

        return DerivedTable(
            example, parent.columns, number, fit, transformed=True, picked=parent.picked
        )

    def fit_part(self, tell: Tell, change: Keep) -> KeptFit:
        """Return an estimator fitted on this client's own columns, to be kept."""
        parent = self[tell.parent]
        (chunk,) = self.table.chunks()
        rows = self._rows(tell.parent, chunk, self._kept)
        estimator = self._prepared(tell.parent, change.learned)
        return self._fit_on(estimator, parent, rows, chunk, "fit", outputs=change.outputs)

    def _prepared(self, number: int, learned: Learned) -> Any:
        """Return the unfitted estimator for this client's columns of a view."""
        parent = self[number]
        names = None if parent.transformed else names_of(parent.example)
        return self._rebuilt(
            learned, lambda: prepared(unfitted(learned, self._look_up), learned, names)
        )

    def _fit_on(
        self,
        estimator: Any,
        parent: DerivedTable,
        rows: Any,
        chunk: Chunk,
        rule: str,
        *,
        outputs: bool,
    ) -> KeptFit:
        """Return an estimator fitted on rows of a view; ``rule`` names the failure if it fails."""
        offered = self.policy.offers(self.table.target_name or "target")
        own = () if parent.transformed else parent.columns
        with no_text_leaves(estimator, rows, own, rule=rule):
            return KeptFit(*fit_own(estimator, rows, chunk.y if offered else None, outputs=outputs))
