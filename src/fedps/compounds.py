"""Compounds: what a Pipeline, a FeatureUnion or a ColumnTransformer is made of.

The only place that knows how scikit-learn stores their parts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from sklearn.compose import ColumnTransformer
from sklearn.pipeline import FeatureUnion, Pipeline

REMAINDER = "remainder"  # scikit-learn's name of the branch for columns that are not selected


class Part(NamedTuple):
    """One part of a compound: its name, its estimator or 'drop' or 'passthrough', and its columns."""

    name: str
    estimator: Any
    columns: Any = None


def is_estimator(part: Any) -> bool:
    """Return whether a part is an estimator, and not 'passthrough', 'drop' or None.

    >>> is_estimator("drop"), is_estimator(Pipeline([]))
    (False, True)
    """
    return part is not None and not isinstance(part, str)


def is_compound(estimator: Any) -> bool:
    """Return whether an estimator is made of others.

    >>> is_compound(Pipeline([])), is_compound("passthrough")
    (True, False)
    """
    return isinstance(estimator, ColumnTransformer | FeatureUnion | Pipeline)


def parts_of(estimator: Any, *, fitted: bool = False) -> list[Part]:
    """Return the parts of a compound in their order, a ColumnTransformer's remainder last.

    Parameters
    ----------
    estimator : estimator
        Any estimator; one that is not a compound has no parts.
    fitted : bool, default=False
        Whether to return the fitted parts of a ColumnTransformer, which it stores in addition.

    Examples
    --------
    >>> from sklearn.preprocessing import StandardScaler
    >>> parts_of(Pipeline([("scale", StandardScaler()), ("end", "passthrough")]))
    [Part(name='scale', estimator=StandardScaler(), columns=None),
     Part(name='end', estimator='passthrough', columns=None)]
    """
    if isinstance(estimator, Pipeline):
        return [Part(*step) for step in estimator.steps]
    if isinstance(estimator, FeatureUnion):
        return [Part(*part) for part in estimator.transformer_list]
    if not isinstance(estimator, ColumnTransformer):
        return []
    if fitted:  # the remainder is among them, under its own name; there are none before a fit
        return [Part(*part) for part in getattr(estimator, "transformers_", ())]
    given = [Part(*part) for part in estimator.transformers]
    return [*given, Part(REMAINDER, estimator.remainder)]


def set_parts(compound: Any, parts: Sequence[Part]) -> None:
    """Set the parts of a compound, in the order in which ``parts_of`` returns them."""
    if isinstance(compound, Pipeline):
        compound.steps = [part[:2] for part in parts]
    elif isinstance(compound, FeatureUnion):
        compound.transformer_list = [part[:2] for part in parts]
    else:
        *branches, rest = parts
        compound.transformers = [tuple(part) for part in branches]
        compound.remainder = rest.estimator


def walk(estimator: Any, *, fitted: bool = False) -> Iterator[Any]:
    """Yield an estimator and all estimators inside it, outer ones first.

    >>> from sklearn.preprocessing import StandardScaler
    >>> [type(part).__name__ for part in walk(Pipeline([("scale", StandardScaler())]))]
    ['Pipeline', 'StandardScaler']
    """
    yield estimator
    for part in parts_of(estimator, fitted=fitted):
        if is_estimator(part.estimator):
            yield from walk(part.estimator, fitted=fitted)
