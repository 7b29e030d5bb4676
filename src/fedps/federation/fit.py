"""fit: a federation and its fit in one call."""

from __future__ import annotations

from typing import Any

from fedps.federation.faults.callers_line import without_our_frames
from fedps.federation.federation import Estimator, Federation


@without_our_frames
def fit(estimator: Estimator, clients: Any, **options: Any) -> Estimator:
    """Fit an estimator across clients: shorthand for ``Federation(clients, ...).fit(estimator)``.

    Parameters
    ----------
    estimator : scikit-learn estimator
        Any of those that ``fedps.supported()`` lists.
    clients : dict of str to table, sequence of tables, or a transport
        As for ``Federation``.
    **options
        Those of ``Federation`` and of its ``fit``.

    Returns
    -------
    estimator
        A genuine fitted scikit-learn object.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.preprocessing import MaxAbsScaler
    >>> fit(MaxAbsScaler(), [np.array([[1.0]]), np.array([[-4.0]])]).max_abs_
    array([4.])
    """
    of_fit = ("sample_weight", "quantiles", "frequent", "checkpoint", "name")
    chosen = {name: options.pop(name) for name in of_fit if name in options}
    return Federation(clients, **options).fit(estimator, **chosen)
