"""IterativeImputer one regression after the other, where clients may not share their patterns."""

from __future__ import annotations

from typing import Any

from fedps.plans.rows.iterative.column_order import (
    ColumnTurn,
    Schedule,
    correlations,
    wants_nearest,
)
from fedps.plans.rows.iterative.regressions import regress
from fedps.plans.rows.iterative.setting import IterativeSetting, Step
from fedps.plans.shared.warned import warn_not_reached
from fedps.protocol.plan import Plan, ask, gather
from fedps.statistics import Changes, Completed
from fedps.statistics.products.imputed_products import ALL_ROWS
from fedps.statistics.products.triangular_factors import Factor, reduced


def step_by_step(
    setting: IterativeSetting, schedule: Schedule | None, steps: list[Step]
) -> Plan[tuple[list[Step], Schedule]]:
    """Go on from some steps, a round for each column with missing cells.

    Regressions of columns without missing cells change nothing, so they share a round with the next;
    and how much a sweep changed is asked along with the first regression of the next one. That of the
    last sweep allowed decides whether there is a warning, in a round of its own if none is left.
    """
    if schedule is None:
        schedule = yield from _scheduled(setting)
    sweeps = setting.imputer.max_iter
    if not setting.imputed and setting.tolerance > 0:
        sweeps = 1  # nothing is imputed, so nothing changes
    steps = list(steps)
    # a sweep that the last of these steps ended is not asked about yet
    asked = max(len(_doing(setting, steps)) - 1, 0) // max(setting.imputed, 1)
    while len(steps) < sweeps * schedule.turns:
        turns = _ahead(setting, schedule, len(steps), sweeps * schedule.turns)
        finished = len(_doing(setting, steps)) // max(setting.imputed, 1)
        due = setting.imputed and finished > asked and setting.tolerance > 0
        asked = finished
        queries: list[Plan[Any]] = [ask(_completed(setting, steps, turns), setting.view)]
        if due:
            change = Changes(setting.imputation(steps), setting.imputed, finished - 1)
            queries.append(ask(change, setting.view))
        factors, *changes = yield from gather(queries)
        by_group = dict(zip(_groups(setting, turns), factors, strict=True))
        for turn in turns:
            factor = by_group[turn.column if setting.gaps[turn.column] else ALL_ROWS]
            steps.append(Step(turn, regress(setting.estimator, _for(turn, factor))))
        if due and changes[0].changes[0] < setting.tolerance:
            return steps[: finished * schedule.turns], schedule
    if not (yield from _ends_well(setting, steps, known=asked == sweeps)):
        warn_not_reached()
    return steps, schedule


def _ends_well(setting: IterativeSetting, steps: list[Step], *, known: bool) -> Plan[bool]:
    """Return whether the last of all sweeps changed little; ``known`` if it is known to change much."""
    if known or setting.tolerance <= 0:
        return False
    if not setting.imputed:
        return True
    last = Changes(setting.imputation(steps), setting.imputed, setting.imputer.max_iter - 1)
    found = yield from ask(last, setting.view)
    return bool(found.changes[0] < setting.tolerance)


def _scheduled(setting: IterativeSetting) -> Plan[Schedule]:
    """Return the turns; correlations of the columns are asked where these decide."""
    chances = None
    if wants_nearest(setting.imputer, len(setting.gaps)):
        (whole,) = yield from ask(Completed(setting.imputation([]), (ALL_ROWS,)), setting.view)
        chances = correlations(whole)
    return Schedule(setting.imputer, setting.gaps, chances)


def _doing(setting: IterativeSetting, steps: list[Step]) -> list[Step]:
    return [step for step in steps if setting.gaps[step.turn.column]]


def _ahead(
    setting: IterativeSetting, schedule: Schedule, start: int, stop: int
) -> list[ColumnTurn]:
    """Return the turns that can be taken at once: up to one that imputes something."""
    if not setting.imputed:
        return [schedule.turn(i) for i in range(start, stop)]
    rest = (schedule.turn(i) for i in range(start, stop))
    turns = []
    for turn in rest:
        turns.append(turn)
        if setting.gaps[turn.column]:
            break
    return turns


def _groups(setting: IterativeSetting, turns: list[ColumnTurn]) -> tuple[int, ...]:
    """Return which groups of rows the regressions of some turns are on."""
    groups = (turn.column if setting.gaps[turn.column] else ALL_ROWS for turn in turns)
    return tuple(dict.fromkeys(groups))


def _completed(setting: IterativeSetting, steps: list[Step], turns: list[ColumnTurn]) -> Completed:
    return Completed(setting.imputation(steps), _groups(setting, turns))


def _for(turn: ColumnTurn, factor: Factor) -> Factor:
    """Return a factor of a turn's columns, the one to impute last."""
    order = [*turn.neighbours.tolist(), turn.column]
    triangle = reduced(factor.triangle[:, [0, *(j + 1 for j in order)]])
    return Factor(factor.count, factor.pivot[order], triangle)
