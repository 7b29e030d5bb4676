"""The tables of one fit with ``split="columns"``: the client fits on its columns, keeps its part, predicts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from joblib import parallel_backend

from fedps.assembly import prepared, unfitted
from fedps.client.failure_reasons import no_text_leaves
from fedps.client.hearing import Hearing
from fedps.client.owner_fit import KeptFit, before_model, fit_own, reads_target
from fedps.client.places.applied import rebuilt
from fedps.client.places.asked import Refuse, TableKey
from fedps.client.places.derived_table import DerivedTable
from fedps.client.places.places import OWN, Places
from fedps.client.policy import Policy
from fedps.client.tables import Chunk, first_rows, names_of, shape
from fedps.client.tables.owned_table import OwnedTable
from fedps.learned import BY_COLUMNS, Learned, Numbers, branches_of
from fedps.learned.owners import OwnColumnsNumbers, RoutedColumnsNumbers
from fedps.protocol.messages import Refusal
from fedps.questions import INPUT, OUTPUT, QUERIES
from fedps.statistics import BadCells


class OwnerPlaces(Places):
    """The tables of one client with ``split="columns"``.

    Parameters
    ----------
    table, policy, functions, heard
        As for ``Places``.
    kept : mapping of str to KeptFit
        The client's parts of earlier fits, by name.
    queries : table or None
        The client's columns of the rows to predict.
    """

    across = True

    def __init__(
        self,
        table: OwnedTable,
        policy: Policy,
        functions: Mapping[str, Any] | None,
        heard: Hearing,
        kept: Mapping[str, KeptFit],
        queries: Any,
    ) -> None:
        super().__init__(table, policy, functions, heard)
        self._kept_fits = kept
        self._queries = queries

    def _all_columns(self, place: int) -> list[int]:
        """Return the positions of a place's columns, counted over all clients."""
        here = self.asked.declared.places[place]
        if self.told.beside is None:
            raise BadCells("journal")
        if here.parent is None:
            return list(range(self.told.beside.columns))
        parents, around = self._all_columns(here.parent), self._described(here.parent)
        if around.estimator != BY_COLUMNS:
            return parents
        branches = list(branches_of(around))
        estimators = [i for i, (_, kept, _) in enumerate(branches) if kept is None]
        return [parents[i] for i in _of_branch(branches, estimators[here.index], len(parents))]

    def _own(self, columns: list[int]) -> list[tuple[int, int]]:
        """Return which of some columns are this client's: their numbers, and their positions here."""
        assert self.told.beside is not None
        first = self.told.beside.first
        width = self._gate.offered_schema(self.table.schema()).width
        pairs = ((i, column - first) for i, column in enumerate(columns))
        return [(i, own) for i, own in pairs if 0 <= own < width]

    def _columns_of(self, place: int, branch: int) -> DerivedTable:
        return self._taken(TableKey(place, INPUT), self._of_branch_here(place, branch))

    def _of_branch_here(self, place: int, branch: int) -> list[int]:
        """Return the positions of a branch's columns among this client's columns at a place."""
        parents = self._all_columns(place)
        here = [i for i, _ in self._own(parents)]
        at = {i: k for k, i in enumerate(here)}
        branches = list(branches_of(self._described(place)))
        return [at[i] for i in _of_branch(branches, branch, len(parents)) if i in at]

    def _derived_numbers(self, place: int, numbers: Numbers) -> Numbers:
        """Return the numbers of a place with what this client knows itself: which columns it has."""
        described = self._described(place)
        if described.estimator == BY_COLUMNS:
            given = range(len(described.params["parts"]))
            own = [np.array(self._of_branch_here(place, i), dtype=np.int64) for i in given]
            return RoutedColumnsNumbers(columns=own)
        if (
            isinstance(numbers, OwnColumnsNumbers)
            and self[TableKey(place, INPUT)].transformed is False
        ):
            here = np.array([i for i, _ in self._own(self._all_columns(place))], dtype=np.int64)
            if not np.array_equal(numbers.own, here):  # type: ignore[arg-type]
                raise Refuse("consent", "has other columns than the server says")
        return numbers

    def _make(self, key: TableKey) -> DerivedTable:
        if key.of == QUERIES and key.columns is None:
            return self._rows_to_predict()
        return super()._make(key)

    def _rows_to_predict(self) -> DerivedTable:
        """Return the rows to predict, as the model that this client kept gets them."""
        if self._queries is None or self.request.fit not in self._kept_fits:
            raise BadCells("no model")
        own, rows = self[OWN], self._queries
        part = self._kept_fits[str(self.request.fit)].part

        def ready(*_: Any) -> Any:
            """Return the model's input, of all rows at once: some steps only know all rows together."""
            with no_text_leaves(part, rows, own.columns):
                return before_model(part, rows)

        # the width is that of the given rows: the steps before the model have not run yet
        return DerivedTable(lambda: rows, own.columns, None, ready, shape(rows)[1], model=part)

    def _output(self, place: int) -> DerivedTable:
        of = TableKey(place, INPUT)
        parent, estimator = self[of], self._prepared(of, self.learned(place))

        def fit(rows: Any, chunk: Chunk) -> Any:
            return self._fit_on(estimator, parent, rows, chunk, "transform", outputs=True).output

        def example() -> Any:
            (chunk,) = self.table.chunks()
            return first_rows(self._rows(TableKey(place, OUTPUT), chunk, self._kept), 1)

        made = parent.made_by(self.learned(place))
        return DerivedTable(
            example, parent.columns, of, fit, transformed=True, picked=parent.picked, made=made
        )

    def keep(self) -> KeptFit | Refusal:
        """Return this client's part, fitted on its own columns; or why its policy does not allow it."""
        learned, of = self.learned(0), TableKey(0, INPUT)
        name = self.table.target_name or "target"
        (chunk,) = self.table.chunks()
        if chunk.y is not None and not self.policy.offers(name) and reads_target(learned):
            return Refusal("columns", "keeps it back", name)
        parent = self[of]
        rows = self._rows(of, chunk, self._kept)
        estimator = self._prepared(of, learned)
        return self._fit_on(estimator, parent, rows, chunk, "fit", outputs=self.request.outputs)

    def _prepared(self, of: TableKey, learned: Learned) -> Any:
        """Return the unfitted estimator for this client's columns of a table."""
        parent = self[of]
        names = None if parent.transformed else names_of(parent.example)
        make: Callable[[], Any] = lambda: prepared(  # noqa: E731
            unfitted(learned, self.look_up), learned, names
        )
        return rebuilt(learned, make, self.work)

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
        """Return an estimator fitted on rows of a table; ``rule`` names the failure if it fails."""
        offered = self.policy.offers(self.table.target_name or "target")
        own = () if parent.transformed else parent.columns
        # an estimator's n_jobs= is reported, and starts no processes here
        with no_text_leaves(estimator, rows, own, rule=rule), parallel_backend("sequential"):
            return KeptFit(*fit_own(estimator, rows, chunk.y if offered else None, outputs=outputs))


def _of_branch(branches: list[tuple[str, str | None, Any]], number: int, width: int) -> list[int]:
    """Return the positions of a branch's columns; the last branch takes what no other does."""
    columns = branches[number][2]
    if columns is not None:
        return list(columns)
    taken = {i for _, _, own in branches[:-1] for i in own}
    return [i for i in range(width) if i not in taken]
