"""describe: an estimator as data, which clients hear first and consent to."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.utils import _safe_indexing

from fedps.compounds import parts_of, walk
from fedps.draws.folds import written_cv
from fedps.draws.samples import SEEDS
from fedps.errors import NotFederated
from fedps.learned import Described, Parameters
from fedps.plans.columns.column_transformer import positions
from fedps.plans.compose import kept
from fedps.plans.shared.column_choice import NO_ROW, written_columns
from fedps.plans.shared.parameters import params_of
from fedps.protocol.pooled import Pooled

_INSIDE = {Pipeline: "steps", FeatureUnion: "transformer_list"}

# the server makes use of them alone: clients need not know
_OF_THE_SERVER = {
    "KNNImputer": {"weights", "metric"},
    "KNeighborsRegressor": {"weights", "algorithm", "leaf_size"},
}


def describe(estimator: Any, pooled: Pooled, *, whole: bool = False) -> Described:
    """Return an estimator as data: its class, its parameters, and the estimators inside.

    NeedsSchema if columns are chosen by a function of the table, and that is not known yet. ``whole`` is
    for clients that keep the fitted estimator, and so are told all its parameters.
    """
    for part in walk(estimator):
        if getattr(part, "_skl_callbacks", None):  # those of scikit-learn 1.9
            name = type(part).__name__
            raise NotFederated(
                f"{name} has callbacks, which watch scikit-learn's own fit on rows; across clients there "
                f"is none. Use Federation(..., progress=) and federation.run, and take them off: "
                f"{name.lower()}.set_callbacks()."
            )
    return _described(estimator, _About(pooled, whole), pooled.dummy_row)


class _About(NamedTuple):
    """What a description depends on; ``used`` says that other steps see the estimator's output."""

    pooled: Pooled
    whole: bool
    used: bool = False


def _described(estimator: Any, about: _About, row: Any) -> Described:
    if isinstance(estimator, FrozenEstimator):
        return _frozen(estimator, about)
    if isinstance(estimator, ColumnTransformer):
        return _by_columns(estimator, about._replace(used=True), row)
    if type(estimator) in _INSIDE:
        return _in_order(estimator, about, row)
    return _alone(estimator, about.whole)


def _in_order(compound: Any, about: _About, row: Any) -> Described:
    """Return a Pipeline or a FeatureUnion."""
    parts = [(part.name, kept(part.estimator)) for part in parts_of(compound)]
    without = [_INSIDE[type(compound)]]
    params = {**params_of(compound, without, whole=about.whole), "parts": parts}
    inner = [part.estimator for part in parts_of(compound) if kept(part.estimator) is None]
    steps = []
    for i, part in enumerate(inner):
        after, last = isinstance(compound, Pipeline) and i > 0, i == len(inner) - 1
        own = about._replace(used=about.used or (isinstance(compound, Pipeline) and not last))
        steps.append(_described(part, own, NO_ROW if after else row))
    return Described(type(compound).__name__, Parameters(params), tuple(steps))


def _by_columns(transformer: Any, about: _About, row: Any) -> Described:
    whole = about.whole
    *given, rest = parts_of(transformer)
    columns = [
        positions(p.columns, row, p.name)
        if whole and row is not NO_ROW
        else written_columns(p.columns, row, p.name, by_name=about.pooled.by_name)
        for p in given
    ]
    parts = [(p.name, kept(p.estimator), own) for p, own in zip(given, columns, strict=True)]
    params = {
        **params_of(transformer, ["transformers", "remainder"], whole=whole),
        "parts": parts,
        "remainder": kept(rest.estimator),
    }
    rows = [NO_ROW] * (len(given) + 1)
    if whole and row is not NO_ROW:
        taken = {i for own in columns for i in own}
        others = [i for i in range(row.shape[1]) if i not in taken]
        rows = [_safe_indexing(row, own, axis=1) for own in (*columns, others)]
    inner = zip([part.estimator for part in (*given, rest)], rows, strict=True)
    steps = tuple(_described(e, about, r) for e, r in inner if kept(e) is None)
    return Described("ColumnTransformer", Parameters(params), steps)


def _frozen(frozen: Any, about: _About) -> Described:
    """Return what was fitted before; its numbers only where other steps see what it makes of rows."""
    inside = None
    if about.used or about.whole:
        assert about.pooled.freeze is not None
        with suppress(KeyError):  # it cannot be sent: the client says so if it needs it
            inside = about.pooled.freeze(frozen.estimator)
    return Described("FrozenEstimator", Parameters(), (), inside)


def _alone(estimator: Any, whole: bool) -> Described:
    """Return an estimator that is not a compound."""
    name = type(estimator).__name__
    hidden = () if whole else _OF_THE_SERVER.get(name, ())
    params = dict(params_of(estimator, hidden, whole=whole))
    if not whole:
        params = {key: value for key, value in params.items() if not _is_given_start(key, value)}
        if "random_state" in params and not isinstance(params["random_state"], str):
            # the state of a generator is told when something is drawn
            seed = params["random_state"]
            params["random_state"] = int(seed) if isinstance(seed, SEEDS) else None
        if name == "TargetEncoder":
            params["cv"] = written_cv(params["cv"])
    for bound in ("min_value", "max_value"):
        if bound in params and np.ndim(params[bound]):  # a list or a series, say
            params[bound] = np.asarray(params[bound], dtype=np.float64)
    inner = getattr(estimator, "estimator", None)
    steps = (_alone(inner, whole),) if isinstance(inner, BaseEstimator) else ()
    return Described(name, Parameters(params), steps)


def _is_given_start(key: str, value: Any) -> bool:
    """Whether this is where a KMeans starts: the first question brings it."""
    return key == "init" and not isinstance(value, str)
