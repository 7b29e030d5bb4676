"""Which shape the numbers of an estimator have, for rows and for columns.

Adding an estimator means a line here, and its shape in the file of its family.
"""

from __future__ import annotations

from collections.abc import Mapping

from fedps.learned import compose, encoders, imputers, models, owners, quantiles, scalers
from fedps.learned.learned import Learned
from fedps.learned.numbers import FrozenState, Nothing, Numbers

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
COLUMNS: dict[str, tuple[type[Numbers], ...]] = dict.fromkeys(ROWS, _ALONE) | {
    "BayesianRidge": (Nothing, owners.BayesianRidgePartNumbers),
    "ColumnTransformer": (owners.RoutedColumnsNumbers,),
    "FeatureUnion": (Nothing,),
    "IterativeImputer": (Nothing, owners.IterativeImputerPartNumbers),
    "KNNImputer": (Nothing, owners.KNNImputerPartNumbers),
    "KNeighborsRegressor": (owners.KNeighborsRegressorPartNumbers,),
    "LinearRegression": (Nothing,),  # inside an IterativeImputer
    "Normalizer": (Nothing, owners.NormalizerPartNumbers),
    "Pipeline": (Nothing,),
    "Ridge": (Nothing,),  # inside an IterativeImputer
}

_FOR_ROWS = {name: (shape,) for name, shape in ROWS.items()}


def read_for_rows(learned: Learned) -> Learned:
    """Return what a message says was learned, in the shapes for rows; ValueError if it is not."""
    return _read_all(learned, _FOR_ROWS)


def read_for_columns(learned: Learned) -> Learned:
    """Return what a message says was learned, in the shapes for columns; ValueError if it is not."""
    return _read_all(learned, COLUMNS)


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
