"""The likelihood of a power transform to sixty digits, from its definition."""

from __future__ import annotations

from decimal import Context, Decimal, localcontext
from functools import lru_cache

import numpy as np

DIGITS = Context(prec=60, Emin=-(10**15), Emax=10**15)
MANY = Context(prec=400, Emin=-(10**15), Emax=10**15)  # for the log of 1 and a little


def likelihood(method, exponent, values, counts):
    """Return the log-likelihood of a lambda, per cell, of a value/count table.

    The variance of cells of one sign is that of ``exp(lambda log) / lambda``, without the 1 that is
    taken from it and that would hide it where it saturates.
    """
    logs = _logs(method, tuple(map(float, values)))
    with localcontext(DIGITS):
        lam = exponent if isinstance(exponent, Decimal) else Decimal(float(exponent))
        table = list(zip(logs, map(int, counts), strict=True))
        cells = sum(c for _, c in table)
        mean_log = sum(log * c for log, c in table) / cells
        if min(logs) < 0 < max(logs) and method != "box-cox":
            ys = [_power(log, lam) if log >= 0 else -_power(-log, 2 - lam) for log in logs]
            scale = Decimal(0)
        else:
            own = 2 - lam if max(logs) <= 0 and method != "box-cox" else lam
            first = max(logs, key=abs)
            ys = [(own * abs(log) - own * abs(first)).exp() / own if own else log for log in logs]
            if method == "box-cox":
                ys = [(own * (log - first)).exp() / own if own else log for log in logs]
            scale = own * (first if method == "box-cox" else abs(first))
        mean = sum(y * c for y, (_, c) in zip(ys, table, strict=True)) / cells
        variance = sum((y - mean) ** 2 * c for y, (_, c) in zip(ys, table, strict=True)) / cells
        return (lam - 1) * mean_log - variance.ln() / 2 - scale


@lru_cache
def _logs(method, values):
    """Return what each cell adds to the log of the transform's derivative."""
    with localcontext(MANY):
        cells = [Decimal(x) for x in values]
        if method == "box-cox":
            return [x.ln() for x in cells]
        return [(1 + x).ln() if x >= 0 else -(1 - x).ln() for x in cells]


def _power(log, lam):
    return ((lam * log).exp() - 1) / lam if lam else log


def tabled(cells):
    """Return the value/count table of some cells, NaN left out."""
    cells = np.asarray(cells, dtype=np.float64)
    return np.unique(cells[~np.isnan(cells)], return_counts=True)


def is_best(method, exponent, cells, *, within=1e-6, bounds=(-np.inf, np.inf)):
    """Tell whether no lambda that is ``within`` away is likelier, and so none further out is.

    The likelihood is concave, so its maximum then lies between those two. Steps are relative to a
    lambda above 1, and do not leave the bounds.
    """
    exponent = float(exponent)
    step = within * max(1.0, abs(exponent))
    values, counts = tabled(cells)
    here = likelihood(method, exponent, values, counts)
    others = [exponent - step, exponent + step]
    inside = [other for other in others if bounds[0] <= other <= bounds[1]]
    return all(likelihood(method, other, values, counts) < here for other in inside)
