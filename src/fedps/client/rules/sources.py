"""Which of a table's columns each column is made of that a fitted estimator puts out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.base import OneToOneFeatureMixin
from sklearn.compose import ColumnTransformer
from sklearn.frozen import FrozenEstimator
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.impute._base import _BaseImputer
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    OneHotEncoder,
    PolynomialFeatures,
)

Sources = tuple[frozenset[str], ...]  # the client's own columns, for each column of a table


def sources_after(fitted: Any, before: Sources, width: int) -> Sources:
    """Return the sources of each column that an estimator puts out; of all columns, if it is not known.

    Examples
    --------
    >>> from sklearn.preprocessing import StandardScaler
    >>> a, b = frozenset(["a"]), frozenset(["b"])
    >>> sources_after(StandardScaler(), (a, b), 2) == (a, b)
    True
    >>> sources_after(object(), (a, b), 1) == (a | b,)
    True
    """
    try:
        found = _after(fitted, before)
    except (AttributeError, KeyError, IndexError, TypeError, ValueError):
        found = None  # of another version of scikit-learn, perhaps
    if found is not None and len(found) == width:
        return tuple(found)
    return (frozenset[str]().union(*before),) * width


def leaves_of(
    fitted: Any, before: Sequence[frozenset[str]] | frozenset[str], *, frozen: bool = False
) -> Iterator[tuple[Any, Sequence[frozenset[str]] | frozenset[str], bool]]:
    """Yield each estimator inside of a fitted one, the sources of its input, and whether it was given fitted.

    The sources are those of each column; one set, if only those of all together are known.
    """
    if isinstance(fitted, str) or fitted is None:
        return
    if isinstance(fitted, FrozenEstimator):
        yield from leaves_of(fitted.estimator, before, frozen=True)
    elif isinstance(fitted, Pipeline):
        for _, step in fitted.steps:
            yield from leaves_of(step, before, frozen=frozen)
            before = _known_after(step, before)
    elif isinstance(fitted, ColumnTransformer | FeatureUnion):
        for step, some in _parts(fitted, before):
            yield from leaves_of(step, some, frozen=frozen)
    elif hasattr(fitted, "transform"):
        yield fitted, before, frozen


def _known_after(
    step: Any, before: Sequence[frozenset[str]] | frozenset[str]
) -> Sequence[frozenset[str]] | frozenset[str]:
    """Return the sources of what a step puts out; one set where that is all that is known."""
    if isinstance(before, frozenset):
        return before
    try:
        found = _after(step, before)
    except (AttributeError, KeyError, IndexError, TypeError, ValueError):
        found = None
    return frozenset[str]().union(*before) if found is None else found


def _after(fitted: Any, before: Sequence[frozenset[str]]) -> Sequence[frozenset[str]] | None:
    if isinstance(fitted, str):
        return before if fitted == "passthrough" else ()
    if isinstance(fitted, FrozenEstimator):
        return _after(fitted.estimator, before)
    if isinstance(fitted, Pipeline):
        found: Sequence[frozenset[str]] | None = before
        for _, step in fitted.steps:
            found = None if found is None else _after(step, found)
        return found
    for kind, follow in _WIDER:
        if isinstance(fitted, kind):
            return follow(fitted, before)  # type: ignore[no-any-return]
    return before if isinstance(fitted, OneToOneFeatureMixin) else None


def _side_by_side(fitted: Any, before: Sequence[frozenset[str]]) -> list[frozenset[str]] | None:
    """Return the sources of what comes out of several estimators, one beside the other."""
    found: list[frozenset[str]] = []
    widths = [stop - start for start, stop in _slices(fitted)]
    for i, (step, some) in enumerate(_parts(fitted, before)):
        own = None if isinstance(some, frozenset) else _after(step, some)
        if own is None:
            if i >= len(widths):
                return None
            own = [frozenset[str]().union(*some)] * widths[i]
        found += own
    return found


def _slices(fitted: Any) -> list[tuple[int, int]]:
    """Return where the columns of each branch of a ColumnTransformer are."""
    places = getattr(fitted, "output_indices_", {})
    inputs = getattr(fitted, "_transformer_to_input_indices", {})
    each = [places[name] for name, *_ in getattr(fitted, "transformers_", ()) if name in inputs]
    return [(one.start, one.stop) for one in each]


def _parts(
    fitted: Any, before: Sequence[frozenset[str]] | frozenset[str]
) -> list[tuple[Any, Sequence[frozenset[str]] | frozenset[str]]]:
    """Return the estimators side by side in a compound, and the sources of what each gets."""
    if isinstance(fitted, FeatureUnion):
        return [(step, before) for _, step in fitted.transformer_list]
    inputs = fitted._transformer_to_input_indices  # noqa: SLF001 - positions, however chosen
    return [
        (step, before if isinstance(before, frozenset) else [before[i] for i in inputs[name]])
        for name, step, _ in fitted.transformers_
        if name in inputs
    ]


def _imputed(fitted: Any, before: Sequence[frozenset[str]]) -> list[frozenset[str]]:
    """Return the sources of what an imputer puts out: columns with values, then indicators."""
    found = list(before)
    for step in getattr(fitted, "imputation_sequence_", ()):  # cells filled by a regression
        used = (before[i] for i in np.asarray(step.neighbor_feat_idx).tolist())
        found[step.feat_idx] = found[step.feat_idx].union(*used)
    if not fitted.keep_empty_features and isinstance(fitted, SimpleImputer):
        empty = [isinstance(x, float) and x != x for x in fitted.statistics_.tolist()]  # noqa: PLR0124
        found = [source for source, gone in zip(before, empty, strict=True) if not gone]
    if fitted.indicator_ is not None:
        found += [before[i] for i in fitted.indicator_.features_]
    return found


def _repeated(before: Sequence[frozenset[str]], times: Any) -> list[frozenset[str]]:
    pairs = zip(before, times, strict=True)
    return [source for source, number in pairs for _ in range(int(number))]


def _bins(fitted: Any, before: Sequence[frozenset[str]]) -> Sequence[frozenset[str]]:
    return before if fitted.encode == "ordinal" else _repeated(before, fitted.n_bins_)


def _one_hot(fitted: Any, before: Sequence[frozenset[str]]) -> Sequence[frozenset[str]]:
    return _repeated(before, fitted._n_features_outs)  # noqa: SLF001 - by column, drops included


def _indicators(fitted: Any, before: Sequence[frozenset[str]]) -> Sequence[frozenset[str]]:
    return [before[i] for i in fitted.features_]


def _products(fitted: Any, before: Sequence[frozenset[str]]) -> Sequence[frozenset[str]]:
    # not ``powers_``, which is as wide as the input: of very many columns it takes gigabytes
    used = fitted._combinations(  # noqa: SLF001
        n_features=fitted.n_features_in_,
        min_degree=fitted._min_degree,  # noqa: SLF001
        max_degree=fitted._max_degree,  # noqa: SLF001
        interaction_only=fitted.interaction_only,
        include_bias=fitted.include_bias,
    )
    return [
        before[some[0]] if len(some) == 1 else frozenset[str]().union(*(before[i] for i in some))
        for some in used
    ]


def _by_cell(fitted: Any, before: Sequence[frozenset[str]]) -> Sequence[frozenset[str]] | None:
    return before if fitted.func is None or isinstance(fitted.func, np.ufunc) else None


# Estimators that put out other columns than they get, and how to follow these.
_WIDER: list[tuple[type, Callable[..., Any]]] = [
    (ColumnTransformer, _side_by_side),
    (FeatureUnion, _side_by_side),
    (OneHotEncoder, _one_hot),
    (KBinsDiscretizer, _bins),
    (MissingIndicator, _indicators),
    (_BaseImputer, _imputed),
    (PolynomialFeatures, _products),
    (FunctionTransformer, _by_cell),
]
