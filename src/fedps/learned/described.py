"""Described: an estimator as data, before it is fitted. A fit is about one, and clients consent to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from msgspec import Meta, Struct

from fedps.learned.learned import FROZEN, Learned, Name, Parameters
from fedps.learned.numbers import Nothing, Numbers

PIPELINE, UNION, BY_COLUMNS = "Pipeline", "FeatureUnion", "ColumnTransformer"
COMPOUNDS = (PIPELINE, UNION, BY_COLUMNS)

# parameters that change how an estimator runs, never what comes out of a transform: each side has its own
HOW_IT_RUNS = frozenset(
    {
        "check_inverse",
        "copy",
        "copy_X",
        "copy_x",
        "inverse_func",
        "memory",
        "n_jobs",
        "transform_input",
        "verbose",
    }
)

# parameters that say how an estimator is fitted, and that a fitted one does without
ONLY_TO_FIT: dict[str, frozenset[str]] = {
    "IterativeImputer": frozenset({"random_state"}),
    "KMeans": frozenset({"init", "n_init", "random_state"}),
    "KNNImputer": frozenset({"n_neighbors"}),
    "KNeighborsRegressor": frozenset({"metric", "metric_params", "n_neighbors", "p"}),
    "TargetEncoder": frozenset({"cv", "shuffle", "random_state"}),
}


class Described(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """An estimator by name, its parameters, and the estimators inside it.

    Parameters
    ----------
    estimator : str
        A name on the allow-list of :mod:`fedps.assembly`.
    params : Parameters
        scikit-learn's constructor parameters.
    steps : tuple of Described
        The estimators inside, in their order; 'passthrough' and 'drop' are among the parameters.
    frozen : Learned, optional
        What a FrozenEstimator holds: it was fitted before.
    """

    estimator: Name
    params: Parameters
    steps: Annotated[tuple[Described, ...], Meta(max_length=1000)] = ()
    frozen: Learned | None = None

    @property
    def inner(self) -> tuple[Described, ...]:
        """The estimators inside that have places of their own: those of compounds."""
        return self.steps if self.estimator in COMPOUNDS else ()

    def filled(
        self, numbers: Mapping[int, Numbers], place: int = 0, *, whole: bool = False
    ) -> Learned:
        """Return what was learned: these parameters, with the numbers that are known for each place.

        ``whole`` keeps the parameters that only a fit needs.
        """
        if self.estimator == FROZEN:
            held = () if self.frozen is None else (self.frozen,)
            return Learned(FROZEN, Parameters(), Nothing(), held)
        hidden = frozenset() if whole else ONLY_TO_FIT.get(self.estimator, frozenset())
        params = Parameters({k: v for k, v in self.params.items() if k not in hidden})
        found = numbers.get(place, Nothing())
        if self.estimator not in COMPOUNDS:
            inside = tuple(step.filled({}, whole=whole) for step in self.steps)
            return Learned(self.estimator, params, found, inside)
        steps, at = [], place + 1
        for step in self.steps:
            steps.append(step.filled(numbers, at, whole=whole))
            at += step.size
        return Learned(self.estimator, params, found, tuple(steps))

    @property
    def size(self) -> int:
        """How many places there are: this estimator, and those inside."""
        return 1 + sum(step.size for step in self.inner)


class Place(Struct, frozen=True):
    """One place in a pipeline: the estimator there, and where it stands.

    ``parent`` is the place of the compound around it, and ``index`` its number among that compound's
    estimators; ``path`` are such numbers from the outermost in.
    """

    number: int
    described: Described
    parent: int | None
    index: int
    path: tuple[int, ...]


def places_of(described: Described) -> list[Place]:
    """Return all places of a pipeline; a compound comes before what is inside of it."""
    found: list[Place] = []

    def visit(one: Described, parent: int | None, index: int, path: tuple[int, ...]) -> None:
        number = len(found)
        found.append(Place(number, one, parent, index, path))
        for i, step in enumerate(one.inner):
            visit(step, number, i, (*path, i))

    visit(described, None, 0, ())
    return found


def branches_of(described: Described) -> Iterator[tuple[str, str | None, Any]]:
    """Yield name, 'passthrough' or 'drop' (None for an estimator) and columns of each branch.

    Of a ColumnTransformer. The last one is the remainder, whose columns are None: all others.
    """
    yield from described.params["parts"]
    yield "remainder", described.params["remainder"], None
