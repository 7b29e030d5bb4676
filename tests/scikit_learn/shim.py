"""Fit scikit-learn's estimators across three clients wherever a test of scikit-learn calls ``fit``.

The rows of a test's table go to three clients of different sizes, in order. What the federation learns is
put into the test's own estimator, so that the rest of the test judges it.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from functools import wraps
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.pipeline import FeatureUnion, Pipeline

import fedps
from fedps.assembly.federated.neighbours import AskingClients
from fedps.compounds import is_estimator, parts_of, set_parts, walk
from fedps.errors import FedPSError, UsageError
from fedps.plans.registry import OF_TARGETS, REGISTRY

SHARES = (0, 0.5, 0.7, 1)  # where each client's rows end
WEIGHT = "the weight of a row"


class Refusal(BaseException):
    """The federation refuses what pooled scikit-learn fits. No ``pytest.raises`` of a test catches it."""


class Defect(BaseException):
    """The federation fits what pooled scikit-learn refuses, or fails in a way that is no refusal."""


class Shim:
    """Fits across clients in place of ``fit`` and ``fit_transform``, unless it is fitting already."""

    def __init__(self, expected=None):
        self.expected = expected
        self.fitting = False
        self.fits = 0

    def install(self, monkeypatch):
        """Replace ``fit`` and ``fit_transform`` of every class that FedPS supports."""
        for kind in REGISTRY:
            monkeypatch.setattr(kind, "fit", self.federated(kind.fit))
            if hasattr(kind, "fit_transform"):
                monkeypatch.setattr(kind, "fit_transform", self.federated(kind.fit_transform))
        monkeypatch.setattr(AskingClients, "fit", _fit_again)

    def federated(self, method):
        """Return what is called in place of a method."""

        @wraps(method)
        def call(estimator, *args, **kwargs):
            if self.fitting or not _is_ours(estimator) or not _copies(estimator):
                return method(estimator, *args, **kwargs)
            if getattr(estimator, "classes", None) is not None and isinstance(args[0], Iterator):
                return method(estimator, *args, **kwargs)  # given classes: nothing is read
            given = Given.of(method, estimator, args, kwargs)
            with self.outermost():
                rows = self.fit(estimator, given)
            if method.__name__ == "fit":
                return estimator
            return estimator.transform(given.table) if rows is None else rows

        return call

    @contextmanager
    def outermost(self):
        """Leave every ``fit`` inside of one to scikit-learn; clients fit in threads of their own."""
        self.fitting = True
        try:
            yield
        finally:
            self.fitting = False

    def fit(self, estimator, given):
        """Fit an estimator across clients; raise what pooled scikit-learn raises."""
        state = np.random.get_state()  # noqa: NPY002 - what scikit-learn draws from
        pooled = _pooled(estimator, given)
        np.random.set_state(state)  # noqa: NPY002
        try:
            fitted, rows = _across_clients(clone(estimator), given)
        except Exception as error:
            if isinstance(pooled, Exception):
                raise pooled from error
            if isinstance(error, FedPSError):
                raise self.refusal(str(error)) from error
            raise
        if isinstance(pooled, Exception):
            _fails_on_rows(fitted, given, pooled)
            raise pooled
        if lacks := _learned(pooled) - _learned(fitted):
            raise self.refusal(f"the fitted estimator has no {', '.join(sorted(lacks))}")
        self.fits += 1
        pour(fitted, estimator)
        return rows

    def refusal(self, text):
        """Return a refusal if it is the one that is expected of this test, and a defect if not."""
        known = self.expected is not None and self.expected.says in text
        return (Refusal if known else Defect)(text)


@dataclass
class Given:
    """What a test passes to ``fit`` or ``fit_transform``."""

    X: Any
    y: Any
    sample_weight: Any
    others: dict[str, Any]
    crossed: bool  # whether it wants the rows that were encoded across folds

    @classmethod
    def of(cls, method, estimator, args, kwargs):
        """Return the arguments of a call."""
        found = dict(inspect.signature(method).bind(estimator, *args, **kwargs).arguments)
        del found["self"]
        for name in ("params", "fit_params", "kwargs"):
            found |= found.pop(name, {})
        X, y, weight = (found.pop(name, None) for name in ("X", "y", "sample_weight"))
        if isinstance(estimator, OF_TARGETS) and isinstance(
            y, Iterator
        ):  # each is read more than once
            y = [tuple(each) if isinstance(each, Iterator) else each for each in y]
        crossed = method.__name__ == "fit_transform" and _cross_fits(estimator)
        return cls(X, y, weight, found, crossed)

    @property
    def table(self):
        """What is to be transformed: label transformers have only a target."""
        return self.y if self.X is None else self.X

    def fit_pooled(self, estimator):
        """Fit on copies of the whole table, by scikit-learn itself."""
        same = deepcopy(self)
        weight = {} if same.sample_weight is None else {"sample_weight": same.sample_weight}
        args = (same.y,) if isinstance(estimator, OF_TARGETS) else (same.X, same.y)
        (estimator.fit_transform if self.crossed else estimator.fit)(*args, **weight, **same.others)


def _fails_on_rows(fitted, given, pooled):
    """Check that what scikit-learn's ``fit`` says of its own output is said when rows are transformed."""
    try:
        fitted.transform(given.table)
    except type(pooled) as error:
        if str(error) == str(pooled):
            return
    raise Defect(f"pooled scikit-learn raises {pooled!r}") from pooled


def _learned(fitted):
    """Return the names of what an estimator has learned."""
    return {name for name in vars(fitted) if name.endswith("_") and not name.startswith("_")}


def _is_ours(estimator):
    """Whether FedPS supports an estimator and every part of it."""
    return all(type(part) in REGISTRY for part in walk(estimator) if is_estimator(part))


def _copies(estimator):
    """Whether there can be two of an estimator; not if a generator is among its parameters."""
    try:
        clone(estimator)
    except TypeError:
        return False
    return True


def _pooled(estimator, given):
    """Return what scikit-learn fits, without a warning, or the error that it raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            made = clone(estimator)
            given.fit_pooled(made)
        except Exception as error:  # noqa: BLE001 - whatever a test expects
            return error
        return made


def _across_clients(estimator, given):
    """Return the estimator fitted across clients, and its rows where ``transform`` gives others."""
    if given.others:
        raise UsageError(f"federation.fit has no {', '.join(given.others)}=")
    weighted = given.sample_weight is not None
    X = with_weights(given.X, given.sample_weight) if weighted else given.X
    federation = fedps.Federation(split(X, given.y), progress=False)
    options = {"sample_weight": WEIGHT} if weighted else {}
    if given.crossed:
        fitted, rows = federation.fit_transform(estimator, **options)
        rows = put_together(rows)
    else:
        fitted, rows = federation.fit(estimator, **options), None
    if weighted and not hasattr(given.X, "columns"):
        del fitted.feature_names_in_
    return fitted, rows


def _cross_fits(estimator):
    return any(type(part).__name__ == "TargetEncoder" for part in walk(estimator))


def with_weights(X, weight):
    """Return a table with a column of weights, which must have names then."""
    if np.ndim(weight) > 1:
        raise ValueError("a column of weights has one dimension")
    if not hasattr(X, "columns"):
        frame = pd.DataFrame.sparse.from_spmatrix if sp.issparse(X) else pd.DataFrame
        X = frame(X if sp.issparse(X) else np.asarray(X)).rename(columns=str)
    return X.assign(**{WEIGHT: weight})


def split(X, y):
    """Return three clients, each with some of the rows; fewer where lists are too short."""
    rows = _length(y if X is None else X)
    ends = [round(share * rows) for share in SHARES]
    whole = [slice(a, b) for a, b in pairwise(ends)]
    empty_too = X is not None and not isinstance(X, list) and not isinstance(y, list)
    parts = [part for part in whole if part.stop > part.start or empty_too] or whole[:1]
    if y is None:
        return [_some(X, part) for part in parts]
    return [(None if X is None else _some(X, part), _some(y, part)) for part in parts]


def _length(X):
    return X.shape[0] if hasattr(X, "shape") else len(X)


def _some(X, part):
    if hasattr(X, "iloc"):
        return X.iloc[part]
    return X.tocsr()[part].asformat(X.format) if sp.issparse(X) else X[part]


def put_together(parts):
    """Return the rows of all clients."""
    if hasattr(parts[0], "iloc"):
        return pd.concat(parts)
    return sp.vstack(parts) if sp.issparse(parts[0]) else np.concatenate(parts)


def pour(fitted, estimator):
    """Give an estimator what another has learned; its parameters stay the same objects."""
    if isinstance(estimator, Pipeline | FeatureUnion):
        theirs, mine = parts_of(fitted), parts_of(estimator)
        for i, own in enumerate(mine):
            if is_estimator(own.estimator):
                pour(theirs[i].estimator, own.estimator)
            else:  # a FeatureUnion puts an estimator in place of 'passthrough'
                mine[i] = theirs[i]
        set_parts(estimator, mine)
    params = estimator.get_params(deep=False)
    for name in set(vars(estimator)) - set(vars(fitted)) - set(params):
        if name.endswith("_"):
            delattr(estimator, name)
    for name, value in vars(fitted).items():
        if name not in params:
            setattr(estimator, name, value)
    if isinstance(fitted, AskingClients):
        estimator.__class__ = type(fitted)


def _fit_again(estimator, X, y=None):
    """Fit an estimator that asks clients anew, as the plain one that it was."""
    estimator.__class__ = estimator.plain
    return estimator.fit(X, y)
