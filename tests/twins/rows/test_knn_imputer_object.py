"""What a fitted KNNImputer across clients is: what it asks, shows, keeps and refuses."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.impute import KNNImputer

import fedps
from fedps.errors import NotFederated, Refused, UsageError
from tests.twins.nearest import close, numbers, rows_of, with_empty_column
from tests.twins.partitions import thirds

# Rounds, and what is shown ----------------------------------------------------------------------


def test_rounds_and_who_is_asked():
    federation = fedps.Federation(thirds(numbers()))
    fitted = federation.fit(KNNImputer())
    assert federation.run.rounds == 1
    federation.transform(fitted)
    assert federation.run.rounds == 2
    fitted.transform(numbers(1))
    assert federation.run.rounds == 1
    assert {row.statistic for row in federation.run.asks} == {"Donors", "Moments"}
    # of a column that a client has nothing in, all its rows are incomplete: that takes a round
    clients = thirds(numbers())
    clients[1][:, 0] = np.nan
    federation = fedps.Federation(clients)
    federation.fit_transform(KNNImputer())
    assert federation.run.rounds == 3


def test_a_column_of_nothing_makes_no_row_incomplete():
    cells = with_empty_column()
    cells[:, :4] = numbers(share=0)
    federation = fedps.Federation(thirds(cells))
    _, outputs = federation.fit_transform(KNNImputer())
    assert federation.run.rounds == 1
    assert max(federation.run.bytes_up.values()) < 500
    close(rows_of(outputs), cells[:, :4])


def test_policies_refuse_rows():
    federation = fedps.Federation({"oslo": numbers(), "bergen": numbers(1)}, policy=fedps.Policy())
    with pytest.raises(Refused) as caught:
        federation.fit_transform(KNNImputer())
    assert str(caught.value) == (
        "clients 'oslo' and 'bergen' refused Incomplete: the policy there (level) allows SUMMARY, this "
        "needs ROWS. It would show the server: every row with a missing cell, as it is; the server "
        "sends these rows to all other clients. Use SimpleImputer or IterativeImputer, which need "
        "less, or ask the data owner to raise level in the policy. [round 1]"
    )
    with pytest.raises(
        Refused, match="for each missing cell of the incomplete rows of all clients"
    ):
        federation.fit(KNNImputer())


def test_explain_says_what_follows():
    explained = fedps.Federation(thirds(numbers())).explain(KNNImputer())
    assert any("(level ROWS)" in text for text in explained.further)
    assert "ROWS" in str(explained)


# The object -------------------------------------------------------------------------------------


def test_the_object_keeps_no_rows():
    federation = fedps.Federation(thirds(numbers()))
    fitted = federation.fit_transform(KNNImputer(n_neighbors=3))[0]
    assert repr(fitted) == "FederatedKNNImputer(n_neighbors=3)"
    assert len(pickle.dumps(fitted)) < 2000
    loaded = pickle.loads(pickle.dumps(fitted))
    with pytest.raises(UsageError, match="is not connected to a federation"):
        loaded.transform(numbers())
    close(loaded.transform(numbers(share=0)), numbers(share=0))
    close(rows_of(federation.transform(loaded)), KNNImputer(n_neighbors=3).fit_transform(numbers()))
    assert type(clone(fitted)) is KNNImputer
    with pytest.raises(UsageError, match="fitted across clients"):
        fitted.fit(numbers())


def test_it_belongs_to_its_federation():
    fitted = fedps.Federation(thirds(numbers())).fit(KNNImputer())
    other = fedps.Federation(thirds(numbers(1, share=0.3)))
    with pytest.raises(UsageError, match="fitted by another federation"):
        other.transform(fitted)
    with pytest.raises(UsageError, match="fitted on different rows"):
        other.transform(pickle.loads(pickle.dumps(fitted)))


def test_what_is_refused():
    federation = fedps.Federation(thirds(numbers()))
    with pytest.raises(NotFederated, match="clients, which run no function"):
        federation.fit(KNNImputer(metric=lambda a, b, **_: 0.0))
    with pytest.raises(UsageError, match="is not a number"):
        federation.fit(KNNImputer(missing_values="?"))
    with pytest.raises(ValueError, match="n_neighbors"):
        federation.fit(KNNImputer(n_neighbors=0))
    cells = numbers()
    cells[0, 0] = np.inf
    with pytest.raises(fedps.ClientError, match="infinite"):
        fedps.Federation(thirds(cells)).fit(KNNImputer())
    with pytest.raises(fedps.ClientError, match="missing values"):
        federation.fit(KNNImputer(missing_values=-1))
    with pytest.raises(fedps.ClientError, match="sparse table"):
        fedps.Federation([sparse.csr_array(np.eye(9))]).fit(KNNImputer())
