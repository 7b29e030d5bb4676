"""min_count: the fewest cells, or people, that a category, a label beside one, or an odd cell may stand for."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    OneHotEncoder,
    OrdinalEncoder,
    StandardScaler,
    TargetEncoder,
)

from fedps import Refused
from tests.parts.rules.limits import fit, numbers, on, only, people, refused

FIVE = only(min_count=5)
BY_PERSON = only(min_count=5, unit="person")
ODD = "needs 5 cells that differ from a column's most frequent value, or none"


def towns(fulda, unit=1, rows=60):
    """Return people of Oslo and Hamar, and a few of Fulda; each person has so many rows."""
    names = ["Fulda"] * fulda + ["Oslo", "Hamar"] * ((rows - fulda) // 2 + 1)
    table = pd.DataFrame({"town": names[:rows], "x": numbers(rows)})
    return table.assign(person=np.arange(rows) // unit)


def named(table, policy, encoder=None):
    encoder = encoder or OneHotEncoder(handle_unknown="ignore")
    fitted, limits = fit(on(encoder, "town"), table, policy)
    (step,) = (step for _, step, _ in fitted.transformers_[:1])
    return list(step.categories_[0]), limits


# Categories -------------------------------------------------------------------------------------

ENCODERS = [
    OneHotEncoder(handle_unknown="ignore"),
    OneHotEncoder(handle_unknown="infrequent_if_exist", min_frequency=6),
    OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
]


@pytest.mark.parametrize("encoder", ENCODERS, ids=["unknown", "infrequent", "ordinal"])
def test_a_category(encoder):
    assert named(towns(5), FIVE, encoder) == (["Fulda", "Hamar", "Oslo"], [])
    found, (limit,) = named(towns(4), FIVE, encoder)
    assert "Fulda" not in found
    assert {"Hamar", "Oslo"} <= set(found)
    assert (limit.column, limit.rule) == ("town", "min_count")
    assert limit.shown == "only categories of at least 5 cells"


def refused_category(table, policy):
    with pytest.raises(Refused, match="needs all of them") as caught:
        named(table, policy, OneHotEncoder())
    return str(caught.value)


def test_a_category_that_must_be_known():
    assert named(towns(5), FIVE, OneHotEncoder())[0] == ["Fulda", "Hamar", "Oslo"]
    text = refused_category(towns(4), FIVE)
    assert "'Fulda'" not in text


def test_a_category_of_people():
    assert "Fulda" in named(towns(10, unit=2), BY_PERSON)[0]
    found, (limit,) = named(towns(8, unit=2), BY_PERSON)  # four people
    assert found == ["Hamar", "Oslo"]
    assert limit.client == "oslo"


def test_a_category_that_is_guessed():
    """Whether a given category occurs is not told of fewer cells, nor how often."""
    guess = OneHotEncoder(
        categories=[["Fulda", "Hamar", "Oslo"]], min_frequency=1, sparse_output=False
    )
    for number, counted in ((5, True), (4, False)):
        _, limits = fit(on(guess, "town"), towns(number), FIVE)
        assert bool(limits) != counted


# Labels beside a category -----------------------------------------------------------------------


def labelled(no, yes):
    """Return Fulda with so many labels of each kind, and a town that is large."""
    table = pd.DataFrame({"town": ["Fulda"] * (no + yes) + ["Oslo"] * 40})
    return table.assign(y=["no"] * no + ["yes"] * yes + ["no", "yes"] * 20)


def test_a_label_beside_a_category():
    fitted, limits = fit(TargetEncoder(smooth=0.0), labelled(5, 10), FIVE, target="y")
    assert limits == []
    np.testing.assert_allclose(fitted.encodings_[0], [10 / 15, 0.5])
    fitted, (limit,) = fit(TargetEncoder(smooth=0.0), labelled(4, 10), FIVE, target="y")
    assert limit.rule == "min_count"
    # all rows less Fulda's ten and Oslo's would be the four: so Fulda is not there at all
    assert limit.bound.startswith("14 of 54 rows are left out of the encodings")
    assert fitted.categories_[0].tolist() == ["Oslo"]


def test_a_label_of_all_rows():
    table = towns(20).assign(y=["rare"] * 5 + ["often"] * 55)
    fit(TargetEncoder(), table[["town", "y"]], FIVE, target="y")
    table.loc[4, "y"] = "often"
    text = refused(
        "min_count",
        "needs 5 rows of each label of the target",
        TargetEncoder(),
        table[["town", "y"]],
        FIVE,
        target="y",
    )
    assert "'rare'" not in text


# Odd cells --------------------------------------------------------------------------------------


def few(odd, rows=40, unit=1):
    """Return a column of zeros, but for a few cells."""
    cells = np.where(np.arange(rows) < odd, numbers(rows), 0.0)
    return pd.DataFrame({"x": cells, "person": np.arange(rows) // unit})


def test_cells_that_stand_out():
    fit(on(StandardScaler(), "x"), few(5), FIVE)
    fit(on(StandardScaler(), "x"), few(0), FIVE)
    for odd in (4, 1):
        text = refused("min_count", ODD, on(StandardScaler(), "x"), few(odd), FIVE)
        assert "on column 'x'" in text


def test_cells_that_stand_out_of_few_people():
    fit(on(StandardScaler(), "x"), few(10, unit=2), BY_PERSON)
    refused("min_count", ODD, on(StandardScaler(), "x"), few(8, unit=2), BY_PERSON)


LOOKUPS = [
    make_pipeline(
        OneHotEncoder(categories=[["Fulda"]], handle_unknown="ignore"),
        StandardScaler(with_mean=False),
    ),
    make_pipeline(
        OrdinalEncoder(
            categories=[["Fulda"]], handle_unknown="use_encoded_value", unknown_value=-1
        ),
        StandardScaler(),
    ),
]


@pytest.mark.parametrize("steps", LOOKUPS, ids=["one-hot", "ordinal"])
def test_cells_that_stand_out_of_a_derived_column(steps):
    fit(on(steps, "town"), towns(5), FIVE)
    refused("min_count", ODD, on(steps, "town"), towns(4), FIVE)


def test_cells_above_a_threshold():
    table = pd.DataFrame({"x": np.arange(40.0)})
    fit(on(make_pipeline(Binarizer(threshold=34.5), StandardScaler()), "x"), table, FIVE)
    steps = make_pipeline(Binarizer(threshold=35.5), StandardScaler())
    refused("min_count", ODD, on(steps, "x"), table, FIVE)


# Markers of missing cells -----------------------------------------------------------------------

MARKED = [
    SimpleImputer(missing_values=-1.0),
    SimpleImputer(missing_values=-1.0, strategy="constant", fill_value=0.0),
    MissingIndicator(missing_values=-1.0),
]


@pytest.mark.parametrize("step", MARKED, ids=["mean", "constant", "indicator"])
def test_a_marker_of_missing_cells(step):
    """A marker is the server's choice: it could be any value, and its count a look-up."""
    table = pd.DataFrame({"x": numbers(40)})
    table.loc[:4, "x"] = -1.0
    fit(on(step, "x"), table, FIVE)
    table.loc[4, "x"] = 99.0
    limit = "needs 5 cells that equal missing_values, or none"
    refused("min_count of markers", limit, on(step, "x"), table, FIVE)
    fit(on(step, "x"), table.replace({"x": {-1.0: 98.0}}), FIVE)


def test_nan_is_nobodys_choice():
    table = people(*[1] * 40)
    table.loc[0, "x"] = np.nan
    fit(on(SimpleImputer(), "x"), table, FIVE)
