"""Attacks 3, 5 and 11: a search that looks for other cells than the pipeline's, or asks by its own markers."""

import numpy as np
import pytest
from msgspec import Raw
from sklearn.compose import ColumnTransformer
from sklearn.experimental import enable_iterative_imputer  # noqa: F401 (brings the class in)
from sklearn.impute import IterativeImputer, SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    MinMaxScaler,
    OneHotEncoder,
    PowerTransformer,
    RobustScaler,
    StandardScaler,
)

from fedps.learned.encoders import CategoryEncoderNumbers
from fedps.learned.scalers import MinMaxScalerNumbers, StandardScalerNumbers
from fedps.protocol.codec import encode_part
from fedps.protocol.messages import Ask, Refusal
from fedps.questions import NotDeclared
from fedps.statistics import Completed, Gram, Known, Missing, Moments, Positive, Spread, Within
from fedps.statistics.order.float_keys import values_of
from fedps.statistics.order.slices import Column
from fedps.statistics.order.tables import Tally
from fedps.statistics.products.imputation import Imputation
from tests.attacks.hostile import NUMBERS, Victim, everywhere, is_no

INCOME = ColumnTransformer([("only", RobustScaler(), ["income"])])
SPREAD = Spread(targets=3)


def within(*intervals):
    ends = np.array(intervals, dtype=np.float64).reshape(-1, 2).T
    return Within((ends,))


def ends_of(bins):
    return set(bins.lower.tolist()) | set(bins.upper.tolist())


# 3: intervals until all values are known


@everywhere
def test_intervals_show_few_cells_or_none(kind, level):
    """However a server chooses intervals: by the policy's share, and at AGGREGATE by slices of min_rows cells."""
    rng = np.random.default_rng(0)
    victim = Victim(kind, level, min_rows=10, budget=None)
    income = np.sort(victim.table["income"].to_numpy())
    ends = set()
    for _ in range(60):
        talk = victim.talk(INCOME)
        spread = talk.ask(SPREAD, (0,))
        at = np.sort(rng.choice(income.size, 12, replace=False)).reshape(-1, 2)
        answer = talk.ask(within(*income[at]), (0,))
        if is_no(answer):  # so much was shown by all fits before
            assert (level, answer.rule) == ("SUMMARY", "max_share of all answers")
            break
        assert len(answer.tallies()[0].values) <= 0.33 * income.size
        if level == "AGGREGATE":
            assert spread.values[0].size == answer.tallies()[0].values.size == 0
            assert not np.concatenate([answer.below[0], answer.inside[0]]).any()
            ends |= ends_of(answer.slices()[0]) | ends_of(spread.bins()[0])
    if level == "AGGREGATE":
        # all answers together are the finest slices, and these have ten cells each
        column = Column(Tally(income, np.ones(income.size, dtype=np.int64)))
        edges = column.edges(10)
        assert ends == ends_of(column.slices(edges, 10, first=True, last=True))
        assert np.diff(np.searchsorted(income, values_of(edges.keys)), prepend=0).min() >= 10
        assert not ends & set(income.tolist())


@everywhere
def test_intervals_come_after_bins_and_once(kind, level):
    victim = Victim(kind, level)
    talk = victim.talk(INCOME)
    assert talk.ask(within((0.0, 1e5)), (0,)).rule == "consent"
    talk = victim.talk(INCOME)
    assert not is_no(talk.ask(SPREAD, (0,)))
    assert not is_no(talk.ask(within((0.0, 1e4)), (0,)))
    assert talk.ask(within((1e4, 2e4)), (0,)).rule == "consent"


@everywhere
def test_seven_intervals_are_too_many(kind, level):
    talk = Victim(kind, level).talk(INCOME)
    assert not is_no(talk.ask(SPREAD, (0,)))
    seven = [(10.0 * i, 10.0 * i + 5) for i in range(7)]
    assert talk.ask(within(*seven), (0,)).rule == "consent"


@everywhere
def test_values_are_not_joined_with_other_columns(kind, level):
    """One-hot of known values, and products: no question of a scaler."""
    victim = Victim(kind, level)
    talk = victim.talk(INCOME)
    values = tuple(victim.table["income"].tolist())
    for statistic in (Gram(), Known((values,)), Missing(values[0])):
        with pytest.raises(NotDeclared):
            talk.question(statistic, (0,))
    for number in range(10):  # nor any other question by its number
        question = Ask(1, number, Raw(encode_part(((values,),))))
        assert talk.send(talk.round(question)).answers == ()


# 5: the marker of missing cells is the pipeline's


@everywhere
def test_the_marker_is_not_the_servers(kind, level):
    victim = Victim(kind, level)
    towns = ColumnTransformer([("only", SimpleImputer(strategy="constant"), ["town"])])
    for free in ((), ("Fulda",), ("Fulda", None)):
        talk = victim.talk(towns)
        answer = talk.send(talk.round(Ask(1, 0, Raw(encode_part(free)))))
        assert (answer.problem is None) == (free == ())
    with pytest.raises(NotDeclared):
        talk.question(Missing("Fulda"), (0,))
    talk = victim.talk(ColumnTransformer([("only", SimpleImputer(), NUMBERS)]))
    with pytest.raises(NotDeclared):
        talk.question(Moments(order=1, missing=victim.table["age"][0]), (0,))


@everywhere
def test_nor_inside_what_is_free(kind, level):
    """``Completed`` has the marker inside the regressions that a server chooses."""
    victim = Victim(kind, level, min_rows=10)
    imputer = ColumnTransformer([("only", IterativeImputer(max_iter=2), NUMBERS)])
    age = float(victim.table["age"][0])
    zeros, none = np.zeros(len(NUMBERS)), np.empty(0)
    weights = np.empty((0, len(NUMBERS)))
    steps = Imputation(age, zeros, zeros, none.astype(np.int64), weights, none, none, none)
    talk = victim.talk(imputer)
    refusal = talk.ask(Completed(steps, (0, -1)), (0,))
    assert (refusal.rule, "bounds" in refusal.limit) == ("consent", True)


# 11: whether a question fails says something about the data: once


def oracle():
    scale = make_pipeline(StandardScaler(), PowerTransformer("box-cox"))
    return ColumnTransformer([("only", scale, ["income"])])


def numbers(mean, rows=900):
    one = np.ones(1)
    return StandardScalerNumbers(count=one * rows, mean=one * mean, weighted=False, variance=one)


@everywhere
def test_one_guess_for_each_place(kind, level):
    victim = Victim(kind, level)
    talk = victim.talk(oracle())
    guessed = []
    for guess in np.linspace(0, 1e5, 50):
        talk.fitted((0, 0), numbers(guess))
        answer = talk.ask(Positive(), (0, 1))
        guessed.append(not is_no(answer) or answer.rule == "not positive")
    assert guessed == [True] + [False] * 49


@everywhere
def test_what_was_learned_is_told_once(kind, level):
    talk = Victim(kind, level).talk(oracle())
    talk.fitted((0, 0), numbers(0.0)).fitted((0, 0), numbers(1.0))
    problem = talk.say(talk.question(Positive(), (0, 1)))
    assert (type(problem), problem.rule) == (Refusal, "consent")


# what was learned is checked against the client's own rows


@everywhere
@pytest.mark.parametrize(
    ("lower", "upper", "rows"), [(2e4, 1e9, 900), (0.0, 1e3, 900), (0.0, 1e9, 10)]
)
def test_extremes_that_the_rows_contradict(kind, level, lower, upper, rows):
    victim = Victim(kind, level)
    scale = make_pipeline(MinMaxScaler(), StandardScaler())
    talk = victim.talk(ColumnTransformer([("only", scale, ["income"])]))
    one = np.ones(1)
    talk.fitted((0, 0), MinMaxScalerNumbers(lower=one * lower, upper=one * upper, rows=rows))
    problem = talk.say(talk.question(Moments(), (0, 1)))
    assert (type(problem), problem.rule) == (Refusal, "consent")


@everywhere
@pytest.mark.parametrize("encoder", [OneHotEncoder, "ignore"])
def test_categories_that_lack_some_of_the_clients(kind, level, encoder):
    """Told that there is Fulda and no other town, it would count the one person in a row of zeros."""
    victim = Victim(kind, level)
    unknown = "ignore" if encoder == "ignore" else "error"
    made = OneHotEncoder(handle_unknown=unknown, sparse_output=False)
    talk = victim.talk(
        ColumnTransformer([("only", make_pipeline(made, StandardScaler()), ["town"])])
    )
    towns = [np.array(["Fulda"], dtype=object)]
    talk.fitted((0, 0), CategoryEncoderNumbers(rows=900, categories=towns))
    problem = talk.say(talk.question(Moments(), (0, 1)))
    assert (type(problem), problem.rule) == (Refusal, "consent")
    talk = victim.talk(
        ColumnTransformer([("only", make_pipeline(made, StandardScaler()), ["town"])])
    )
    every = [np.array(["Berlin", "Fulda", "Jena", "Köln", "Ulm"], dtype=object)]
    talk.fitted((0, 0), CategoryEncoderNumbers(rows=900, categories=every))
    assert talk.say(talk.question(Moments(), (0, 1))) is None
