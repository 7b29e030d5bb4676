"""A client that plants rows with one gap each is told other clients' cells as their fillings."""

import numpy as np
import pandas as pd
import pytest
from sklearn.impute import KNNImputer
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import fedps
from fedps.client import Policy
from fedps.client.rules.gate import GIVES_NO_CELLS, PolicyGate
from fedps.errors import Refused
from fedps.statistics import Donors, Incomplete, Moments, Neighbours

RANDOM = np.random.default_rng(0)
AGES = RANDOM.permutation(np.arange(20.0, 80.0))
VICTIM = pd.DataFrame({"age": AGES, "income": RANDOM.normal(50_000, 9_000, len(AGES))})
PLANTED = pd.DataFrame(
    {"age": AGES, "income": np.nan}
)  # it knows their ages, and wants their incomes
PLANTED.loc[len(PLANTED)] = (500.0, 0.0)  # a column may not be wholly missing
READS = KNNImputer(n_neighbors=1)
REFUSED = (
    "client 'oslo' refused {what}: the policy there (fillings) passes no cells of single rows on to others, "
    "unless fillings = true there. {instead}, or ask the data owner. [round 1]"
)


def federation(victim):
    policies = {"oslo": victim, "attacker": Policy.open()}
    return fedps.Federation({"oslo": VICTIM, "attacker": PLANTED}, policy=policies)


def stolen(made):
    """Return the attacker's rows, with what fills their gaps."""
    return made.fit_transform(READS)[1]["attacker"][:-1, 1]


@pytest.mark.parametrize("victim", [Policy.open(), Policy(level="ROWS", fillings=True)])
def test_what_an_attacker_reads_where_cells_are_passed_on(victim):
    assert stolen(federation(victim)).tolist() == VICTIM["income"].tolist()


@pytest.mark.parametrize("level", ["AGGREGATE", "SUMMARY", "ROWS"])
@pytest.mark.parametrize("estimator", [READS, make_pipeline(READS, StandardScaler())])
def test_it_is_refused_by_default(level, estimator):
    made = federation(Policy(level=level))
    for call in (made.fit, made.fit_transform):
        with pytest.raises(Refused) as caught:
            call(estimator)
        assert caught.value.clients == ("oslo",)
    asked = {ask.statistic for ask in made.run.asks if ask.level == "ROWS"}
    assert asked <= {"Donors", "Incomplete"}
    sent = [line.statistic for line in made.ledgers["oslo"].entries if line.outcome == "sent"]
    assert not {"Donors", "Incomplete"} & set(sent)


@pytest.mark.parametrize(("transforms", "what"), [(False, "Donors"), (True, "Incomplete")])
def test_the_way_out(transforms, what):
    made = federation(Policy(level="ROWS"))
    instead = "Use SimpleImputer or IterativeImputer, which need less"
    with pytest.raises(Refused) as caught:
        (made.fit_transform if transforms else made.fit)(READS)
    assert str(caught.value) == REFUSED.format(what=what, instead=instead)


def test_targets_of_single_rows():
    tables = {"oslo": VICTIM, "attacker": PLANTED.fillna(0.0)}

    def read(victim):
        policies = {"oslo": victim, "attacker": Policy.open()}
        made = fedps.Federation(tables, target="income", policy=policies)
        return made.predict(made.fit(KNeighborsRegressor(n_neighbors=1)), VICTIM[["age"]])

    assert read(Policy.open()).tolist() == VICTIM["income"].tolist()
    instead = "Use BayesianRidge, which needs only sums"
    with pytest.raises(Refused) as caught:
        read(Policy(level="ROWS"))
    assert str(caught.value) == REFUSED.format(what="Neighbours", instead=instead)


def test_honest_gaps_are_filled_where_all_owners_agree():
    table = VICTIM.assign(age=AGES + RANDOM.uniform(size=len(AGES)))  # no two are equally near
    table.loc[::7, "income"] = np.nan
    agreed = Policy(level="ROWS", fillings=True)
    made = fedps.Federation({"oslo": table[:30], "bergen": table[30:]}, policy=agreed)
    found = np.concatenate(list(made.fit_transform(KNNImputer())[1].values()))
    np.testing.assert_allclose(found, KNNImputer().fit_transform(table), rtol=1e-12)


@pytest.mark.parametrize(
    ("statistic", "gives"),
    [
        (Donors(np.empty((0, 0)), 1), True),
        (Incomplete(), True),
        (Neighbours(np.empty((0, 0)), 1, "euclidean", 2.0, np.empty(0)), True),
        (Moments(), False),
    ],
)
def test_which_answers_pass_cells_on(statistic, gives):
    refusal = PolicyGate(Policy(level="ROWS")).check_request(statistic, 60, ["age", "income"])
    assert (refusal is not None) == gives
    if gives:
        assert (refusal.rule, refusal.limit) == ("fillings", GIVES_NO_CELLS)
    assert PolicyGate(Policy.open()).check_request(statistic, 60, ["age", "income"]) is None


@pytest.mark.parametrize("value", [1, "yes", None])
def test_not_a_word(value):
    with pytest.raises(fedps.UsageError, match="fillings is true or false"):
        Policy(fillings=value)
