"""Learned: the numbers that make an estimator fitted, and those of the estimators inside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, TypeVar

from msgspec import Meta, Struct

from fedps.learned import compose, encoders, imputers, models, owners, quantiles, scalers
from fedps.learned.numbers import FrozenState, Nothing, Numbers
from fedps.learned.per_client import Stand

Name = Annotated[str, Meta(max_length=512)]


class Parameters(Mapping[str, Any]):
    """An estimator's constructor parameters, read-only. The codec says which types can travel.

    >>> Parameters(n_bins=3)["n_bins"]
    3
    """

    __slots__ = ("_items",)

    def __init__(self, items: Mapping[str, Any] | None = None, /, **more: Any) -> None:
        self._items = {**(items or {}), **more}

    def __getitem__(self, key: str) -> Any:
        return self._items[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return f"Parameters({', '.join(self._items)})"


class Function(Struct, frozen=True):
    """A function by its name. A client looks it up in what its policy allows; no code travels."""

    name: Name


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
        What was learned, in the shape that :mod:`fedps.learned.learned` has for the estimator.
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

    def part(self, place: Stand) -> Learned:
        """Return this as the client at a place is told it."""
        if not self.is_private:
            return self
        steps = tuple(step.part(place) for step in self.steps)
        return Learned(self.estimator, self.params, self.numbers.part(place), steps)


def model_of(learned: Learned) -> Learned:
    """Return what was learned for the last step of a Pipeline, or for the estimator itself."""
    return model_of(learned.steps[-1]) if learned.estimator == "Pipeline" else learned


def path_of_model(learned: Learned) -> tuple[int, ...]:
    """Return the place of the model: the last step of a Pipeline, or the estimator itself."""
    if learned.estimator != "Pipeline":
        return ()
    return (len(learned.steps) - 1, *path_of_model(learned.steps[-1]))


FROZEN = "FrozenEstimator"

# with split="rows": an estimator has one shape
ROWS: dict[str, type[Numbers]] = {
    "BayesianRidge": models.BayesianRidgeNumbers,
    "Binarizer": Nothing,
    "ColumnTransformer": compose.ColumnTransformerNumbers,
    "FeatureUnion": Nothing,
    FROZEN: Nothing,
    "FunctionTransformer": Nothing,
    "IterativeImputer": imputers.IterativeImputerNumbers,
    "KBinsDiscretizer": quantiles.KBinsDiscretizerNumbers,
    "KMeans": models.KMeansNumbers,
    "KNNImputer": imputers.KNNImputerNumbers,
    "KNeighborsRegressor": models.KNeighborsRegressorNumbers,
    "LabelBinarizer": encoders.LabelNumbers,
    "LabelEncoder": encoders.LabelNumbers,
    "MaxAbsScaler": scalers.MaxAbsScalerNumbers,
    "MinMaxScaler": scalers.MinMaxScalerNumbers,
    "MissingIndicator": imputers.MissingIndicatorNumbers,
    "MultiLabelBinarizer": encoders.LabelNumbers,
    "Normalizer": Nothing,
    "OneHotEncoder": encoders.CategoryEncoderNumbers,
    "OrdinalEncoder": encoders.CategoryEncoderNumbers,
    "Pipeline": Nothing,
    "PolynomialFeatures": Nothing,
    "PowerTransformer": scalers.PowerTransformerNumbers,
    "QuantileTransformer": quantiles.QuantileTransformerNumbers,
    "RobustScaler": quantiles.RobustScalerNumbers,
    "SimpleImputer": imputers.SimpleImputerNumbers,
    "SplineTransformer": quantiles.SplineTransformerNumbers,
    "StandardScaler": scalers.StandardScalerNumbers,
    "TargetEncoder": encoders.TargetEncoderNumbers,
}

# with split="columns": an owner fits most estimators alone, from nothing or from which columns it
# has; the rest has a shape of its own, or nothing where a single owner has all columns
_ALONE = (Nothing, owners.OwnColumnsNumbers)
# what an IterativeImputer may impute by, besides BayesianRidge: these are not fitted on their own
INSIDE = ("ARDRegression", "DummyRegressor", "ElasticNet", "Lasso", "LinearRegression", "Ridge")
COLUMNS: dict[str, tuple[type[Numbers], ...]] = {
    **dict.fromkeys(ROWS, _ALONE),
    **dict.fromkeys(INSIDE, (Nothing,)),
    "BayesianRidge": (Nothing, owners.BayesianRidgePartNumbers),
    "ColumnTransformer": (owners.RoutedColumnsNumbers,),
    "FeatureUnion": (Nothing,),
    "IterativeImputer": (Nothing, owners.IterativeImputerPartNumbers),
    "KNNImputer": (Nothing, owners.KNNImputerPartNumbers),
    "KNeighborsRegressor": (owners.KNeighborsRegressorPartNumbers,),
    "Normalizer": (Nothing, owners.NormalizerPartNumbers),
    "Pipeline": (Nothing,),
}

_FOR_ROWS = {name: (shape,) for name, shape in ROWS.items()}


def read_for_rows(learned: Learned) -> Learned:
    """Return what a message says was learned, in the shapes for rows; ValueError if it is not."""
    return _read_all(learned, _FOR_ROWS)


def read_for_columns(learned: Learned) -> Learned:
    """Return what a message says was learned, in the shapes for columns; ValueError if it is not."""
    return _read_all(learned, COLUMNS)


def read_numbers(estimator: str, numbers: Numbers, *, across: bool) -> Numbers:
    """Return the numbers that a message has for an estimator, in their shape; ValueError if they are not.

    ``across`` is for estimators of which each client fits its own columns.
    """
    shapes = (COLUMNS if across else _FOR_ROWS).get(estimator)
    if shapes is None:
        raise ValueError("is not about a known estimator")
    return _read(Learned(estimator, Parameters(), numbers), shapes)


def _read_all(learned: Learned, known: Mapping[str, tuple[type[Numbers], ...]]) -> Learned:
    shapes = known.get(learned.estimator)
    if shapes is None:
        raise ValueError("is not about a known estimator")
    steps = learned.steps
    if learned.estimator != FROZEN:  # what is inside of that are attributes of a fitted object
        steps = tuple(_read_all(step, known) for step in steps)
    return Learned(learned.estimator, learned.params, _read(learned, shapes), steps)


def _read(learned: Learned, shapes: tuple[type[Numbers], ...]) -> Numbers:
    """Return numbers in one of the shapes: the first if there are none, the last otherwise."""
    numbers = learned.numbers
    if isinstance(numbers, shapes):
        return numbers
    if not isinstance(numbers, FrozenState):
        raise TypeError(f"{learned.estimator} has {type(numbers).__name__}, not {shapes}")
    shape = shapes[-1] if numbers.attributes else shapes[0]
    return shape.read(numbers.attributes, learned.estimator)
