"""IterativeImputer at once: the server does all sweeps on rows that stand for all."""

from __future__ import annotations

from collections.abc import Sequence

from fedps.plans.rows.iterative.by_steps import step_by_step
from fedps.plans.rows.iterative.column_order import Schedule, correlations, wants_nearest
from fedps.plans.rows.iterative.regressions import regress
from fedps.plans.rows.iterative.setting import IterativeSetting, Step
from fedps.plans.rows.iterative.sheet import CondensedSheet
from fedps.plans.shared.warned import warn_not_reached
from fedps.protocol.plan import Plan, ask
from fedps.statistics import Changes
from fedps.statistics.products.condensed_rows import Condensed


def at_once(setting: IterativeSetting, condensed: Condensed) -> Plan[tuple[list[Step], Schedule]]:
    """Do all sweeps, and then ask after which of them to stop."""
    sheet = CondensedSheet(setting, condensed)
    near = wants_nearest(setting.imputer, len(setting.gaps))
    schedule = Schedule(
        setting.imputer, setting.gaps, correlations(sheet.whole()) if near else None
    )
    steps: list[Step] = []
    changes: list[tuple[float, float]] = []
    while len(changes) < setting.imputer.max_iter:
        for turn in schedule.sweep(len(changes)):
            steps.append(Step(turn, regress(setting.estimator, sheet.factor(turn))))
            sheet.impute(*steps[-1])
        changes.append(sheet.change())
        if changes[-1][1] < setting.tolerance:
            break
    return (yield from _stopped(setting, schedule, steps, changes))


def _stopped(
    setting: IterativeSetting,
    schedule: Schedule,
    steps: list[Step],
    changes: Sequence[tuple[float, float]],
) -> Plan[tuple[list[Step], Schedule]]:
    """Return the steps up to where scikit-learn stops; bounds on the changes may tell, or clients do."""
    open_ = [i for i, (least, most) in enumerate(changes) if least < setting.tolerance <= most]
    if not setting.imputed or not (open_ or setting.bounded):
        return _until(setting, schedule, steps, [most for _, most in changes]), schedule
    skipped = open_[0] if open_ else len(changes) - 1
    if setting.bounded:
        skipped = 0
    asked = Changes(setting.imputation(steps), setting.imputed, skipped)
    found = yield from ask(asked, setting.view)
    exact = [most for _, most in changes[:skipped]] + found.changes
    doing = [i for i, step in enumerate(steps, start=1) if setting.gaps[step.turn.column]]
    # what comes after a bound held a cell back was regressed on other cells than it should be
    right = doing[found.beyond] if found.beyond < len(doing) else len(steps)
    if right < (_sweeps(setting, exact) or setting.imputer.max_iter) * schedule.turns:
        return (yield from step_by_step(setting, schedule, steps[:right]))
    return _until(setting, schedule, steps, exact), schedule


def _until(
    setting: IterativeSetting, schedule: Schedule, steps: list[Step], changes: Sequence[float]
) -> list[Step]:
    """Return the steps of the sweeps until one changes too little; warn where none does."""
    sweeps = _sweeps(setting, changes)
    if sweeps is None:
        warn_not_reached()
        return steps
    return steps[: sweeps * schedule.turns]


def _sweeps(setting: IterativeSetting, changes: Sequence[float]) -> int | None:
    """Return how many sweeps there are until one changes too little; None where none does."""
    small = (sweep for sweep, change in enumerate(changes, 1) if change < setting.tolerance)
    return next(small, None)
