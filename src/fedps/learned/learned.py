"""Learned: the numbers that make an estimator fitted, and those of the estimators inside it."""

from __future__ import annotations

from typing import Annotated, TypeVar

from msgspec import Meta, Struct

from fedps.learned.numbers import Numbers
from fedps.learned.parameters import Name, Parameters
from fedps.learned.told_to import Place

_N = TypeVar("_N", bound=Numbers)


class Learned(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """The numbers that make one estimator fitted, and those of the estimators inside it.

    Parameters
    ----------
    estimator : str
        A name on the allow-list of :mod:`fedps.assembly`.
    params : Parameters
        scikit-learn's constructor parameters.
    numbers : Numbers
        What was learned, in the shape that :mod:`fedps.learned.shapes` has for the estimator.
    steps : tuple of Learned
        What was learned for the estimators inside, in their order; 'passthrough' and 'drop' have none.
    """

    estimator: Name
    params: Parameters
    numbers: Numbers
    steps: Annotated[tuple[Learned, ...], Meta(max_length=10_000)] = ()

    def numbers_as(self, shape: type[_N]) -> _N:
        """Return the numbers, which are of a shape; TypeError if they are of another."""
        if not isinstance(self.numbers, shape):
            raise TypeError(f"{self.estimator} has {type(self.numbers).__name__}")
        return self.numbers

    @property
    def is_private(self) -> bool:
        """Whether each client is told something else."""
        return self.numbers.is_private or any(step.is_private for step in self.steps)

    @property
    def is_folded(self) -> bool:
        """Whether something inside has numbers for the very rows that it was learned from.

        A cross-fitted encoder has them for each fold of the rows, an imputer for each of their gaps.
        """
        return self.numbers.is_folded or any(step.is_folded for step in self.steps)

    @property
    def settled(self) -> Learned:
        """The same without what is for the rows it was learned from only: all a new row needs."""
        if not self.is_folded:
            return self
        steps = tuple(step.settled for step in self.steps)
        return Learned(self.estimator, self.params, self.numbers.settled, steps)

    @property
    def told(self) -> Learned:
        """The same without what only the server needs."""
        steps = tuple(step.told for step in self.steps)
        return Learned(self.estimator, self.params, self.numbers.told, steps)

    def part(self, place: Place) -> Learned:
        """Return this as the client at a place is told it."""
        if not self.is_private:
            return self
        steps = tuple(step.part(place) for step in self.steps)
        return Learned(self.estimator, self.params, self.numbers.part(place), steps)
