"""twin: a copy of a fitted estimator that can be changed, while the first one stays as it is."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator


def twin(fitted: Any, twins: dict[int, Any]) -> Any:
    """Return a copy of a fitted estimator and of all inside of it, which shares what they have learned.

    ``twins`` gets each copy by the ``id`` of what it is a copy of.

    >>> from sklearn.preprocessing import StandardScaler
    >>> scaler = StandardScaler().fit([[1.0], [3.0]])
    >>> copied = twin(scaler, {})
    >>> copied is scaler, copied.mean_ is scaler.mean_
    (False, True)
    """
    if isinstance(fitted, BaseEstimator):
        if id(fitted) not in twins:
            made = twins[id(fitted)] = object.__new__(type(fitted))
            made.__dict__.update({name: twin(own, twins) for name, own in vars(fitted).items()})
        return twins[id(fitted)]
    if type(fitted) in (list, tuple):
        return type(fitted)(twin(one, twins) for one in fitted)
    return (
        {key: twin(one, twins) for key, one in fitted.items()} if type(fitted) is dict else fitted
    )
