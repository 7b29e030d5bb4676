"""With a quorum, clients whose tables differ from those of more than half are left out, and the run says why."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

import fedps
from tests.twins.compare import assert_same_fit

GOOD = {
    name: pd.DataFrame({"x": [1.0 + i, 2.0, 5.0], "city": ["a", "b", "a"]})
    for i, name in enumerate(("oslo", "bergen", "turku"))
}
ODD = {
    "text": pd.DataFrame({"x": pd.Series(["1", "2"], dtype="string"), "city": ["a", "c"]}),
    "objects": pd.DataFrame({"x": [1.0, 2.0], "city": pd.Series([1, 2], dtype=object)}),
    "times": pd.DataFrame({"x": pd.to_datetime(["2020-01-01"]), "city": ["a"]}),
    "names": pd.DataFrame({"X": [1.0, 2.0], "city": ["a", "c"]}),
    "array": np.ones((2, 2)),
}
MODEL = make_column_transformer((StandardScaler(), ["x"]), (OneHotEncoder(), ["city"]))


@pytest.mark.parametrize("place", [0, 2, 3], ids=["first", "middle", "last"])
@pytest.mark.parametrize("kind", ODD)
def test_left_out(kind, place):
    names = list(GOOD)
    names.insert(place, "malmo")
    federation = fedps.Federation({n: GOOD.get(n, ODD[kind]) for n in names}, quorum=3)
    fitted = federation.fit(MODEL)
    assert_same_fit(fitted, MODEL.fit(pd.concat(GOOD.values())))
    assert federation.run.clients == tuple(GOOD)
    (lost,) = federation.run.left_out
    assert lost.client == "malmo"
    assert "malmo" in lost.reason


def test_two_of_five_are_left_out():
    clients = GOOD | {"malmo": ODD["text"], "lund": ODD["times"]}
    federation = fedps.Federation(clients, quorum=3)
    federation.fit(MODEL)
    assert sorted(lost.client for lost in federation.run.left_out) == ["lund", "malmo"]


def test_not_without_a_quorum():
    with pytest.raises(fedps.errors.Disagreement) as caught:
        fedps.fit(MODEL, GOOD | {"malmo": ODD["text"]})
    assert caught.value.clients == ("malmo",)


def test_too_few_are_left():
    with pytest.raises(fedps.errors.Disagreement, match="there are fewer clients than quorum=4"):
        fedps.Federation(GOOD | {"malmo": ODD["text"]}, quorum=4).fit(MODEL)


def test_half_of_the_clients_are_no_majority():
    clients = {"oslo": GOOD["oslo"], "malmo": ODD["text"]}
    with pytest.raises(fedps.errors.Disagreement, match="quorum= does not help") as caught:
        fedps.Federation(clients, quorum=1).fit(MODEL)
    assert caught.value.clients == ()


def test_cells_that_differ_show_in_the_answers():
    odd = np.array([["a"], ["b"]], dtype=object)
    clients = {
        "a": np.array([[1], [2]], dtype=object),
        "b": odd,
        "c": np.array([[3]], dtype=object),
    }
    federation = fedps.Federation(clients, quorum=2)
    assert federation.fit(OrdinalEncoder()).categories_[0].tolist() == [1, 2, 3]
    assert [lost.client for lost in federation.run.left_out] == ["b"]
