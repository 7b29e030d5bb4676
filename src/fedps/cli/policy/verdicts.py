"""What a policy lets out of a table: estimators are tried on it, behind that policy.

Nothing is guessed: every verdict is what a real fit of this one client came to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from msgspec import structs
from sklearn.compose import ColumnTransformer
from sklearn.preprocessing import Normalizer

from fedps.cli.policy.tried_estimators import (
    ALL_COLUMNS,
    COMPLETE_COLUMNS,
    EACH_COLUMN,
    NEED_ROWS,
    OF_LABELS,
    REGRESSIONS,
    WITH_TARGET,
)
from fedps.cli.policy.tried_pipeline import Tried, try_pipeline
from fedps.client import Policy
from fedps.client.rules.gate import GIVES_NO_CELLS
from fedps.client.tables import Table
from fedps.errors import UsageError
from fedps.protocol.messages import Failure, Refusal

POSSIBLE = ""
_NOT_NUMBERS = "not numbers"
_NEEDS_ROWS = "level allows {level}, this needs ROWS"
_RULES = {
    "missing": "missing values: impute first",
    "not positive": "not all positive",
    "text target": "the target is text",
    "missing target": "the target has missing values",
}


# what a table of many estimators need not repeat
_IN_ALL = ", in all answers together, and this would tell more"
_TOGETHER = " in all answers together, and this would show more"


class Verdict(NamedTuple):
    """Whether an estimator can be fitted on some columns: POSSIBLE, or the rule that stops it."""

    estimator: str
    columns: tuple[str, ...]
    rule: str


class Judge:
    """Tries estimators on a table, behind a policy.

    ``sent`` collects what left, and ``less`` where less was shown than was asked.

    Parameters
    ----------
    table : Table
        What they are fitted on.
    policy : Policy
        What may leave.
    """

    def __init__(self, table: Table, policy: Policy) -> None:
        self._table = table
        self._policy = policy
        names = table.schema().names or ()
        self.offered = [name for name in names if policy.offers(name)]
        self.sent: dict[tuple[str, str, str], set[str]] = {}
        self.less: dict[tuple[str, str, str], set[str]] = {}

    def verdicts(self) -> Iterator[Verdict]:
        """Yield the verdicts of every estimator."""
        numbers = self.offered
        for name, make in EACH_COLUMN.items():
            found = list(self._single(name, make, self.offered))
            if name == "StandardScaler":
                strange = {c for v in found if v.rule == _NOT_NUMBERS for c in v.columns}
                numbers = [column for column in self.offered if column not in strange]
            yield from found
        complete = [column for column in numbers if column not in self._gaps(numbers)]
        for name, make in ALL_COLUMNS.items():
            yield self._together(name, make, numbers)
        for name, make in COMPLETE_COLUMNS.items():
            yield self._together(name, make, complete)
        if self._table.target_schema() is not None:
            for name, make in WITH_TARGET.items():
                yield from self._single(name, make, self.offered)
            for name, make in REGRESSIONS.items():
                yield self._together(name, make, complete)
            for name, make in OF_LABELS.items():
                yield self._labels(name, make)
        for name in NEED_ROWS:
            level = self._policy.level
            rule = POSSIBLE if level == "ROWS" else _NEEDS_ROWS.format(level=level)
            if level == "ROWS" and not self._policy.fillings:
                rule = f"fillings {GIVES_NO_CELLS}"
            yield Verdict(name, tuple(numbers), rule)

    def _single(
        self, name: str, make: Callable[[], Any], columns: Sequence[str]
    ) -> Iterator[Verdict]:
        """Yield the verdicts of an estimator on each column; one fit tries all that are left."""
        left = list(columns)
        while left:
            parts = [(str(i), make(), [column]) for i, column in enumerate(left)]
            stopped, problems = self._fit(name, ColumnTransformer(parts))
            if stopped is None:
                yield Verdict(name, tuple(left), POSSIBLE)
                return
            blamed = [column for column in left if column in problems]
            if not blamed and len(left) > 1:  # unclear which: each on its own
                for column in left:
                    yield from self._single(name, make, [column])
                return
            for column in blamed or left:
                yield Verdict(name, (column,), problems.get(column, stopped))
            left = [column for column in left if column not in (blamed or left)]

    def _together(self, name: str, make: Callable[[], Any], columns: Sequence[str]) -> Verdict:
        if not columns:
            return Verdict(name, (), "no such columns")
        target = self._table.target_name or "target"
        shown = [*columns, target] if self._policy.offers(target) else [*columns]
        stopped, _ = self._fit(name, make(), structs.replace(self._policy, allow=shown))
        return Verdict(name, tuple(columns), POSSIBLE if stopped is None else stopped)

    def _labels(self, name: str, make: Callable[[], Any]) -> Verdict:
        stopped, _ = self._fit(name, make())
        target = self._table.target_name or "target"
        return Verdict(name, (target,), POSSIBLE if stopped is None else stopped)

    def _gaps(self, columns: Sequence[str]) -> set[str]:
        """Return the columns with missing values."""
        found = list(self._single("", lambda: Normalizer(norm="max"), columns))
        return {c for v in found if v.rule == _RULES["missing"] for c in v.columns}

    def _fit(
        self, name: str, estimator: Any, policy: Policy | None = None
    ) -> tuple[str | None, dict[str, str]]:
        """Return why a fit stopped, or None; and what is wrong with each column."""
        try:
            tried = try_pipeline(estimator, self._table, policy or self._policy, "here")
        except UsageError as error:
            return str(error).partition(". ")[0].rstrip("."), {}
        self._note_sent(tried)
        problems: dict[str, str] = {}
        for answer in tried.answers:
            if answer.problem is not None:
                problems.setdefault((answer.columns or ("",))[0], _rule(answer.problem))
        for one in tried.limitations:
            if tried.stopped is None:
                self.less.setdefault((one.column, one.rule, one.shown), set()).add(name)
            elif not problems:  # no answer was refused: the estimator needs what was not shown
                problems[one.column] = f"{one.rule} shows {one.shown}"
        if tried.stopped is None:
            return None, problems
        return next(iter(problems.values()), "refused"), problems

    def _note_sent(self, tried: Tried) -> None:
        asks = {ask.statistic: ask for ask in tried.asks}
        for answer in tried.answers:
            if answer.problem is None and (ask := asks.get(answer.statistic)) is not None:
                lower = answer.level != ask.level  # the policy made it show less
                key = (answer.statistic, answer.level, "counts only" if lower else ask.shows)
                self.sent.setdefault(key, set()).update(answer.columns)


def _rule(problem: Refusal | Failure) -> str:
    """Return why an answer is withheld, in a few words."""
    if problem.rule == "columns":
        return f"the policy keeps {problem.column!r} back"
    if isinstance(problem, Refusal):
        limit = problem.limit.removesuffix(_IN_ALL).removesuffix(_TOGETHER)
        return f"{problem.rule.partition(' ')[0]} {limit}"
    return _RULES.get(problem.rule, problem.rule)
