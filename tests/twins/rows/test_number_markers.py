"""SimpleImputer where a number marks missing cells among text, across clients and pooled."""

import numpy as np
import pandas as pd
import pytest
from sklearn.impute import SimpleImputer

import fedps
from fedps.questions import frequent
from tests.twins.partitions import EVERY, FEW, thirds
from tests.twins.twin import check, cross


def marked(marker=0, seed=0):
    """Return text beside a number, a column of numbers, and one of nothing but markers."""
    rng = np.random.default_rng(seed)
    choices = ([marker, "a", "b", "c"], [marker, "b", "a"], [marker, 1, 2], [marker])
    columns = [rng.choice(np.array(each, dtype=object), 40) for each in choices]
    return np.array(columns, dtype=object).T


def frame():
    return pd.DataFrame(marked(), columns=list("abcd"))


def with_none():
    """None is a value like any other where a number is the marker."""
    cells = marked(seed=1)
    cells[::2, 0] = None
    cells[1::3, 2] = None
    return cells


def with_nan():
    cells = marked()
    cells[7, 1] = np.nan
    return cells


def at_one_end():
    """The first rows have no text, the last ones no marker."""
    cells = marked()
    cells[:15, 0] = 0
    cells[25:, 0] = "z"
    return cells


def fractions():
    return marked(-1.5)


MODE = SimpleImputer(missing_values=0, strategy="most_frequent")
SETTINGS = {
    "array": (MODE, marked),
    "frame": (MODE, frame),
    "none": (MODE, with_none),
    "nan": (MODE, with_nan),
    "at-one-end": (MODE, at_one_end),
    "fraction": (SimpleImputer(missing_values=-1.5, strategy="most_frequent"), fractions),
    "float-for-int": (SimpleImputer(missing_values=0.0, strategy="most_frequent"), marked),
    "indicator": (
        SimpleImputer(missing_values=0, strategy="most_frequent", add_indicator=True),
        marked,
    ),
    "kept": (
        SimpleImputer(missing_values=0, strategy="most_frequent", keep_empty_features=True),
        marked,
    ),
    "constant": (SimpleImputer(missing_values=0, strategy="constant", fill_value="?"), frame),
}


@pytest.mark.parametrize(("imputer", "table", "partition"), cross(SETTINGS, *EVERY))
def test_numbers_among_text(imputer, table, partition):
    check(imputer, partition(table()))


@pytest.mark.parametrize("partition", FEW, ids=lambda partition: partition.__name__)
def test_columns_of_which_not_all_values_are_sent(partition, monkeypatch):
    for name in ("WHOLE", "LIMIT"):
        monkeypatch.setattr(frequent, name, 150)
        monkeypatch.setattr(f"fedps.plans.shared.frequent.{name}", 150)
    rng = np.random.default_rng(0)
    cells = rng.choice(np.array([0, *map(str, range(9)), *"xxxxxx"], dtype=object), (300, 2))
    check(MODE, partition(cells))


def test_another_number_is_not_text():
    cells = marked()
    cells[3, 0] = 5
    with pytest.raises(fedps.ClientError, match="cells of mixed types"):
        fedps.fit(MODE, thirds(cells))


def test_a_sketch_knows_no_marker():
    with pytest.raises(fedps.ClientError, match="cells of mixed types"):
        fedps.fit(MODE, thirds(marked()), frequent=fedps.FrequentItems(k=50))
