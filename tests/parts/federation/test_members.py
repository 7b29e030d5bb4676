"""The clients of a federation: names of any kind, their schemas, targets by position."""

import sys
import uuid

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.linear_model import BayesianRidge
from sklearn.preprocessing import LabelEncoder, StandardScaler, TargetEncoder

import fedps
from fedps.client import Responder, open_table
from fedps.transports import LocalTransport

CELLS = np.arange(21.0).reshape(3, 7)
OSLO = pd.DataFrame({"age": [63.0, 67.0, 41.0], "pain": ["typical", "none", "none"]})
BERGEN = pd.DataFrame({"age": [57.0], "pain": ["none"]})


class Ward(tuple):
    """A name that prints as something else than it is."""

    __slots__ = ()

    def __str__(self):
        return f"ward {self[0]}"


NAMES = {
    "integers": [1, 2],
    "numpy": [np.int64(1), np.int64(2)],
    "mixed": [1, "two"],
    "tuples": [("oslo", 1), ("oslo", 2)],
    "ids": [uuid.UUID(int=1), uuid.UUID(int=2)],
    "own": [Ward([1]), Ward([2])],
    "none": [None, True],
}


@pytest.mark.parametrize("kind", NAMES)
def test_names_are_those_given(kind):
    first, second = NAMES[kind]
    parts = {first: CELLS[:2], second: CELLS[2:]}
    federation = fedps.Federation(parts, policy={second: fedps.Policy.open()})
    fitted, outputs = federation.fit_transform(StandardScaler())
    for found in (federation, outputs, federation.transform(fitted), federation.ledgers):
        assert [*found] == [first, second]
    assert federation.run.clients == (str(first), str(second))
    assert str(second) in str(federation.run)
    assert str(second) in repr(federation)
    assert str(second) in repr(federation.schema)
    assert federation[second].name == second
    np.testing.assert_allclose(fitted.mean_, CELLS.mean(axis=0))


@pytest.mark.parametrize("kind", NAMES)
def test_names_of_owners_of_columns(kind):
    first, second = NAMES[kind]
    X = pd.DataFrame({"a": [1.0, 2.0, 4.0], "b": [3.0, 1.0, 1.0], "y": [1.0, 2.0, 3.0]})
    federation = fedps.Federation(
        {first: X[["a"]], second: X[["b", "y"]]}, split="columns", target="y"
    )
    parts = federation.fit(StandardScaler())
    assert [*parts] == [*federation.transform(parts)] == [first, second]
    assert parts[first].mean_ == X["a"].mean()
    model = federation.fit(BayesianRidge())
    queries = {first: X[["a"]], second: X[["b"]]}
    np.testing.assert_array_equal(federation.predict(model, queries), federation.predict(model))
    assert str(first) in repr(parts)


def test_names_that_print_alike():
    text = (
        "the names 1 and '1' of two clients are both '1' in print, so reports and errors could not tell "
        "them apart. Give each a name of its own."
    )
    with pytest.raises(fedps.UsageError) as raised:
        fedps.Federation({1: CELLS, "1": CELLS})
    assert str(raised.value) == text
    with pytest.raises(fedps.UsageError, match="two clients are called 7"):
        fedps.Federation([(7, CELLS), (7, CELLS)])


def test_errors_call_clients_by_their_text():
    federation = fedps.Federation({1: CELLS, 2: np.full((1, 7), np.inf)})
    with pytest.raises(fedps.ClientError) as raised:
        federation.fit(StandardScaler())
    assert raised.value.clients == ("2",)
    assert str(raised.value).startswith("client '2' has an infinite")
    with pytest.raises(fedps.UsageError, match="a policy for '2', which is not a client"):
        fedps.Federation({1: CELLS, 2: CELLS}, policy={"2": fedps.Policy()})


def test_a_list_may_name_its_clients_by_numbers():
    federation = fedps.Federation([(10, CELLS), (20, CELLS)])
    assert [*federation] == [10, 20]
    assert 10 in federation
    assert federation[20].name == 20
    assert federation[0].name == 10  # as in the lists that it returns


# what a federation says about itself -----------------------------------------------------------


def test_a_federation_is_a_collection_of_clients():
    federation = fedps.Federation({"oslo": OSLO, "bergen": BERGEN})
    assert len(federation) == 2
    assert [*federation] == ["oslo", "bergen"]
    assert "oslo" in federation
    assert "turku" not in federation
    assert ["oslo"] not in federation  # what is not hashable is no name
    client = federation["oslo"]
    assert (client.name, client.rows, client.columns) == ("oslo", 3, ("age", "pain"))
    assert client.dtypes == {name: str(dtype) for name, dtype in OSLO.dtypes.items()}
    assert client.policy == fedps.Policy.open()
    assert client.ledger is federation.ledgers["oslo"]
    dtype = str(OSLO["pain"].dtype)
    assert repr(client).splitlines() == [
        "Client oslo: 3 rows, 2 columns",
        "  column  dtype",
        "  ------  -------",
        "  age     float64",
        f"  pain    {dtype}",
    ]
    assert repr(federation).splitlines() == [
        "Federation of 2 clients, split='rows': 4 rows, 2 columns",
        "  client  rows  columns",
        "  ------  ----  ---------",
        "  oslo       3  age, pain",
        "  bergen     1  age, pain",
    ]
    with pytest.raises(fedps.UsageError, match="no client 'olso'. Did you mean 'oslo'?"):
        federation["olso"]
    assert all(not ledger.entries for ledger in federation.ledgers.values())


def test_the_schema_of_a_federation():
    wider = OSLO.assign(extra=1)
    federation = fedps.Federation({"oslo": wider, "bergen": BERGEN}, target="pain")
    schema = federation.schema
    assert schema.clients == ("oslo", "bergen")
    assert schema.columns == ("age", "extra")
    assert schema.rows == {"oslo": 3, "bergen": 1}
    assert schema.dtypes["age"] == {"oslo": "float64", "bergen": "float64"}
    assert schema.dtypes["extra"] == {"oslo": "int64"}
    assert [*schema.target] == ["oslo", "bergen"]
    assert repr(schema).splitlines() == [
        "Schema: 2 clients, 2 columns",
        "  column    oslo     bergen",
        "  --------  -------  -------",
        "  age       float64  float64",
        "  extra     int64    -",
        "  (target)  object   object",
        "  (rows)    3        1",
    ]
    assert repr(federation).splitlines() == [
        "Federation of 2 clients, split='rows': 4 rows, 2 columns",
        "  client  rows  columns     target",
        "  ------  ----  ----------  -------------",
        "  oslo       3  age, extra  pain (object)",
        "  bergen     1  age         pain (object)",
    ]
    assert repr(federation["bergen"]).endswith("(target)  object")


def test_many_clients_and_columns_are_cut_short():
    federation = fedps.Federation([np.ones((2, 40))] * 30)
    assert repr(federation).splitlines()[-4:] == [
        "  client 20           2  0, 1, 2, 3 and 36 more",
        "  ... and 10 more",
        "",
        "Long lists are shortened: federation.schema.to_text(full=True) shows them whole.",
    ]
    schema = federation.schema
    end = "And 22 more clients: .to_text(full=True) shows them, too."
    assert repr(schema).endswith(f"\n\n{end}")
    whole = schema.to_text(full=True)
    assert "Clients 25 to 30" in whole
    assert all(f"client {i}" in whole for i in range(1, 31))
    assert repr(federation[0]).splitlines()[-3:] == [
        "  ... and 20 more",
        "",
        "Long lists are shortened: .to_text(full=True) shows them whole.",
    ]


def test_what_a_notebook_shows_of_a_federation():
    federation = fedps.Federation({"oslo": OSLO, "<b>": BERGEN}, target="pain")
    for shown in (federation, federation.schema, federation["<b>"], federation.ledgers):
        html = shown._repr_html_()
        assert html.startswith("<div><p")
        assert "<b>" not in html
        assert "&lt;b&gt;" in html


def test_what_a_policy_keeps_back_is_not_shown():
    policy = fedps.Policy(deny=["pain"])
    federation = fedps.Federation({"oslo": OSLO, "bergen": BERGEN}, policy=policy)
    assert federation.schema.columns == federation["oslo"].columns == ("age",)
    hidden = fedps.Federation({"oslo": OSLO}, policy=policy, target="pain")
    assert hidden.schema.target == {}


def test_showing_a_federation_reads_no_files(tmp_path):
    path = tmp_path / "oslo.csv"
    OSLO.to_csv(path, index=False)
    federation = fedps.Federation({"oslo": path, "bergen": BERGEN})
    assert repr(federation).splitlines() == [
        "Federation of 2 clients, split='rows'",
        "  client  rows  columns",
        "  ------  ----  ------------",
        "  oslo          not read yet",
        "  bergen     1  age, pain",
    ]
    assert federation["oslo"].rows == 3
    assert "  oslo       3  age, pain" in repr(federation).splitlines()


class Elsewhere:
    """Clients that can be reached by rounds only, and counts these."""

    def __init__(self, **tables):
        responders = {
            name: Responder(name, open_table(table), fedps.Policy.open())
            for name, table in tables.items()
        }
        self._local = LocalTransport(responders)
        self.rounds = 0

    def clients(self):
        return self._local.clients()

    def exchange(self, messages):
        self.rounds += 1
        return self._local.exchange(messages)


@pytest.mark.parametrize("other", [BERGEN, BERGEN.rename(columns={"pain": "Pain"})])
def test_over_an_engine_schemas_are_asked_for_once(other):
    """They are shown also where they do not fit together: that is when one looks."""
    transport = Elsewhere(oslo=OSLO, bergen=other)
    federation = fedps.Federation(transport)
    title = "Federation of 2 clients, split='rows'"
    assert repr(federation).splitlines() == [title, "  client", "  ------", "  oslo", "  bergen"]
    assert transport.rounds == 0
    assert federation.schema.rows == {"oslo": 3, "bergen": 1}
    assert federation["bergen"].columns == tuple(other.columns)
    assert transport.rounds == 1
    assert repr(federation).splitlines()[-1].startswith("  bergen     1  age, ")
    for what in ("policy", "ledger"):
        with pytest.raises(fedps.NotFederated, match=f"its own {what}: read it there"):
            getattr(federation["oslo"], what)


# targets ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make", [np.asarray, np.ndarray.tolist, sparse.csr_array, sparse.coo_array]
)
@pytest.mark.parametrize("target", [6, -1, 0, np.int64(2)])
def test_a_target_by_position(make, target):
    parts = [make(CELLS[:1]), make(CELLS[1:])]
    federation = fedps.Federation(parts, target=target)
    X, y = np.delete(CELLS, target, axis=1), CELLS[:, target]
    assert federation.fit(LabelEncoder()).classes_.tolist() == y.tolist()
    scaler = StandardScaler(with_mean=False)
    np.testing.assert_allclose(federation.fit(scaler).var_, scaler.fit(X).var_)
    assert federation.schema.columns == (0, 1, 2, 3, 4, 5)


def test_a_target_by_position_teaches():
    cells = np.column_stack([np.arange(40) % 3, np.arange(40) % 5]).astype(float)
    encoder = TargetEncoder(target_type="continuous")
    ours = fedps.fit(encoder, [cells[:15], cells[15:]], target=-1)
    pooled = encoder.fit(cells[:, :1], cells[:, 1])
    np.testing.assert_allclose(ours.encodings_[0], pooled.encodings_[0])


def test_a_target_by_label():
    """An integer is a label where columns have integers as labels, as in pandas."""
    frame = pd.DataFrame(CELLS[:, :3], columns=[2, 0, 1])
    assert fedps.fit(LabelEncoder(), [frame], target=0).classes_.tolist() == [1.0, 8.0, 15.0]


NO_TARGETS = {
    "beyond": (
        CELLS,
        7,
        "target=7: the array has 7 columns. Positions are 0 to 6, or -7 to -1 from the end.",
    ),
    "before": (
        CELLS,
        -8,
        "target=-8: the array has 7 columns. Positions are 0 to 6, or -7 to -1 from the end.",
    ),
    "named": (
        OSLO,
        0,
        (
            "target: there is no column '0', and this table goes by name. At position 0 it has "
            "'age': target='age'."
        ),
    ),
    "polars": (
        pl.DataFrame({"a": [1.0]}),
        -1,
        (
            "target: there is no column '-1', and this table goes by name. At position -1 it has "
            "'a': target='a'."
        ),
    ),
    "nameless": (
        CELLS,
        "y",
        (
            "target: there is no column 'y': the table has no column names. Give its position, such as "
            "target=0."
        ),
    ),
}


@pytest.mark.parametrize("case", NO_TARGETS)
def test_a_target_that_is_not_there(case):
    table, target, text = NO_TARGETS[case]
    with pytest.raises(fedps.UsageError) as raised:
        fedps.Federation({"oslo": table}, target=target)
    assert str(raised.value) == f"client 'oslo': {text}"


@pytest.mark.parametrize("target", [True, 1.5, ["y"]])
def test_what_is_no_target(target):
    with pytest.raises(fedps.UsageError, match="give the name of a column"):
        fedps.Federation([CELLS], target=target)


def test_owners_of_columns_name_their_target():
    with pytest.raises(fedps.UsageError, match="target is a int: give the name of a column"):
        fedps.Federation([CELLS, CELLS], split="columns", target=6)


# saved fits ------------------------------------------------------------------------------------


def test_saving_and_loading(tmp_path):
    fitted = fedps.fit(StandardScaler(), [CELLS])
    (path,) = fedps.save(fitted, tmp_path / "prep.skops")
    again = fedps.load(path)
    assert type(again) is StandardScaler
    np.testing.assert_array_equal(again.transform(CELLS), fitted.transform(CELLS))


def test_saving_the_parts_of_owners(tmp_path):
    federation = fedps.Federation(
        {1: OSLO[["age"]], 2: OSLO[["age"]].add_prefix("mean_")}, split="columns"
    )
    parts = federation.fit(StandardScaler())
    paths = fedps.save(parts, tmp_path / "prep.skops")
    assert [path.name for path in paths] == ["prep-1.skops", "prep-2.skops"]
    assert fedps.load(paths[1]).mean_ == parts[2].mean_


def test_saving_needs_skops(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "skops.io", None)
    monkeypatch.setitem(sys.modules, "skops", None)
    with pytest.raises(fedps.UsageError, match=r"pip install 'fedps\[save\]'"):
        fedps.save(fedps.fit(StandardScaler(), [CELLS]), tmp_path / "prep.skops")
