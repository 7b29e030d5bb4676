"""scikit-learn's warnings across clients: those of the pooled call, each once, at the caller's line."""

import re
import threading
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.preprocessing import (
    FunctionTransformer,
    MultiLabelBinarizer,
    OneHotEncoder,
    QuantileTransformer,
)

import fedps
from tests.twins.rows.warning_cases import CASES, NUMBERS, ROWS

TALK = QuantileTransformer()  # 1000 quantiles of 60 rows
DIGITS = re.compile(r"(?<=optimal lambda is )\S+")  # the last of which are rounding


def parts(table):
    cuts = [slice(0, 20), slice(20, 45), slice(45, ROWS)]
    if hasattr(table, "iloc"):
        return [table.iloc[cut].reset_index(drop=True) for cut in cuts]
    return [table[cut] for cut in cuts]


def federation(table, target):
    if target is None:
        return fedps.Federation(parts(table))
    table = pd.DataFrame({"x": np.zeros(ROWS)}) if table is None else table
    return fedps.Federation(list(zip(parts(table), parts(target), strict=True)))


def heard(call):
    """Return what a call returns or raises, and its warnings."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        try:
            result = call()
        except Exception as error:  # noqa: BLE001 - the pooled call may fail, and ours then
            result = error
    return result, found


def texts(found):
    return sorted((w.category.__name__, DIGITS.sub("...", str(w.message))) for w in found)


def same(ours, pooled):
    """Assert the same warnings, ours once and from this file, unless both calls fail."""
    (result, mine), (wanted, theirs) = ours, pooled
    assert isinstance(result, Exception) == isinstance(wanted, Exception), (result, wanted)
    if not isinstance(wanted, Exception):
        assert texts(mine) == sorted(set(texts(theirs)))
        assert {w.filename for w in mine} <= {__file__}


@pytest.mark.parametrize("name", CASES)
def test_as_pooled(name):
    estimator, table, target = CASES[name]
    clients = federation(table, target)
    given = (target,) if table is None else (table, target)
    pooled, first = heard(lambda: clone(estimator).fit(*given))
    fitted, second = heard(lambda: clients.fit(estimator))
    same((fitted, second), (pooled, first))
    transform = heard(lambda: pooled.transform(given[0]))
    same(heard(lambda: clients.transform(fitted)), transform)
    fit_transform = heard(lambda: clone(estimator).fit_transform(*given))
    same(heard(lambda: clients.fit_transform(estimator)), fit_transform)


@pytest.mark.parametrize("name", CASES)
def test_explain_warns_of_nothing_that_it_cannot_know(name):
    estimator, table, target = CASES[name]
    found = heard(lambda: federation(table, target).explain(estimator))[1]
    assert all(w.filename == __file__ for w in found)
    assert not any("not reached" in str(w.message) for w in found)


def test_no_cells():
    sets = pd.Series([("a",), ("b", "secret"), ("a", "b")])
    clients = fedps.Federation([(pd.DataFrame({"x": np.zeros(3)}), sets)] * 2)
    fitted = clients.fit(MultiLabelBinarizer(classes=["a", "b"]))
    _, found = heard(lambda: clients.transform(fitted))
    assert texts(found) == [("UserWarning", "unknown class(es) will be ignored")]


def test_the_user_decides():
    clients = federation(NUMBERS, None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="n_quantiles"):
            clients.fit(TALK)
        warnings.filterwarnings("ignore", message="n_quantiles")
        clients.fit(TALK)
    before = warnings.filters[:], warnings.showwarning
    with pytest.warns(UserWarning, match="n_quantiles"):
        clients.fit(TALK)
    assert (warnings.filters[:], warnings.showwarning) == before


def test_after_an_error_warnings_are_as_before():
    before = warnings.filters[:], warnings.showwarning
    with pytest.raises(fedps.FedPSError):
        federation(NUMBERS, None).fit(OneHotEncoder(max_categories=2), sample_weight="none")
    assert (warnings.filters[:], warnings.showwarning) == before


def test_federations_in_several_threads():
    before = warnings.filters[:], warnings.showwarning
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        clients = [federation(NUMBERS, None) for _ in range(4)]
        threads = [threading.Thread(target=one.fit, args=(TALK,)) for one in clients]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert 1 <= len(found) <= 4
    assert (warnings.filters[:], warnings.showwarning) == before


def test_what_a_function_says_at_each_client():
    def speak(table):
        warnings.warn("from a function", UserWarning, stacklevel=1)
        return table

    clients = federation(NUMBERS, None)
    _, found = heard(lambda: clients.fit_transform(FunctionTransformer(speak)))
    assert texts(found) == [("UserWarning", "from a function")]
