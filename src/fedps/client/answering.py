"""Answering the questions of a round: one pass over the table, behind the rules of the policy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from fedps.client.answer import Answer
from fedps.client.ledger import Charge
from fedps.client.places.asked import Refuse, TableKey, Wanted
from fedps.client.places.places import Places
from fedps.client.rules.gate import PolicyGate
from fedps.client.rules.row_weights import RowWeights
from fedps.client.rules.spending import Spending, charges_of, failed, told_by
from fedps.client.rules.units import whose
from fedps.client.rules.watch import Watch
from fedps.protocol.codec import encode_part
from fedps.protocol.heard import OWN_NUMBERS
from fedps.protocol.limits import MAX_WIDTH
from fedps.protocol.messages import Failure, Refusal
from fedps.questions import TRIAL
from fedps.statistics import BadCells, RowClusters, Summary
from fedps.statistics.base import NOTHING_TO_CHECK, Array
from fedps.statistics.blank_columns import blank_columns, is_by_column
from fedps.statistics.limits import NO_LIMIT, NO_ROWS_SHOWN, NOTHING_SHOWN, Less, Limits


class Answering:
    """Answers all asks of a round.

    The policy is applied twice: to the request, before anything is computed, and to the summary, since
    only then it is known how many cells it is from and how many values it shows.

    Parameters
    ----------
    places : Places
        The tables of the fit.
    gate : PolicyGate
        The rules of the policy.
    rows : int
        How many rows the client has.
    spending : Spending or None
        What may still be told. None: no limit.
    """

    def __init__(
        self, places: Places, gate: PolicyGate, rows: int, spending: Spending | None
    ) -> None:
        self._places = places
        self._gate = gate
        self._rows = rows
        self._spending = spending
        places.units = gate.units

    def answer_all(self, asks: Sequence[Wanted]) -> list[Answer]:
        """Return the answers to all asks, in one pass over the table; equal asks get one and the same."""
        tables = [(self._places.same(ask.key), ask.given, type(ask.statistic)) for ask in asks]
        several = Counter(tables)  # all others are different without a look at what they ask
        each = [
            (about, encode_part(ask.statistic) if several[about] > 1 else b"")
            for about, ask in zip(tables, asks, strict=True)
        ]
        different = {key: Answer(ask) for key, ask in zip(each, asks, strict=True)}
        answers = list(different.values())
        for answer in answers:
            self._begin(answer)
        open_ = [answer for answer in answers if answer.problem is None]
        for answer in open_:
            if isinstance(answer.ask.statistic, RowClusters):
                answer.held = self._places.clusters.of(answer.ask, self._places.passes)
        watches = self._watches(open_)
        for block in self._places.passes() if open_ else ():
            for answer in open_:
                self._update(answer, block)
            for watch, answer in watches.values():
                self._look(watch, answer, block)
        self._keep(watches, open_)
        for answer in open_:
            self._end(answer)
        for answer in answers:
            if answer.ask.look:
                self._show_nothing(answer)
        return [different[key] for key in each]

    def _begin(self, answer: Answer) -> None:
        statistic = answer.ask.statistic
        places = self._places
        try:
            if statistic.by_row_order and places.table.unordered is not None:
                raise BadCells("no order", what=type(statistic).__name__)
            view = places[answer.ask.key]
            answer.transformed, answer.sources = view.transformed, view.sources
            answer.made = view.made
            weight = getattr(statistic, "weight", None)
            also = () if weight is None else (weight,)
            if weight is not None and self._gate.counts_cells:
                answer.weights = RowWeights(weight)
            # with split="columns" exactly one client holds the target: only its policy can keep it back
            if statistic.of_target and not (
                statistic.aligned and places.table.target_schema() is None
            ):
                also = (*also, places.table.target_name or "target")
            beside = () if view.grouped is None else (view.grouped,)
            answer.also, answer.columns = (
                also,
                tuple(dict.fromkeys((*view.columns, *also, *beside))),
            )
            answer.problem = self._gate.check_request(
                statistic, self._rows, answer.columns
            ) or self._gate.check_sample(view.drawn)
            if answer.problem is None:
                if view.width > MAX_WIDTH:
                    raise BadCells("too wide")
                if places.work is not None:
                    places.work.spend(statistic, view.width)
                limits = self._gate.limits
                if self._spending is not None:  # what is computed must do for less, too
                    limits.values, limits.numbers = self._spending.left(answer.sources)
                answer.computed = statistic.under(limits)
                answer.summary = answer.computed.empty(view.width)
        except BadCells as error:
            answer.problem = failure(error)

    def _watches(self, answers: Sequence[Answer]) -> dict[Any, tuple[Watch, Answer]]:
        """Return what the rules have to look at in each table, and an answer about that table."""
        found: dict[TableKey, list[Answer]] = {}
        for answer in answers if self._gate.looks_at_cells else ():
            found.setdefault(self._places.same(answer.ask.key), []).append(answer)
        watches = {}
        for key, some in found.items():
            statistics = [answer.ask.statistic for answer in some]
            marks = (getattr(s, name, None) for s in statistics for name in ("marker", "missing"))
            markers = tuple({repr(m): m for m in marks if _marks_cells(m)}.values())
            filled = (statistic.fills for statistic in statistics)
            gaps = tuple({repr(m): m for m in filled if m is not None}.values())
            numbers = any(statistic.reads_numbers for statistic in statistics)
            sums = any(statistic.reads_numbers and statistic.adds_up for statistic in statistics)
            values = any(statistic.by_value for statistic in statistics)
            about = (key, numbers, sums, values, repr(markers), repr(gaps))
            watch = self._places.watched.get(about)
            if watch is None:
                rules = self._gate.policy
                reads = {"numbers": numbers, "sums": sums, "values": values}
                watch = Watch(rules, **reads, markers=markers, gaps=gaps)
                # cells that are not numbers are a problem of what reads numbers
                reader = next((a for a in some if a.ask.statistic.reads_numbers), some[0])
                watches[about] = watch, reader
            for answer in some:
                answer.watch = watch
        return watches

    def _keep(self, watches: dict[Any, tuple[Watch, Answer]], answers: Sequence[Answer]) -> None:
        """Keep what the rules saw for later rounds. A look that broke off is no look for anyone."""
        for about, (watch, reader) in watches.items():
            if reader.problem is None:
                if about[0].of != TRIAL:  # which is another table in each round
                    self._places.watched[about] = watch
                continue
            for answer in answers:
                if answer.watch is watch and answer.problem is None:
                    answer.problem = reader.problem

    def _update(self, answer: Answer, block: Callable[[Wanted], Any]) -> None:
        if answer.problem is not None:
            return
        statistic = answer.computed
        try:
            rows = block(answer.ask)
            if answer.held is None:
                answer.summary = statistic.update(answer.summary, rows)
            else:
                some, answer.held = answer.held[: rows.rows], answer.held[rows.rows :]
                answer.summary = statistic.update_held(answer.summary, rows, some)
            if answer.weights is not None:
                answer.weights.add(rows)
            if self._gate.counts_cells and not statistic.tells_cells:
                answer.present = answer.present + rows.present()
        except BadCells as error:
            # positions in a transformed table are not those of the client's own columns
            answer.problem = failure(error, answer.named)
        except Refuse as refuse:
            # if even that cannot be told, it must look like any other question that is too much
            if self._spending is not None:
                answer.problem = self._spending.check(told_by(b"", refuse.columns))
            if answer.problem is None:
                raise

    def _look(self, watch: Watch, answer: Answer, block: Callable[[Wanted], Any]) -> None:
        try:
            rows = block(answer.ask)
            watch.add(rows, whose(self._places, answer.ask.key, rows.beside))
        except BadCells as error:
            if answer.problem is None:
                answer.problem = failure(error, answer.named)
        except Refuse:
            if answer.problem is None:
                raise

    def _end(self, answer: Answer) -> None:
        """Make the summary what may leave, or find the problem."""
        whole = answer.summary
        self._check(answer, whole)
        if answer.ask.look:
            self._leave_out(answer, whole)
        if answer.problem is None:
            answer.less = [*answer.less, *self._kept_back(answer)]
        problem = answer.problem
        if problem is not None and problem.rule not in OVER_TIME and self._spending is not None:
            # the cells decided: that there is a problem tells as much as an answer would
            charges = failed(answer.ask.statistic, problem.rule, answer.columns, answer.made)
            over = self._spending.check(charges)
            answer.problem = over or problem
            if over is None:
                answer.charges = charges
                self._spending.take(charges)

    def _check(self, answer: Answer, whole: Any) -> None:
        """Hold a summary against all rules, and make of it what may be shown."""
        if answer.problem is None:
            answer.problem = self._gate.check_cells(self._cells(answer, whole), answer.named)
        if answer.problem is None and answer.weights is not None:
            answer.problem = answer.weights.problem(self._gate.limits.sure_rows)
        if answer.problem is None and answer.watch is not None:
            seen = answer.watch.problem(answer.named, answer.gone)
            answer.problem = seen or self._hidden(answer)
        if answer.problem is None:
            self._show_what_may_be(answer, whole)

    def _leave_out(self, answer: Answer, whole: Any) -> None:
        """Leave columns out of an answer that only looks, until the rules allow the rest."""
        statistic, width = answer.ask.statistic, len(answer.sources)
        apart = is_by_column(statistic) and isinstance(whole, statistic.summary)
        while isinstance(problem := answer.problem, Refusal) and len(answer.gone) < width:
            left = [j for j in range(width) if j not in answer.gone]
            lost = [j for j in left if answer.named[j : j + 1] == (problem.column,)]
            answer.gone.update(dict.fromkeys(lost if apart and lost else left, problem.rule))
            answer.problem = None
            if len(answer.gone) == width:
                answer.summary, answer.less = statistic.empty(width), ()
                return
            self._check(answer, blank_columns(whole, list(answer.gone)))

    def _show_nothing(self, answer: Answer) -> None:
        """Answer a look with nothing, where a rule refuses it whatever the cells are."""
        problem = answer.problem
        if isinstance(problem, Refusal) and problem.rule in WHATEVER_THE_CELLS:
            width = len(answer.sources)
            answer.summary, answer.problem = answer.ask.statistic.empty(width), None
            answer.gone = dict.fromkeys(range(width), problem.rule)
            answer.less = self._kept_back(answer)

    def _kept_back(self, answer: Answer) -> list[Less]:
        """Return what the client keeps back of an answer to a look."""
        every = range(len(answer.sources))
        found = [Less(j, rule, NOTHING_SHOWN) for j, rule in answer.gone.items()]
        if answer.ask.look and not self._gate.policy.own_numbers:
            found += [Less(j, OWN_NUMBERS, ONLY_IN_ALL) for j in every]
        if self._places[answer.ask.key].hides:
            found += [Less(j, "min_rows", NO_ROWS_SHOWN) for j in every]
        return found

    def _hidden(self, answer: Answer) -> Refusal | None:
        """Return why sums over this table are refused for what went into it on the way."""
        statistic, also = answer.ask.statistic, frozenset(answer.also)
        if not statistic.reads_numbers:
            return None
        asked = [names | also for names in answer.sources]
        if statistic.multiplies:
            asked = [frozenset[str]().union(*asked)]
        key: TableKey | None = answer.ask.key
        while key is not None:
            table = self._places[key]
            if table.lookups is not None and (found := table.lookups.problem(asked)) is not None:
                return found
            key = table.parent
        return None

    def _cells(self, answer: Answer, whole: Any) -> Array:
        """Return how many cells, or units, of each column are not missing; by their weights, where these differ."""
        cells = self._cells_shown(answer, whole)
        if answer.weights is None:
            return cells
        effective = answer.weights.effective()
        return np.minimum(cells, effective) if cells.shape == effective.shape else effective

    def _cells_shown(self, answer: Answer, whole: Any) -> Array:
        people = None if answer.watch is None else answer.watch.present()
        if people is not None:
            gone = np.isin(np.arange(people.size), list(answer.gone))
            return np.where(gone, 0, people)
        if not answer.computed.tells_cells:
            return np.asarray(answer.present)
        return whole.support() if isinstance(whole, Summary) else NOTHING_TO_CHECK

    def _show_what_may_be(self, answer: Answer, whole: Any) -> None:
        """Show as much as one answer may, or less, until it can be afforded.

        How much less follows from the cells and from which columns have too little left, and not from how
        much that is: so that the same message gets the same reply, although the first one was charged.
        """
        width = len(answer.sources)
        most = [np.full(width, NO_LIMIT), np.full(width, NO_LIMIT)]
        before: Any = None
        while True:
            limits = self._limits(answer)
            if before is not None:
                limits.values, limits.numbers = most
            charges = self._show(answer, whole, limits)
            if answer.problem is None or answer.problem.rule not in OVER_TIME:
                return
            now = (answer.summary.retained(), answer.summary.told(width))
            told = [array.tolist() for array in now]
            if told == before:
                return  # it cannot show less
            before = told
            assert self._spending is not None
            for over, own, shown in zip(self._spending.over(charges), most, now, strict=True):
                names = [frozenset((*each, *answer.also)) for each in answer.sources]
                some = [j for j, each in enumerate(names) if each & over]
                if shown.shape == own.shape:
                    own[some] = np.minimum(own[some], shown[some] // 2)

    def _limits(self, answer: Answer) -> Limits:
        """Return what one answer may show."""
        limits = self._gate.limits
        if self._gate.units is not None and answer.watch is not None:
            limits.pairs = answer.watch.pairs
        return limits

    def _show(self, answer: Answer, whole: Any, limits: Limits) -> tuple[Charge, ...]:
        """Make a summary what the limits allow, check it, and return what it is charged."""
        statistic = answer.ask.statistic
        charges: tuple[Charge, ...] = ()
        answer.problem = None
        answer.summary = answer.computed.compact(whole, limits)
        answer.less = limits.less
        if limits.refused:
            answer.problem = Refusal(limits.refused[0].rule, limits.refused[0].shown)
        else:
            answer.problem = self._gate.check_summary(answer.summary, answer.named, self._rows)
        if answer.problem is None and self._spending is not None:
            told = (statistic, answer.summary, answer.sources, answer.also, answer.made)
            # that nothing more may be told tells nothing
            free = {answer.named[j] for j, rule in answer.gone.items() if rule in OVER_TIME}
            charges = tuple(one for one in charges_of(*told) if one.column not in free)
            answer.problem = self._spending.check(charges)
            if answer.problem is None:
                answer.charges = charges
                self._spending.take(charges)
        return charges


ONLY_IN_ALL = "its own numbers only in those of all clients"
WHATEVER_THE_CELLS = ("level", "min_rows of samples")
OVER_TIME = ("max_share of all answers", "budget")


def _marks_cells(marker: Any) -> bool:
    """Return whether a marker of missing cells is a value that a cell could have."""
    return marker is not None and bool(marker == marker)  # noqa: PLR0124 - NaN and NA do not


def failure(error: BadCells, columns: tuple[str, ...] = ()) -> Failure:
    """Return a failure that names the rule and the column, if it is one of the client's own."""
    if error.what is not None:
        return Failure(error.rule, error.what)
    if error.position is None or not columns:
        return Failure(error.rule)
    known = error.position < len(columns)
    return Failure(error.rule, columns[error.position] if known else f"number {error.position}")
