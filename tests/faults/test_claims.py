"""Clients that claim more rows than they have: refused by name, at no cost, and a quorum goes on."""

from __future__ import annotations

import time
import tracemalloc
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.preprocessing import (
    KBinsDiscretizer,
    QuantileTransformer,
    StandardScaler,
    TargetEncoder,
)
from sklearn.utils import resample

import fedps
from fedps.draws.pooled_rows import TooManyRows, check_pooled
from fedps.draws.samples import rows_drawn
from fedps.errors import ClientError, FedPSError, PeerError, UsageError
from fedps.plans.rows.kmeans.starts import AllRows, drawn_starts
from fedps.plans.rows.power.power_column import PowerColumn
from fedps.plans.rows.target_encoder import target_encoder
from fedps.protocol.plan import View
from fedps.protocol.pooled import Pooled
from fedps.statistics import Schema
from tests.faults.faulty import local
from tests.faults.lying import Lying

NUMBERS = np.random.default_rng(0).normal(size=(300, 2))
TABLES = {
    name: pd.DataFrame(NUMBERS[i * 100 : i * 100 + 100], columns=["age", "chol"])
    for i, name in enumerate(("bergen", "liar", "oslo"))
}
HONEST = {name: table for name, table in TABLES.items() if name != "liar"}


def lying(claim, tables=TABLES, **options):
    return fedps.Federation(Lying(local(tables), {"liar": claim}), **options)


# The most that is believed ------------------------------------------------------------------------


def test_the_most_rows_that_a_client_may_claim():
    assert fedps.Federation(TABLES, max_rows=100).fit(StandardScaler()).n_samples_seen_ == 300


def test_a_claim_above_that():
    federation = lying(101, max_rows=100)
    with pytest.raises(PeerError) as caught:
        federation.fit(StandardScaler())
    assert str(caught.value) == (
        "client 'liar' claims 101 rows, and max_rows=100 is the most that is believed: the number of rows is "
        "a client's weight in every result. Leave the client out, or raise max_rows if it has as many. "
        "[round 1]"
    )
    assert caught.value.clients == ("liar",)


@pytest.mark.parametrize("claim", [2**31 + 1, 2**50, 2**52])
def test_more_than_anyone_has_by_default(claim):
    with pytest.raises(PeerError, match=f"claims {claim} rows"):
        lying(claim).fit(StandardScaler())
    with pytest.raises(PeerError, match=f"claims {claim} rows"):
        lying(claim).explain(StandardScaler())


def test_all_that_claim_too_much_are_named():
    with pytest.raises(PeerError) as caught:
        fedps.Federation(TABLES, max_rows=99).fit(StandardScaler())
    assert set(caught.value.clients) == set(TABLES)


@pytest.mark.parametrize("claim", [101, 2**52])
def test_a_quorum_goes_on_without_the_client(claim):
    federation = lying(claim, max_rows=100, quorum=2)
    found = federation.fit(StandardScaler())
    assert found.mean_.tolist() == fedps.fit(StandardScaler(), HONEST).mean_.tolist()
    assert [each.client for each in federation.run.left_out] == ["liar"]
    assert federation.run.rows == 200


@pytest.mark.parametrize("max_rows", [0, -1, 1.5, True, "100", None])
def test_not_a_number_of_rows(max_rows):
    with pytest.raises(UsageError, match="max_rows must be a number of rows"):
        fedps.Federation(TABLES, max_rows=max_rows)


# One client with nearly all rows -----------------------------------------------------------------


def run_of(*rows, **options):
    tables = {f"client {i}": np.ones((n, 1)) for i, n in enumerate(rows)}
    federation = fedps.Federation(tables, **options)
    federation.fit(StandardScaler())
    return federation.run


@pytest.mark.parametrize("rows", [(90, 10), (5,), (50, 30, 20), (0, 9, 1)])
def test_no_note_where_no_client_has_nearly_all_rows(rows):
    assert run_of(*rows).notes == []


@pytest.mark.parametrize("rows", [(91, 9), (9, 91), (1, 1, 99)])
def test_a_note_where_one_has(rows):
    run, (most, total) = run_of(*rows), (max(rows), sum(rows))
    text = (
        f"client 'client {rows.index(most)}' says that it has {most} of {total} rows, {most / total:.1%} of "
        "them: the result is nearly its own. max_rows= limits what a client may claim."
    )
    assert run.notes == run.to_dict()["notes"] == [text]
    assert text in run.to_markdown()
    assert "To note" in str(run)


def test_the_note_is_about_those_that_take_part():
    policies = {"client 1": fedps.Policy(min_rows=1000)}
    assert run_of(91, 5, 4, quorum=2).notes
    assert run_of(91, 95, 9, quorum=2, policy=policies).notes[0].startswith("client 'client 0'")


def test_a_sole_client_has_all_rows_without_a_note():
    assert run_of(0, 9).notes  # the other one has none
    assert not run_of(9).notes


# Draws --------------------------------------------------------------------------------------------

CLAIM = 200_000_000


def by_rule(*estimators):
    """Return estimators on columns that are known only with the schemas, which claim the rows."""
    columns = make_column_selector("age")
    return make_column_transformer(*((estimator, columns) for estimator in estimators))


DRAWS = {
    "quantiles": (
        by_rule(QuantileTransformer(n_quantiles=5, subsample=50, random_state=0)),
        TABLES,
    ),
    "quantiles of several": (
        by_rule(StandardScaler(), QuantileTransformer(n_quantiles=5, subsample=50)),
        TABLES,
    ),
}


def measured(call):
    """Return the error of a call, the most memory that it took, and the seconds."""
    tracemalloc.start()
    started = time.process_time()
    try:
        with pytest.raises(FedPSError) as caught:
            call()
        return caught.value, tracemalloc.get_traced_memory()[1], time.process_time() - started
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", DRAWS)
def test_a_draw_from_claimed_rows(name):
    estimator, tables = DRAWS[name]
    error, memory, seconds = measured(lambda: lying(CLAIM, tables).fit(estimator))
    text = f"client 'liar' claims {CLAIM} of {CLAIM + 200} rows, and here a draw is made from at most 16777216. "
    assert isinstance(error, TooManyRows)
    assert str(error).startswith(text)
    assert "or leave the client out." in str(error)
    assert error.clients == ("liar",)
    assert memory < 2**25
    assert seconds < 5


@pytest.mark.parametrize("name", DRAWS)
def test_a_quorum_goes_on_without_claimed_rows(name):
    estimator, tables = DRAWS[name]
    federation = lying(CLAIM, tables, quorum=2)
    federation.fit(estimator)
    assert [each.client for each in federation.run.left_out] == ["liar"]


def test_rows_that_may_be_drawn_again_cost_only_the_sample():
    """The answers then tell that the client has fewer."""
    binner = by_rule(KBinsDiscretizer(3, subsample=50, random_state=0, quantile_method="linear"))
    error, memory, seconds = measured(lambda: lying(CLAIM).fit(binner))
    assert isinstance(error, ClientError | PeerError)
    assert memory < 2**25
    assert seconds < 5


def test_an_explanation_of_claimed_rows():
    estimator, tables = DRAWS["quantiles"]
    with pytest.raises(TooManyRows, match="client 'liar' claims"):
        lying(CLAIM, tables).explain(estimator)


def claimed():
    """Return the rows of two clients as a plan sees them where all answers fit the claim of one."""
    table = Schema("pandas", ("age",), 1, ("float64",), CLAIM + 100)
    return View(Pooled(table, heights=(CLAIM, 100), remote=True), used=True)


def first_centres():
    rows = AllRows(np.array([CLAIM, 100]), np.zeros(1), np.dtype(np.float64))
    next(drawn_starts(KMeans(2, init="random"), 1, claimed(), rows))


def folds():
    plan = target_encoder(TargetEncoder(target_type="continuous"), claimed())
    next(plan)
    plan.send((SimpleNamespace(clients=None, kinds=[]), []))


def constant():
    same = SimpleNamespace(count=CLAIM, nan=1, minimum=7.0, maximum=7.0)
    PowerColumn(0, same, "yeo-johnson", np.float64).begin(claimed())


@pytest.mark.parametrize("draw", [first_centres, folds, constant])
def test_a_draw_after_answers_that_fit_the_claim(draw):
    error, memory, seconds = measured(draw)
    assert isinstance(error, TooManyRows)
    assert memory < 2**25
    assert seconds < 5


def test_at_the_limit():
    check_pooled((2**24 - 10, 10), "Draw less")
    with pytest.raises(TooManyRows):
        check_pooled((2**24 - 9, 10), "Draw less")
    large = 10**6
    check_pooled((63 * large, large), "Draw less")
    with pytest.raises(TooManyRows):
        check_pooled((63 * large + 1, large), "Draw less")


@pytest.mark.parametrize("replace", [True, False])
@pytest.mark.parametrize(("rows", "size"), [(10, 3), (1000, 999), (100_000, 777)])
def test_the_rows_that_scikit_learn_draws(rows, size, replace):
    state = np.random.RandomState(3)
    found = rows_drawn(rows, size, state, replace=replace)
    wanted = resample(np.arange(rows), replace=replace, n_samples=size, random_state=state)
    assert found.tolist() == wanted.tolist()
