"""IterativeImputer with ``split="columns"``: one round, then each owner gets its cells.

Every client sends its complete columns rotated (:mod:`fedps.statistics.aligned.rotation`), and
the columns with missing cells as they are. Regressions are the same on rotated columns, so the server
does all sweeps on its own, as scikit-learn does on all rows, and tells each owner what stands for its
missing cells.

The result is scikit-learn's up to one rule: ``BayesianRidge`` stops when the sum of the absolute
changes of its coefficients is below its ``tol``, and that sum is not known for rotated columns. The
largest that it can be is taken instead, so a regression here never stops before scikit-learn's does,
and stops later now and then. At default tolerances the imputed cells so differ by about the inner
tolerance (2e-3 of a column's spread at most in our tests); with a small one they do not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.linear_model import BayesianRidge

from fedps.errors import NotFederated
from fedps.learned import Learned, PerClient
from fedps.learned.owners import IterativeImputerPartNumbers
from fedps.plans.rows.iterative.column_order import Schedule, wants_nearest
from fedps.plans.rows.iterative.estimators import chosen_for_owners
from fedps.plans.rows.iterative.regressions import regress
from fedps.plans.rows.iterative.setting import bounds_of, check_iterative_imputer
from fedps.plans.shared.parameters import learned_for_owners
from fedps.plans.shared.ridge_math import Settled, bayesian_ridge_from
from fedps.plans.shared.warned import warn_not_reached
from fedps.protocol.plan import Plan, View, ask, gather, side_by_side
from fedps.questions.markers import number_marker_of
from fedps.statistics import IncompleteColumns, RowFactor
from fedps.statistics.aligned.incomplete_columns import IncompletePart
from fedps.statistics.aligned.row_factor import RowBlock
from fedps.statistics.base import Array
from fedps.statistics.products.triangular_factors import factor_of


class _Sheet(NamedTuple):
    """All columns as the server has them: rotated ones, and those with missing cells less a pivot."""

    rotated: tuple[RowBlock, ...]
    cells: Array  # (n, k), those that were missing too: changed by every step
    gaps: Array  # (n, k)
    pivot: Array  # (k,)
    places: Array  # (k,), among all columns that are kept
    owners: Array  # (k,)
    width: int  # of all columns that are kept
    largest: float  # absolute value that is not missing


def iterative_imputer_across_owners(imputer: Any, view: View) -> Plan[Learned]:
    """Learn what stands for each missing cell."""
    estimator = _checked(imputer)
    owners = view.pooled.clients
    nothing = _learned(imputer, 0, [np.empty(0)] * owners)
    if imputer.max_iter == 0:
        return nothing
    marker = number_marker_of(imputer)
    centred = bool(getattr(estimator, "fit_intercept", False))
    asks: list[Plan[Any]] = [
        ask(RowFactor(centred, marker), view),
        ask(IncompleteColumns(marker), view),
    ]
    rotated, parts = yield from gather(asks)
    parts = _placed(parts, view)
    sheet = _sheet(imputer, rotated, parts, centred=centred)
    if not parts or sheet.width < 2:
        return nothing
    if wants_nearest(imputer, sheet.width):
        raise NotFederated(
            "IterativeImputer(n_nearest_features=...) chooses columns by how they correlate, and with "
            "split='columns' the server knows complete columns only rotated. Leave it out."
        )
    sweeps = _sweep(imputer, estimator, sheet, _bounds(imputer, parts, sheet))
    whole = sheet.cells + sheet.pivot
    return _learned(
        imputer,
        sweeps,
        [whole.T[(sheet.gaps & (sheet.owners == i)).T] for i in range(owners)],
    )


def _checked(imputer: Any) -> Any:
    """Return the estimator that imputes, or say why there is no form for columns of several owners."""
    if imputer.sample_posterior:
        raise NotFederated(
            "IterativeImputer(sample_posterior=True) draws each cell from the spread of its prediction, "
            "which has no form here for columns of several clients. Use sample_posterior=False."
        )
    check_iterative_imputer(imputer)
    return chosen_for_owners(imputer)


def _learned(imputer: Any, sweeps: int, imputed: Sequence[Array]) -> Learned:
    numbers = IterativeImputerPartNumbers(imputed=PerClient(tuple(imputed)), n_iter=sweeps)
    inner = [] if imputer.estimator is None else [learned_for_owners(imputer.estimator)]
    return learned_for_owners(imputer, numbers, *inner)


def _placed(parts: Sequence[IncompletePart], view: View) -> list[IncompletePart]:
    """Return each client's columns with their places among all, in the order they were chosen in.

    Where a step before made different columns, these stand one client after the other.
    """
    widths = [part.width for part in parts]
    places = view.places if list(view.widths) == widths else side_by_side(widths)
    pairs = zip(parts, places, strict=bool(parts))  # there are no parts in a rehearsal
    return [part._replace(positions=np.array(own, int)[part.positions]) for part, own in pairs]


def _sheet(
    imputer: Any, rotated: tuple[RowBlock, ...], parts: Sequence[IncompletePart], *, centred: bool
) -> _Sheet:
    """Put all clients' columns together, with what missing cells start from in them."""
    places = np.concatenate([[], *(part.positions for part in parts)]).astype(int)
    owners = np.repeat(np.arange(len(parts)), [len(part.positions) for part in parts])
    cells = np.hstack([np.empty((0, 0)), *(part.cells for part in parts)][bool(parts) :])
    empty = np.isnan(cells).all(axis=0) & (len(cells) > 0)
    width = sum(part.width for part in parts)
    if not imputer.keep_empty_features:
        places = places - np.searchsorted(np.sort(places[empty]), places)
        cells, places, owners = cells[:, ~empty], places[~empty], owners[~empty]
        width, empty = width - int(empty.sum()), empty[~empty]
    filled = _filled(imputer, cells)
    gaps = np.isnan(cells) & ~empty  # columns that are kept though empty count as observed
    pivot = filled.mean(axis=0) if centred and len(filled) else np.zeros(cells.shape[1])
    largest = max((part.largest for part in parts), default=0.0)
    largest = max(largest, np.abs(filled[:, empty]).max(initial=0.0))
    return _Sheet(rotated, filled - pivot, gaps, pivot, places, owners, width, largest)


def _filled(imputer: Any, cells: Array) -> Array:
    """Return cells with what missing ones start from in them, as scikit-learn has it."""
    if cells.size == 0:
        return cells
    initial = SimpleImputer(
        strategy=imputer.initial_strategy,
        fill_value=imputer.fill_value,
        keep_empty_features=True,
    )
    return np.asarray(initial.set_output(transform="default").fit_transform(cells))


def _bounds(imputer: Any, parts: Sequence[IncompletePart], sheet: _Sheet) -> tuple[Array, Array]:
    """Return the bounds of imputed cells, for the columns with missing ones, less the pivot."""
    kept = np.ones(sum(part.width for part in parts), dtype=bool)
    if not imputer.keep_empty_features:
        for part in parts:
            kept[part.positions[np.isnan(part.cells).all(axis=0)]] = False
    lower, upper = bounds_of(imputer, kept)
    low = lower[sheet.places] if lower.size else np.full(len(sheet.places), -np.inf)
    high = upper[sheet.places] if upper.size else np.full(len(sheet.places), np.inf)
    return low - sheet.pivot, high - sheet.pivot


def _sweep(imputer: Any, estimator: Any, sheet: _Sheet, bounds: tuple[Array, Array]) -> int:
    """Impute until the cells change little; return how many sweeps it took."""
    gaps = np.zeros(sheet.width, dtype=np.int64)
    gaps[sheet.places] = sheet.gaps.sum(axis=0)
    schedule = Schedule(imputer, gaps, None)
    column_at = {place: j for j, place in enumerate(sheet.places.tolist()) if gaps[place]}
    tolerance = imputer.tol * sheet.largest
    known = np.hstack([block.cells for block in sheet.rotated])
    for sweep in range(imputer.max_iter):
        before = sheet.cells.copy()
        for turn in schedule.sweep(sweep):
            if turn.column in column_at:
                _impute(estimator, sheet, known, column_at[turn.column], bounds)
        # scikit-learn takes the norm of a matrix: the largest sum of a row
        change = np.abs(sheet.cells - before).sum(axis=1).max(initial=0.0)
        if change < tolerance:
            return sweep + 1
    warn_not_reached()
    return int(imputer.max_iter)


def _impute(
    estimator: Any, sheet: _Sheet, known: Array, column: int, bounds: tuple[Array, Array]
) -> None:
    """Replace the missing cells of a column by a regression on all others."""
    gaps = sheet.gaps[:, column]
    others = np.delete(np.arange(sheet.cells.shape[1]), column)
    order = np.append(others, column)
    factor = factor_of(np.hstack([known[~gaps], sheet.cells[np.ix_(~gaps, order)]]))
    if isinstance(estimator, BayesianRidge):
        found = bayesian_ridge_from(estimator, factor, _settled(estimator.tol, sheet))
        coef, intercept = found.coef, found.intercept
    else:
        fit = regress(estimator, factor)
        coef, intercept = fit.coef, fit.intercept
    rows = np.hstack([known[gaps], sheet.cells[np.ix_(gaps, others)]])
    low, high = bounds[0][column], bounds[1][column]
    sheet.cells[gaps, column] = np.clip(rows @ coef + intercept, low, high)


def _settled(tol: float, sheet: _Sheet) -> Settled:
    """Return what says whether coefficients surely stay: by the most that they can have changed."""
    ends = np.cumsum([block.cells.shape[1] for block in sheet.rotated])
    factors = np.sqrt([block.width for block in sheet.rotated])

    def settled(change: Array) -> bool:
        *rotated, plain = np.split(change, ends)
        lengths = np.array([np.linalg.norm(part) for part in rotated])
        return bool(factors @ lengths + np.abs(plain).sum() < tol)

    return settled
