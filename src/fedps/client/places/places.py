"""Places: the tables of one fit at this client, made from its own table and the pipeline.

A table is what comes into the estimator at a place of the pipeline, or what follows from it. The client
walks there itself: by the pipeline's columns and parameters, and the numbers it was told for the places
before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property, lru_cache, partial
from typing import Any

import numpy as np
from sklearn import get_config

from fedps.client.block import TableBlock
from fedps.client.hearing import Hearing
from fedps.client.owner.own_side import OwnSide
from fedps.client.places.applied import Watched, applied
from fedps.client.places.asked import QuestionGate, Refuse, TableKey, Wanted
from fedps.client.places.check_pipeline import check_questions
from fedps.client.places.derived_table import DerivedTable, own_table, own_target
from fedps.client.places.drawn_rows import drawn_times, folds_of
from fedps.client.places.functions import look_up, runs_function
from fedps.client.places.held_rows import HeldRows
from fedps.client.places.row_folds import folds_in
from fedps.client.places.row_groups import RowGroups, rows_where
from fedps.client.places.sampled_rows import Samples
from fedps.client.places.select_columns import branch_positions, named_positions
from fedps.client.places.told import Told
from fedps.client.policy import Policy
from fedps.client.rules.gate import PolicyGate
from fedps.client.rules.units import Units, whose
from fedps.client.tables import Chunk, Table, shape, take, take_rows
from fedps.client.tables.cells.microseconds import microseconds
from fedps.client.tables.table import InMemory
from fedps.client.work_budget import WorkBudget
from fedps.learned import (
    BY_COLUMNS,
    FROZEN,
    ROWS,
    Described,
    Learned,
    Nothing,
    Numbers,
    Parameters,
    branches_of,
)
from fedps.learned.encoders import TargetEncoderNumbers
from fedps.protocol.messages import Ask, Order, Refusal, Round
from fedps.questions import FOLDS, INPUT, MICROSECONDS, OUTPUT, SAMPLE, TARGET, TRIAL, declared
from fedps.questions.question import Of
from fedps.statistics import BadCells, Block, RowClusters
from fedps.statistics.base import Array, DistinctLists

OWN = TableKey(*declared.OWN_TABLE)


class Places:
    """All tables of one client in one fit.

    Parameters
    ----------
    table : Table
        The client's own table.
    policy : Policy
        What the client is willing to reveal.
    functions : mapping of str to callable, optional
        Functions that the server may name. Default: the server is not trusted, and its work is
        limited.
    heard : Hearing
        The round that the fit begins with.
    """

    across = False  # whether clients hold different columns of the same rows
    keeps = "a fitted part"  # what a client keeps of a fit in the end, in words for the ledger

    def __init__(
        self,
        table: Table,
        policy: Policy,
        functions: Mapping[str, Any] | None,
        heard: Hearing,
    ) -> None:
        request = heard.round.request
        assert request is not None
        if request.across != self.across:
            raise BadCells("split" if request.across else "split of rows")
        self.table, self.policy = table, policy
        self.request, self.began = request, heard
        self.asked = QuestionGate(heard.declared, sparse=table.schema().container == "sparse")
        self._gate = PolicyGate(policy)
        self._functions = functions or {}
        self._trusts = functions is not None
        schema = self._gate.offered_schema(table.schema())
        self.told = Told(self.asked.declared.places, schema, across=self.across)
        self.work: WorkBudget | None = None  # no limits: the server is the user of this process
        if not self._trusts:
            check_questions(self.asked.declared)
            self.work = WorkBudget(schema.rows, schema.width, kept=isinstance(table, InMemory))
        self.units: Units | None = None  # whose each row is, where the policy counts people
        self.watched: dict[Any, Any] = {}  # what the rules saw in tables, in earlier rounds
        self._made: dict[TableKey, DerivedTable] = {}
        self._kept: dict[TableKey, Any] = {}
        self._sorted: dict[TableKey, dict[bool, DistinctLists]] = {}  # for the round after
        self._inner = {(p.parent, p.index): p.number for p in self.asked.declared.places}

    @cached_property
    def clusters(self) -> HeldRows:
        """The clusters that rows were in, in all answers so far."""
        self.table.keep_order()  # each row's cluster is known by its place
        return HeldRows(self.policy.min_rows, self.policy.max_share)

    @cached_property
    def _writes(self) -> bool:
        """Whether an estimator may write into the rows that it gets: a function may, or an owner's fit."""
        every = [place.described for place in self.asked.declared.places]
        if self.across or any(one.estimator == FROZEN for one in every):
            return True
        return any(runs_function(one) for one in every if one.estimator == "FunctionTransformer")

    @cached_property
    def _row_groups(self) -> RowGroups:
        return RowGroups(self.table, self.policy)

    @cached_property
    def _samples(self) -> Samples:
        return Samples(self.table, bounded=not self._trusts)

    def hear(self, heard: Hearing) -> None:
        """Note what a round tells."""
        before, tells = self.told.order, heard.round.tells
        moves = any(isinstance(tell, Order) for tell in tells) and self.policy.consent == "owner"
        chosen = self._chosen() if moves else {}
        self.told.hear(heard)
        if self.told.order == before:
            return
        self.asked.put_in(self.told.order)
        self.watched.clear()
        self._made.clear()  # tables that were made in another order are not valid any more
        self._kept.clear()
        self._sorted.clear()
        if moves and self._chosen() != chosen:
            text = "approved other columns than positions mean in the server's order"
            raise Refuse("consent", f"{text}: name the columns")

    def _chosen(self) -> dict[int, list[frozenset[str]]]:
        """Return which of the client's own columns each branch takes, where it takes them itself."""
        found = {}
        for place in self.asked.declared.places:
            if place.described.estimator != BY_COLUMNS:
                continue
            with suppress(BadCells):  # behind a step that is not fitted yet
                if not self[TableKey(place.number, INPUT)].transformed:
                    every = range(len(list(branches_of(place.described))))
                    each = [self._columns_of(place.number, i).columns for i in every]
                    found[place.number] = [frozenset(columns) for columns in each]
        return found

    def read(self, ask: Ask) -> Wanted:
        """Return what an ask asks for; Refuse unless the pipeline declares it."""
        places = self.asked.declared.places
        if places and ask.place >= len(places):
            raise Refuse("consent", "knows no such place in the pipeline")
        needs_width = ask.columns is not None or any(
            question.each or question.some for question in self.asked.declared.at(ask.place)
        )
        width = self[TableKey(ask.place, INPUT)].width if needs_width else 0
        given = None if ask.given is None else self.told.given.get(ask.given)
        wanted = self.asked.read(ask, width, given)
        if self.work is not None:
            self.work.note(wanted.statistic)
        if isinstance(wanted.statistic, RowClusters) and self.policy.min_rows:
            self.clusters.ask(wanted, self.same(wanted.key))
        return wanted

    def passes(self) -> Iterator[Callable[[Wanted], Block]]:
        """Go once over the table; for each chunk, yield what gives the block of rows that is wanted.

        A derived table is made once per chunk, however much is asked of it. Those of a table in
        memory, which is one chunk, are kept for later rounds.
        """
        in_memory = isinstance(self.table, InMemory)
        for chunk in self.table.chunks():
            made = self._kept if in_memory else {}
            # cached: several statistics may read the same table, which is converted once
            block = lru_cache(maxsize=None)(partial(self._block, chunk, made))
            yield lambda wanted, block=block: block(wanted.key, wanted.given)  # type: ignore[misc]

    def _block(
        self, chunk: Chunk, made: dict[TableKey, Any], key: TableKey, given: int | None
    ) -> Block:
        rows = self._rows(key, chunk, made)
        view = self[key]
        return TableBlock(
            rows,
            chunk,
            is_target=key.of == TARGET,
            folds=view.folds_in(chunk),
            given=None if given is None else self.told.given.get(given),
            keys=getattr(self.table, "key", None),
            part=view.model,
            own=self._own_side,
            tables=self._sorted.setdefault(self.same(key), {}) if made is self._kept else None,
        )

    @property
    def _own_side(self) -> OwnSide:
        """What only this client has, in this fit."""
        return OwnSide()

    def _rows(self, key: TableKey, chunk: Chunk, made: dict[TableKey, Any]) -> Any:
        key = self.same(key)
        if key not in made:
            view = self[key]
            parent = chunk if view.parent is None else self._rows(view.parent, chunk, made)
            made[key] = view.change(parent, chunk)
        return made[key]

    # where tables come from

    def same(self, key: TableKey) -> TableKey:
        """Return the key under which a table is made: several places may have the same input."""
        return TableKey(*self.asked.declared.source(key.place, key.of), key.columns)

    def __getitem__(self, key: TableKey) -> DerivedTable:
        key = self.same(key)
        if key not in self._made:
            self._made[key] = self._make(key)
        return self._made[key]

    def _make(self, key: TableKey) -> DerivedTable:
        if key.columns is not None:
            return self._taken(TableKey(key.place, key.of), list(key.columns))
        if key == OWN:
            order, weight = self.told.order, self.request.weight
            return own_table(self.table, self._gate, order, weight, writable=self._writes)
        if key.of == TARGET:
            return own_target(self.table)
        makers = {
            INPUT: self._selected,
            OUTPUT: self._output,
            TRIAL: self._trial,
            SAMPLE: self._sample,
            FOLDS: self._folded,
            MICROSECONDS: self._dates_as_numbers,
        }
        if key.of in makers:
            return makers[key.of](key.place)
        if key.of.kind == "branch":
            return self._branch(key.place, key.of.branch)
        raise BadCells("split")

    def _described(self, place: int) -> Described:
        return self.asked.declared.places[place].described

    def _selected(self, place: int) -> DerivedTable:
        """Return what comes into a branch of a ColumnTransformer."""
        here = self.asked.declared.places[place]
        assert here.parent is not None
        around = self._described(here.parent)
        estimators = [i for i, (_, kept, _) in enumerate(branches_of(around)) if kept is None]
        table = self._columns_of(here.parent, estimators[here.index])
        where = here.described.params.get("where")
        if where is None:
            return table
        least = PolicyGate(self.policy, self.units).limits.sure_rows
        return rows_where(table, where, self._row_groups, self._samples, least)

    def _columns_of(self, place: int, branch: int) -> DerivedTable:
        parent = TableKey(place, INPUT)
        table, around = self[parent], self._described(place)
        positions = None
        if not table.transformed and self.table.schema().names is not None:
            positions = named_positions(table.columns, around, branch)  # far faster than by a row
        if positions is None:
            positions = branch_positions(table.example, around, branch)
        return self._taken(parent, positions)

    def _branch(self, place: int, number: int) -> DerivedTable:
        """Return what comes out of a branch of a ColumnTransformer."""
        branches = list(branches_of(self._described(place)))
        _, kept, _ = branches[number]
        if kept is not None:
            return self._columns_of(place, number)
        index = sum(other is None for _, other, _ in branches[:number])
        inner = TableKey(self._inner[place, index], OUTPUT)
        return self[inner].with_rows(inner, lambda rows, _: rows)

    def _taken(self, of: TableKey, positions: list[int]) -> DerivedTable:
        parent = self[of]
        if max(positions, default=-1) >= parent.width:
            raise BadCells("no column")
        if self.work is not None:
            self.work.make_columns(len(positions), "a selection")
        whole, every = parent.transformed, parent.columns
        columns = every if whole else tuple(every[i] for i in positions)
        return DerivedTable(
            lambda: take(parent.example, positions),
            columns,
            of,
            lambda rows, _: take(rows, positions),
            known_width=len(positions),
            transformed=parent.transformed,
            picked=parent.picked,
            folds=parent.folds,
            own=tuple(parent.sources[i] for i in positions) if parent.transformed else None,
            made=parent.made_by(positions) if parent.made else b"",
        )

    def _sample(self, place: int) -> DerivedTable:
        of = TableKey(place, INPUT)
        parent = self[of]
        among = self.told.among(place)
        times = drawn_times(self._described(place), among, self.table, self._trusts)
        picked = self._samples.draw(times, parent.picked)

        def draw(rows: Any, chunk: Chunk) -> Any:
            here = times[chunk.start : chunk.start + shape(chunk.X)[0]]
            return take_rows(rows, np.repeat(np.arange(here.size), here))

        made = parent.made_by(times)
        return parent.with_rows(of, draw, picked=picked, folds=None, draws=draw, made=made)

    def _dates_as_numbers(self, place: int) -> DerivedTable:
        of = TableKey(place, INPUT)
        return self[of].with_rows(of, lambda rows, _: microseconds(rows))

    def _folds_at(self, place: int) -> Array:
        return folds_of(
            self._described(place), self.told.among(place), self.table, self.policy, self._trusts
        )

    def _folded(self, place: int) -> DerivedTable:
        of = TableKey(place, INPUT)
        parent, folds = self[of], self._folds_at(place)
        picked = self._samples.fold([folds], parent.picked)
        made = parent.made_by(folds)
        return parent.with_rows(of, lambda rows, _: rows, picked=picked, folds=folds, made=made)

    # estimators with what was learned

    def look_up(self, name: str) -> Any:
        """Return a function of the pipeline by name, if this client trusts it."""
        return look_up(name, self.policy, self._functions)

    def learned(self, place: int) -> Learned:
        """Return what was learned at a place and inside of it; BadCells if some was not told."""
        described = self._described(place)
        numbers: dict[int, Numbers] = {}
        for number in range(place, place + described.size):
            found = self.told.numbers.get(number, Nothing())
            name = self._described(number).estimator
            if not self.across and not isinstance(found, ROWS.get(name, ())):
                raise BadCells("journal")
            numbers[number] = self._derived_numbers(number, found)
        return described.filled(numbers, place, whole=self.across)

    def _derived_numbers(self, place: int, numbers: Numbers) -> Numbers:
        """Return the numbers of a place with what this client knows itself."""
        if isinstance(numbers, TargetEncoderNumbers) and numbers.is_folded:
            return numbers.replace(folds=self._folds_at(place))
        return numbers

    def _output(self, place: int) -> DerivedTable:
        described = self._described(place)
        made = self._applied(TableKey(place, INPUT), self.learned(place), OUTPUT)
        if described.estimator == BY_COLUMNS:  # which leaves out what no branch takes
            kept = [i for i, (_, word, _) in enumerate(branches_of(described)) if word != "drop"]
            each = (self._columns_of(place, i).columns for i in kept)
            made.columns = tuple(dict.fromkeys(name for columns in each for name in columns))
        return made

    def _trial(self, place: int) -> DerivedTable:
        if place not in self.told.trials:
            raise BadCells("journal")
        described = self._described(place)
        bare = Parameters({**described.params, "standardize": False})
        tried = Learned(described.estimator, bare, self.told.trials[place])
        return self._applied(TableKey(place, INPUT), tried, TRIAL)

    def _applied(self, of: TableKey, learned: Learned, kind: Of) -> DerivedTable:
        parent = self[of]
        watched = Watched(self.policy, partial(whose, self, of), self.request.weight is not None)
        known = (*self.policy.functions, *((n, id(f)) for n, f in self._functions.items()))
        once = partial(self.told.once, (of, kind, known, repr(get_config())))
        made = applied(learned, of, parent, self.look_up, self.work, watched, once)
        if learned.is_folded and (every := [*folds_in(learned)]):
            # each row's output tells its fold, which the policy must see
            made.picked = self._samples.fold(every, parent.picked)
        return made

    def begin(self, round_: Round) -> None:
        """Check what a fit needs at this client in its first round: nothing, with ``split="rows"``."""

    def keep(self) -> Refusal | None:
        """Refuse: clients keep parts only with ``split="columns"``."""
        raise BadCells("split")
