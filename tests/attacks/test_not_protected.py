"""What no rule stops, and what bounds it. docs/privacy.md says so first; these tests hold it to be true.

A tracker asks for sums over two large groups that differ by a few rows, and subtracts. Each sum is an ordinary
one. All that helps is that each number is charged to every column that it is about: not more cells are read
than the budget has numbers. Who wants to see the pipelines that do this sets ``consent = "owner"``.
"""

from itertools import count

import numpy as np
import pandas as pd
import pytest
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Binarizer, OrdinalEncoder, StandardScaler

import fedps
from fedps.client import Policy
from fedps.learned.encoders import CategoryEncoderNumbers
from fedps.statistics import Moments
from tests.attacks.hostile import ROWS, Victim, is_no, people
from tests.attacks.readings import THE_PERSON, Scene, frozen_one_hot, multiplied, on, sums_of

MOST = int(0.33 * ROWS)
TOWNS = ("Berlin", "Jena", "Köln")


def alone():
    """Return a federation of one client with 300 people, under the default preset."""
    return fedps.Federation({"oslo": people()}, policy=Policy(deny=["secret"]))


def spent(federation, column):
    return federation.ledgers["oslo"].account().spent(column).numbers


def test_not_protected_from_a_tracker():
    """All less those of each other town, in a fit of its own, are the one from Fulda: 14 numbers."""
    federation, scene = alone(), Scene("default")
    total = sums_of([federation.fit(on(StandardScaler(), "income")).transformers_[0][1]])[0]
    others = [sums_of(federation.fit(multiplied(frozen_one_hot(t), "income")))[2] for t in TOWNS]
    cell = scene.table.loc[THE_PERSON, "income"]
    assert total - sum(others) == pytest.approx(cell)
    assert spent(federation, "income") == 14


def test_the_budget_bounds_trackers():
    federation, refused, number = alone(), [], count()
    while len(refused) < 3:
        i = next(number)
        towns = (TOWNS[i % 3], f"nowhere {i}")
        try:
            federation.fit(multiplied(frozen_one_hot(*towns), "income"))
        except fedps.Refused as error:
            refused.append("(budget)" in str(error))
    assert all(refused)
    assert next(number) <= MOST
    assert spent(federation, "income") <= MOST
    assert spent(federation, "town") <= MOST


def test_not_protected_from_thresholds():
    """How many are above a number: a search ends at a cell after some 50 fits, also at AGGREGATE."""
    table = people()
    policy = Policy(level="AGGREGATE", deny=["secret"])
    federation = fedps.Federation({"oslo": table}, policy=policy)
    low, high, fits = 0.0, 2.0**20, 0
    while low < (guess := (low + high) / 2) < high:
        step = make_pipeline(Binarizer(threshold=guess), StandardScaler(with_std=False))
        scaler = federation.fit(on(step, "income")).transformers_[0][1][-1]
        fits += 1
        low, high = (guess, high) if scaler.mean_[0] > 0.5 else (low, guess)
    assert np.isclose(table["income"], high, rtol=1e-12).any()
    assert spent(federation, "income") >= fits > 40


def test_not_protected_from_a_row_more():
    """Two fits between which a row comes to the table differ by that row."""
    table, new = people(), people(7).iloc[[3]]
    sums = []
    for rows in (table, pd.concat([table, new], ignore_index=True)):
        federation = fedps.Federation({"oslo": rows}, policy=Policy(deny=["secret"]))
        sums.append(sums_of([federation.fit(on(StandardScaler(), "income")).transformers_[0][1]]))
    assert (sums[1] - sums[0])[0] == pytest.approx(new["income"].item())


def test_not_protected_from_codes_that_a_server_makes_up():
    """Codes that are said to be learned, of one column: their sum tells how many are from Fulda.

    It tells no other cell of that person: products with other columns are refused. In a pipeline that a user
    gives, the codes are the user's, and refused.
    """
    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    pipeline = on(make_pipeline(encoder, StandardScaler()), "town")
    victim = Victim("in process", "SUMMARY")
    talk = victim.talk(pipeline)
    names = [np.array(["Berlin", "Fulda", "Jena", "Köln"], dtype=object)]
    talk.fitted((0, 0), CategoryEncoderNumbers(rows=900, categories=names))
    answer = talk.ask(Moments(), (0, 1))
    assert not is_no(answer)
    assert victim.client.ledger.account().spent("town").numbers == 2
    given = OrdinalEncoder(categories=names).fit(pd.DataFrame({"town": names[0]}))
    frozen = on(make_pipeline(FrozenEstimator(given), StandardScaler()), "town")
    assert victim.talk(frozen).ask(Moments(), (0, 1)).rule == "min_count"


@pytest.mark.parametrize("claimed", [3, 1000])
def test_not_protected_from_a_lie_about_the_cohort(claimed):
    """``min_clients`` is about what the first message says: there may be one client only."""
    victim = Victim("in process", "SUMMARY", min_clients=3)
    talk = victim.talk(on(StandardScaler(), "income"), clients=claimed)
    assert not is_no(talk.ask(Moments(), (0,)))
