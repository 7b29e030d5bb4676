"""The likelihood of a power transform to 700 digits, straight from its definition."""

from __future__ import annotations

from decimal import Context, Decimal, localcontext

import numpy as np

DIGITS = Context(prec=700, Emin=-10**9, Emax=10**9)


def likelihood(method, exponent, values, counts):
    """Return the log-likelihood of a lambda, per cell, of a value/count table."""
    with localcontext(DIGITS):
        lam = Decimal(float(exponent))
        table = [
            (Decimal(float(x)), int(c)) for x, c in zip(values, counts, strict=True)
        ]
        cells = sum(c for _, c in table)
        moved = [(*_transformed(method, lam, x), c) for x, c in table]
        mean = sum(y * c for y, _, c in moved) / cells
        variance = sum((y - mean) ** 2 * c for y, _, c in moved) / cells
        logs = sum(log * c for _, log, c in moved) / cells
        return (lam - 1) * logs - variance.ln() / 2


def _transformed(method, lam, x):
    """Return a transformed cell, and the log that it adds to the likelihood."""
    if method == "box-cox":
        return _power(x.ln(), lam), x.ln()
    if x >= 0:
        return _power((1 + x).ln(), lam), (1 + x).ln()
    return -_power((1 - x).ln(), 2 - lam), -(1 - x).ln()


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
    step = within * max(1.0, abs(exponent))
    values, counts = tabled(cells)
    here = likelihood(method, exponent, values, counts)
    others = [exponent - step, exponent + step]
    inside = [other for other in others if bounds[0] <= other <= bounds[1]]
    return all(likelihood(method, other, values, counts) < here for other in inside)
