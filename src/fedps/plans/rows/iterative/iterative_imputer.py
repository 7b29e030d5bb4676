"""IterativeImputer: all of its regressions in two rounds, or in a round per column and sweep.

An imputed cell is a linear function of the observed cells of its row. So from the inner products of
the rows of each pattern of missing cells the server does all sweeps on its own (round 1), and the
clients only say how much each sweep changes the row that it changes most, which is when
scikit-learn stops (round 2; not needed where bounds on the change decide). Where a client may not share
its patterns, because some have too few rows, or there are too many, each regression takes a round:
clients impute what was imputed so far and send the inner products of the completed rows. The same
holds from where on a cell is held back by ``min_value`` or ``max_value``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.impute import SimpleImputer

from fedps.learned import Kept, Learned, needed
from fedps.learned.imputers import IterativeImputerNumbers, SimpleImputerNumbers
from fedps.plans.rows.imputers import simple_imputer_numbers
from fedps.plans.rows.iterative.at_once import at_once
from fedps.plans.rows.iterative.by_steps import step_by_step
from fedps.plans.rows.iterative.estimators import chosen_estimator
from fedps.plans.rows.iterative.setting import (
    IterativeSetting,
    Step,
    bounds_of,
    check_iterative_imputer,
)
from fedps.plans.shared.parameters import learned
from fedps.protocol.plan import Plan, View, ask, gather
from fedps.questions.imputers import means_near, patterns_of
from fedps.questions.markers import number_marker_of
from fedps.statistics.base import Array
from fedps.statistics.products.condensed_rows import Condensed
from fedps.statistics.products.missing_patterns import Patterned

_FURTHER = (
    "how much each sweep changes the row that changes most; a round for each column with missing cells "
    "and each sweep where a client has few rows with the same cells missing, or cells beyond bounds"
)


def iterative_imputer(imputer: Any, view: View) -> Plan[Learned]:
    """Learn the regressions that impute each column from the others, sweep by sweep."""
    check_iterative_imputer(imputer)
    estimator = chosen_estimator(imputer)
    initial = simple_imputer_numbers(_initial(imputer), view)
    if imputer.max_iter == 0:
        return _learned(imputer, (yield from initial), [], 0, None)
    patterns = ask(patterns_of(imputer), view, further=_FURTHER)
    plans: list[Plan[Any]] = [initial, patterns]
    if imputer.initial_strategy == "constant":  # all others start near the means
        plans.append(ask(means_near(imputer), view))
    first, found, *means = yield from gather(plans)
    empty = found.observed == 0
    kept = np.ones_like(empty) if imputer.keep_empty_features else ~empty
    if kept.sum() < 2 or view.rows == 0:
        return _learned(imputer, first, [], 0, None)
    start = _start(imputer, first)
    near = np.nan_to_num(means[0].mean) if means else start
    setting = _setting(imputer, estimator, view, found, kept, start, near)
    if found.condensed is None:
        steps, schedule = yield from step_by_step(setting, None, [])
    else:
        steps, schedule = yield from at_once(setting, _only(found.condensed, kept))
    if schedule.turns:
        sweeps = len(steps) // schedule.turns
    else:  # nothing to do: it stops at once, unless it never does
        sweeps = 1 if setting.tolerance > 0 else imputer.max_iter
    return _learned(imputer, first, steps, sweeps, schedule.state(sweeps))


def _initial(imputer: Any) -> Any:
    """Return the imputer that fills in what missing cells start from."""
    return SimpleImputer(
        missing_values=imputer.missing_values,
        strategy=imputer.initial_strategy,
        fill_value=imputer.fill_value,
        keep_empty_features=imputer.keep_empty_features,
    )


def _start(imputer: Any, first: SimpleImputerNumbers) -> Array:
    """Return what missing cells start from, column by column."""
    if imputer.initial_strategy == "constant":
        return np.full(len(first.missing), float(imputer.fill_value or 0))
    return np.asarray(needed(first.statistics).astype(np.float64))


def _setting(
    imputer: Any,
    estimator: Any,
    view: View,
    found: Patterned,
    kept: Array,
    start: Array,
    near: Array,
) -> IterativeSetting:
    """Return what is to be done with the columns that are kept; ``near`` is near their means."""
    if found.condensed is not None:
        near = found.condensed.pivot
    start, observed = start[kept], found.observed[kept]
    pivot = np.where(observed == 0, start, near[kept])
    filled_in = np.abs(start[observed == 0]).max(initial=0.0)  # it counts as observed
    lower, upper = bounds_of(imputer, kept)
    return IterativeSetting(
        imputer,
        estimator,
        view if kept.all() else view.at(np.flatnonzero(kept).tolist()),
        view.rows,
        number_marker_of(imputer),
        np.where(observed == 0, 0, view.rows - observed),
        pivot,
        start - pivot,
        lower,
        upper,
        max(found.largest, filled_in),
    )


def _only(condensed: Condensed, kept: Array) -> Condensed:
    """Return condensed rows with some of their columns: those left out have no cells."""
    return Condensed(
        condensed.counts, condensed.seen[:, kept], condensed.pivot[kept], condensed.rows[:, kept]
    )


def _learned(
    imputer: Any, first: SimpleImputerNumbers, steps: list[Step], sweeps: int, state: Any
) -> Learned:
    """Return what was learned; clients are told what they need to impute."""
    neighbours = None
    if imputer.n_nearest_features is not None:
        neighbours = np.array([step.turn.neighbours for step in steps], dtype=np.int64)
    numbers = IterativeImputerNumbers(
        statistics=first.statistics,
        missing=first.missing,
        rows=first.rows,
        columns=np.array([step.turn.column for step in steps], dtype=np.int64),
        coef=np.array([step.fit.coef for step in steps]),
        intercept=np.array([step.fit.intercept for step in steps]),
        n_iter=sweeps,
        fits=Kept([step.fit.attributes for step in steps]),
        neighbours=neighbours,
        random_keys=None if state is None else Kept(state[1]),
        random_position=None if state is None else Kept(int(state[2])),
    )
    return learned(imputer, numbers, without=("random_state", "estimator"))
