"""What is learned has declared names: shapes agree with recipes, stand-ins and the wire."""

from __future__ import annotations

import pickle
from copy import deepcopy
from typing import get_type_hints

import numpy as np
import pytest

import fedps
from fedps.assembly import CLASSES, RECIPES
from fedps.assembly.compose import COMPOUND_RECIPES
from fedps.assembly.owners.stand_ins import STAND_INS
from fedps.learned import (
    COLUMNS,
    INSIDE,
    ROWS,
    FrozenState,
    Kept,
    Learned,
    Nothing,
    Parameters,
    PerClient,
    PerRow,
    Stand,
    own,
    read_for_columns,
    read_for_rows,
)
from fedps.learned.encoders import TargetEncoderNumbers
from fedps.learned.imputers import KNNImputerNumbers
from fedps.learned.models import BayesianRidgeNumbers
from fedps.learned.owners import BayesianRidgePartNumbers, OwnColumnsNumbers, RoutedColumnsNumbers
from fedps.learned.quantiles import RobustScalerNumbers
from fedps.learned.scalers import StandardScalerNumbers

SCALER = {"count": np.ones(2), "weighted": False, "mean": np.zeros(2)}
PLACE = Stand(1, slice(2, 4))


def decoded(estimator, **numbers):
    """Return what was learned as the codec gives it to a message."""
    return Learned(estimator, Parameters(), FrozenState(numbers))


# Who agrees with whom -----------------------------------------------------------------------------


def test_every_estimator_has_a_shape():
    assert set(ROWS) == {*RECIPES, *COMPOUND_RECIPES} == set(fedps.supported())
    assert set(COLUMNS) == {*ROWS, *INSIDE}
    assert set(CLASSES) <= set(COLUMNS)


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_takes_the_shape_of_its_estimator(name):
    assert get_type_hints(RECIPES[name])["numbers"] is ROWS[name]


@pytest.mark.parametrize("name", STAND_INS)
def test_a_stand_in_takes_the_shape_of_its_estimator(name):
    assert get_type_hints(STAND_INS[name].__func__)["numbers"] is COLUMNS[name][-1]


# Making one ---------------------------------------------------------------------------------------


def test_names_are_those_declared():
    with pytest.raises(TypeError, match="StandardScalerNumbers needs 'count'"):
        StandardScalerNumbers(weighted=False)
    with pytest.raises(TypeError, match="StandardScalerNumbers has no 'maen'"):
        StandardScalerNumbers(**SCALER, maen=np.zeros(2))


def test_numbers_are_read_only():
    with pytest.raises(AttributeError, match="read-only"):
        StandardScalerNumbers(**SCALER).mean = np.ones(2)


@pytest.mark.parametrize("copied", [deepcopy, lambda n: pickle.loads(pickle.dumps(n))])
def test_numbers_can_be_copied(copied):
    assert copied(StandardScalerNumbers(**SCALER)).mean.tolist() == [0, 0]


def test_what_is_on_the_wire():
    """The order is that of the fields; what is None is left out, unless it must be there."""
    names = [name for name, _ in StandardScalerNumbers(**SCALER).items()]
    assert names == ["count", "mean", "weighted"]
    encoder = TargetEncoderNumbers(categories=[], encodings=[], mean=0.5, classes=None, target=[])
    assert dict(encoder.items())["classes"] is None
    assert "folds" not in dict(encoder.items())
    scaler = RobustScalerNumbers(width=1, range_=np.ones((2, 1)))
    assert [name for name, _ in scaler.items()] == ["width", "range"]


# Who is told what ---------------------------------------------------------------------------------

FILLED = KNNImputerNumbers(
    missing=np.ones(1),
    rows=4,
    view=Kept("server's"),
    gaps=PerClient((np.array([0]), np.array([1, 2]))),
    fillings=PerClient((np.zeros(1), np.ones(2))),
)
FOLDED = TargetEncoderNumbers(
    folds=PerRow(np.array([0, 1, 0, 1])),
    grouped=False,
    categories=[],
    encodings=[],
    mean=0.5,
    classes=None,
    target=[],
)


def test_what_is_kept_is_not_told():
    assert FILLED.told.view is None
    assert FILLED.view.value == "server's"


@pytest.mark.parametrize(("numbers", "name"), [(FILLED, "gaps"), (FOLDED, "folds")])
def test_each_client_is_told_its_own(numbers, name):
    assert numbers.is_private
    told = numbers.part(PLACE)
    assert not told.is_private
    assert own(getattr(told, name)).tolist() == ([1, 2] if name == "gaps" else [0, 1])
    with pytest.raises(TypeError, match="numbers of all clients"):
        own(getattr(numbers, name))


@pytest.mark.parametrize("numbers", [FILLED, FOLDED])
def test_new_rows_need_nothing_of_fitted_ones(numbers):
    assert numbers.is_folded
    assert not numbers.settled.is_folded
    assert not numbers.settled.is_private


def test_lists_of_each_client():
    routed = RoutedColumnsNumbers(columns=PerClient(([np.zeros(1)], [np.ones(1), np.ones(2)])))
    assert [len(columns) for columns in own(routed.part(PLACE).columns)] == [1, 2]


# Reading what a peer sent -------------------------------------------------------------------------


def test_rows_and_columns_have_their_own_shapes():
    numbers = {"coef": np.ones(1), "intercept": 0.5, "alpha": 1, "lambda": np.float32(2)}
    whole = {**numbers, "sigma": np.ones((1, 1)), "scores": np.ones(0), "n_iter": 3}
    read = read_for_rows(decoded("BayesianRidge", **whole, X_offset=np.zeros(1)))
    assert read.numbers_as(BayesianRidgeNumbers).lambda_ == 2
    part = {"sizes": np.ones(1), "is_rotated": False, "n_iter": 3, "scores": np.ones(0)}
    read = read_for_columns(decoded("BayesianRidge", **numbers, **part))
    assert read.numbers_as(BayesianRidgePartNumbers).middle is None
    with pytest.raises(TypeError, match="BayesianRidge has BayesianRidgePartNumbers"):
        read.numbers_as(BayesianRidgeNumbers)
    with pytest.raises(TypeError, match="BayesianRidge has BayesianRidgePartNumbers"):
        read_for_rows(read)


def test_an_owner_may_need_nothing():
    assert isinstance(read_for_columns(decoded("OneHotEncoder")).numbers, Nothing)
    listed = decoded("OneHotEncoder", own=np.array([0]), listed=["drop"])
    assert isinstance(read_for_columns(listed).numbers, OwnColumnsNumbers)
    with pytest.raises(ValueError, match="has no 'columns' among the numbers of ColumnTransformer"):
        read_for_columns(decoded("ColumnTransformer"))


def test_steps_are_read_and_frozen_ones_are_not():
    frozen = Learned("FrozenEstimator", Parameters(), FrozenState({}), (decoded("X", a=1),))
    steps = (decoded("Binarizer"), frozen)
    read = read_for_rows(Learned("Pipeline", Parameters(), FrozenState({}), steps))
    assert [type(step.numbers) for step in read.steps] == [Nothing, Nothing]
    assert read.steps[1].steps[0].numbers.attributes == {"a": 1}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"count": None}, "must have an array as 'count'"),
        ({"count": 3.0}, "must have an array as 'count'"),
        ({"count": [1, 2]}, "must have an array as 'count'"),
        ({"weighted": 1}, "must have a truth value as 'weighted'"),
        ({"mean": "secret"}, "must have an array as 'mean'"),
        ({"secret": 1}, "has an unknown name"),
    ],
)
def test_bad_numbers(change, says):
    with pytest.raises(ValueError, match="StandardScaler$") as caught:
        read_for_rows(decoded("StandardScaler", **{**SCALER, **change}))
    assert str(caught.value) == f"{says} among the numbers of StandardScaler"
    with pytest.raises(ValueError, match="is not about a known estimator"):
        read_for_rows(decoded("secret", **SCALER))


@pytest.mark.parametrize("rows", [True, 1.5, np.array([3]), "3", None])
def test_a_whole_number_is_one(rows):
    with pytest.raises(ValueError, match="must have a whole number as 'rows'"):
        read_for_rows(decoded("MaxAbsScaler", largest=np.ones(1), rows=rows))
    assert read_for_rows(decoded("MaxAbsScaler", largest=np.ones(1), rows=np.int64(3)))


def test_what_is_kept_never_comes_from_a_peer():
    numbers = {"missing": np.ones(1), "rows": 4, "view": 1}
    with pytest.raises(ValueError, match="has an unknown name among the numbers of KNNImputer"):
        read_for_rows(decoded("KNNImputer", **numbers))
