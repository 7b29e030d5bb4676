"""The tables of one fit with ``split="columns"``: the client fits on its columns, keeps its part, predicts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from joblib import parallel_backend
from msgspec import structs

from fedps.assembly import prepared, unfitted
from fedps.client.failure_reasons import no_text_leaves
from fedps.client.hearing import Hearing
from fedps.client.owner.fit_digest import fit_digest
from fedps.client.owner.masking import SodiumMasking
from fedps.client.owner.new_rows import new_table
from fedps.client.owner.own_side import OwnSide
from fedps.client.owner.owner_files import OwnerFiles
from fedps.client.owner.owner_fit import KeptFit, before_model, fit_own, reads_target
from fedps.client.owner.owner_state import OwnerState
from fedps.client.places.applied import rebuilt
from fedps.client.places.asked import Refuse, TableKey
from fedps.client.places.derived_table import DerivedTable
from fedps.client.places.match_places import MatchPlaces
from fedps.client.places.places import OWN, Places
from fedps.client.policy import Policy
from fedps.client.rules.gate import PolicyGate
from fedps.client.tables import Chunk, first_rows, names_of, shape, take
from fedps.client.tables.owned_table import OwnedTable
from fedps.learned import BY_COLUMNS, Learned, Numbers, branches_of
from fedps.learned.owners import OwnColumnsNumbers, RoutedColumnsNumbers
from fedps.protocol.codec import encode_part
from fedps.protocol.messages import Keep, Predict, Refusal, Round
from fedps.questions import INPUT, OUTPUT, QUERIES
from fedps.statistics import BadCells
from fedps.statistics.base import Array


class OwnerPlaces(Places):
    """The tables of one client with ``split="columns"``.

    Parameters
    ----------
    table, policy, functions, heard
        As for ``Places``.
    own : OwnerState
        The owner's secrets, and its parts of fits.

    Attributes
    ----------
    predict : Predict or None
        Which rows are predicted, if any are.
    """

    across = True

    def __init__(
        self,
        table: OwnedTable,
        policy: Policy,
        functions: Mapping[str, Any] | None,
        heard: Hearing,
        own: OwnerState,
    ) -> None:
        super().__init__(table, policy, functions, heard)
        self.predict: Predict | None = None
        self._owner = own
        self._files = own.files

    def _secret(self) -> bytes:
        return self._owner.secrets.of(str(self.request.fit))

    @property
    def _own_side(self) -> OwnSide:
        salt: bytes = getattr(self.table, "salt", b"")
        return OwnSide(self._secret, lambda: SodiumMasking(self._secret(), salt))

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

    def begin(self, round_: Round) -> None:
        """Raise BadCells in the first round of what could not be kept or predicted in the end."""
        files, keeps = self._files, any(isinstance(tell, Keep) for tell in round_.tells)
        if files is None or self.request.pipeline is None:
            return
        if self.predict is None:
            if not keeps:  # a fit that is kept at once looks for itself
                files.check_fit(str(self.request.fit), outputs=self.request.outputs)
            return
        files.fits.part(str(self.request.fit))
        if self.predict.to_target and self.table.target_schema() is not None and not keeps:
            files.check_predictions()

    def _rows_to_predict(self) -> DerivedTable:
        """Return the rows to predict, as the model that this client kept gets them."""
        own, rows, part = self[OWN], self._queried(), self._part()

        def ready(*_: Any) -> Any:
            """Return the model's input, of all rows at once: some steps only know all rows together."""
            with no_text_leaves(part, rows, own.columns):
                return before_model(part, rows)

        # the width is that of the given rows: the steps before the model have not run yet
        return DerivedTable(lambda: rows, own.columns, None, ready, shape(rows)[1], model=part)

    def _part(self) -> Any:
        fit = str(self.request.fit)
        if self._files is not None:
            return self._files.fits.part(fit)
        if fit not in self._owner.kept:
            raise BadCells("no model")
        return self._owner.kept[fit].part

    def _queried(self) -> Any:
        """Return this client's columns of the rows to predict."""
        if self._files is None:
            if self._owner.queries is None:
                raise BadCells("no model")
            return self._owner.queries
        there = self._rows_there()
        (chunk,) = there.chunks()
        return take(chunk.X, self._gate.offered(there.schema()))

    def _rows_there(self) -> OwnedTable:
        """Return the table of the rows to predict."""
        assert isinstance(self.table, OwnedTable)
        if self.predict is None:
            raise BadCells("no model")
        if self.predict.rows == "own" or not self.table.schema().width:
            return self.table
        assert self._files is not None
        new = opened_new(self.table, self.policy, self._files)
        return self._owner.new_rows_of(new, self.predict.match)

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

    def keep(self) -> Refusal | None:
        """Fit this client's part on its own columns and keep it; or say why its policy does not allow it.

        Of a prediction, keep what the owner of the target is given.
        """
        if self.predict is not None:
            self._keep_predictions()
            return None
        learned = self.learned(0)
        name = self.table.target_name or "target"
        (chunk,) = self.table.chunks()
        if chunk.y is not None and not self.policy.offers(name) and reads_target(learned):
            return Refusal("columns", "keeps it back", name)
        fit, files = str(self.request.fit), self._files
        if files is None:
            self._owner.kept[fit] = self._fitted(learned, chunk, outputs=self.request.outputs)
            return None
        assert isinstance(self.table, OwnedTable)
        wanted = self.request.outputs or files.outputs is not None
        digest = fit_digest(encode_part((self.request, learned)), self.table)
        files.keep(fit, digest, lambda: self._fitted(learned, chunk, outputs=wanted), self.table)
        self._owner.secrets.forget(fit)
        return None

    def _fitted(self, learned: Learned, chunk: Chunk, *, outputs: bool) -> KeptFit:
        of = TableKey(0, INPUT)
        rows = self._rows(of, chunk, self._kept)
        return self._fit_on(
            self._prepared(of, learned), self[of], rows, chunk, "fit", outputs=outputs
        )

    def _keep_predictions(self) -> None:
        """Write the predictions that this client is given; clients without the target get none."""
        given: Array | None = self.told.given.get(1)
        if given is None or self._files is None or self.table.target_schema() is None:
            return
        there = self._rows_there()
        if given.dtype != np.float64 or given.shape != (there.schema().rows,):
            raise BadCells("aligned")
        self._files.keep_predictions(str(self.request.fit), given, there)

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


def owner_places(about: tuple[Any, ...], own: OwnerState) -> OwnerPlaces | MatchPlaces:
    """Return the tables of what a round begins; ``about`` is the table, policy, functions and that round.

    Where only keys of new rows are compared or matched, these are the table.
    """
    table, policy, functions, heard = about
    request = heard.round.request
    predict = next((tell for tell in heard.round.tells if isinstance(tell, Predict)), None)
    if predict is not None and predict.rows == "new" and request.pipeline is None and own.files:
        table = opened_new(table, policy, own.files)
        if policy.level == "ROWS":  # which shows single rows, however few there are
            policy = structs.replace(policy, min_rows=0, unit=None)
    if request.matches:
        return MatchPlaces(table, policy, functions, heard, own)
    made = OwnerPlaces(table, policy, functions, heard, own)
    made.predict = predict
    if predict is not None:
        made.keeps = "predictions, at the owner of the target"
    return made


def opened_new(table: OwnedTable, policy: Policy, files: OwnerFiles) -> OwnedTable:
    """Return the new rows that an owner's settings name, with the columns that its table offers."""
    if files.open_new is None:
        raise BadCells("no new rows")
    (chunk,) = table.chunks()
    known = take(chunk.X, PolicyGate(policy).offered(table.schema()))
    found = new_table(files.open_new(), known)
    found.salt = table.salt
    return found


def _of_branch(branches: list[tuple[str, str | None, Any]], number: int, width: int) -> list[int]:
    """Return the positions of a branch's columns; the last branch takes what no other does."""
    columns = branches[number][2]
    if columns is not None:
        return list(columns)
    taken = {i for _, _, own in branches[:-1] for i in own}
    return [i for i in range(width) if i not in taken]
