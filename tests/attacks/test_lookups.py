"""Attack 8 in disguise: a column that tells few rows apart is hidden inside another one.

All under the default preset. The rule is ``min_count``, for what went into a sum as for the sum's own table.
"""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.linear_model import BayesianRidge
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    SplineTransformer,
    StandardScaler,
    TargetEncoder,
)

import fedps
from fedps.learned.compose import ColumnTransformerNumbers
from fedps.learned.encoders import CategoryEncoderNumbers, TargetEncoderNumbers
from fedps.learned.quantiles import KBinsDiscretizerNumbers
from fedps.protocol.messages import Refusal
from fedps.statistics import Moments, Stored
from tests.attacks.hostile import Victim, people
from tests.attacks.readings import Scene, frozen_one_hot, multiplied, on, sums_of

SIDE_BY_SIDE = ColumnTransformerNumbers(rows=900, stored={})
TOWNS = ["Berlin", "Fulda", "Jena", "Köln"]


def frame(towns):
    return pd.DataFrame({"town": towns})


def ordinal(*towns):
    encoder = OrdinalEncoder(
        categories=[list(towns)], handle_unknown="use_encoded_value", unknown_value=-1
    )
    return FrozenEstimator(encoder.fit(frame(list(towns))))


def target(**codes):
    encoder = TargetEncoder(target_type="continuous", smooth=1.0)
    encoder.fit(frame(TOWNS * 2), np.arange(8.0))
    encoder.encodings_ = [np.array([codes[town] for town in TOWNS])]
    return FrozenEstimator(encoder)


def spline():
    """Return a spline that is one at the age of the one from Fulda, and zero a tenth of a year off."""
    return SplineTransformer(
        degree=1, knots=np.array([[70.1], [70.2], [70.3]]), extrapolation="constant"
    )


exp = FunctionTransformer(np.exp)
HUGE = {"Berlin": 1.0, "Fulda": 1e9, "Jena": 2.0, "Köln": 3.0}
LIKE_OTHERS = {"Berlin": 1.0, "Fulda": 1.5, "Jena": 1.0, "Köln": 2.0}
HIDDEN = {
    "a function of who it is": multiplied(
        make_pipeline(frozen_one_hot("Fulda"), exp), "income", only=[2]
    ),
    "functions one after the other": multiplied(
        make_pipeline(frozen_one_hot("Fulda"), exp, exp, FunctionTransformer(np.sqrt)),
        "income",
        only=[2],
    ),
    "codes in any order": multiplied(ordinal("Fulda", "Berlin", "Jena", "Köln"), "income"),
    "only the product": multiplied(ordinal("Fulda", "Berlin", "Jena", "Köln"), "income", only=[2]),
    "unknown is Fulda": multiplied(ordinal("Berlin", "Jena", "Köln"), "income"),
    "the rest is Fulda": multiplied(frozen_one_hot("Berlin", "Jena", "Köln"), "income"),
    "a code above all others": multiplied(target(**HUGE), "income"),
    "a code like the others": multiplied(target(**LIKE_OTHERS), "income", only=[2]),
    "an encoder that learns": multiplied(
        OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1), "income", only=[2]
    ),
    "a code alone": on(make_pipeline(target(**HUGE), StandardScaler()), "town"),
    "codes side by side": make_pipeline(
        FeatureUnion([("a", on(ordinal(*TOWNS), "town")), ("b", on("passthrough", "income"))]),
        PolynomialFeatures(2, interaction_only=True, include_bias=False),
        StandardScaler(),
    ),
    "by the length of the row": make_pipeline(
        ColumnTransformer(
            [("by", target(**HUGE), ["town"]), ("with", "passthrough", ["income", "weight"])]
        ),
        Normalizer(),
        StandardScaler(),
    ),
    "a narrow spline": multiplied(make_pipeline(spline(), exp), "income", by="age", only=[6]),
}


@pytest.mark.parametrize("how", HIDDEN)
def test_no_lookup_inside_a_sum(how):
    scene = Scene("default")
    with pytest.raises(fedps.Refused, match=r"\(min_count\) needs 5") as caught:
        scene.federation().fit(HIDDEN[how])
    assert "Leave the column out" in str(caught.value)
    assert caught.value.clients == ("oslo",)


@pytest.mark.parametrize("how", ["codes in any order", "only the product", "the rest is Fulda"])
def test_without_the_rule_they_are_sums(how):
    assert len(sums_of(Scene("open").fitted(HIDDEN[how]))) >= 1


def test_products_of_a_model_are_products():
    scene = Scene("default")
    both = ColumnTransformer(
        [("by", target(**LIKE_OTHERS), ["town"]), ("with", "passthrough", ["income"])]
    )
    with pytest.raises(fedps.Refused, match="needs 5 rows of each category"):
        scene.federation(target="age").fit(make_pipeline(both, BayesianRidge()))


@pytest.mark.parametrize("weight", [None, "income"])
def test_weights_are_multiplied_too(weight):
    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    coded = on(make_pipeline(encoder, StandardScaler()), "town")
    talk = Victim("in process", "SUMMARY").talk(coded, weight=weight)
    towns = [np.array(TOWNS, dtype=object)]
    talk.fitted((0, 0), CategoryEncoderNumbers(rows=900, categories=towns))
    answer = talk.ask(Moments(weight=weight), (0, 1))
    assert getattr(answer, "rule", None) == (None if weight is None else "min_count")


def test_a_server_that_lies_about_encodings():
    """What was learned for an encoder is a server's word, too."""
    victim = Victim("in process", "SUMMARY")
    steps = make_pipeline(
        ColumnTransformer(
            [
                ("by", TargetEncoder(target_type="continuous"), ["town"]),
                ("w", "passthrough", ["income"]),
            ]
        ),
        PolynomialFeatures(2, interaction_only=True, include_bias=False),
        StandardScaler(),
    )
    talk = victim.talk(steps)
    lie = TargetEncoderNumbers(
        categories=[np.array(TOWNS, dtype=object)],
        encodings=[np.array([1.0, 1e9, 2.0, 3.0])],
        mean=0.0,
        classes=None,
        target=["pandas float64"],
    )
    talk.fitted((0, 0), lie).fitted((0,), SIDE_BY_SIDE).fitted((1,))
    answer = talk.ask(Moments(), (2,))
    assert (type(answer), answer.rule) == (Refusal, "min_count")


def test_bins_of_one_person():
    victim = Victim("in process", "SUMMARY")
    steps = make_pipeline(
        ColumnTransformer(
            [
                ("by", KBinsDiscretizer(3, encode="ordinal", strategy="uniform"), ["age"]),
                ("with", "passthrough", ["income"]),
            ]
        ),
        PolynomialFeatures(2, interaction_only=True, include_bias=False),
        StandardScaler(),
    )
    for lower, upper, rule in ((70.125, 70.275, "min_count"), (0.0, 120.0, None)):
        talk = victim.talk(steps)
        numbers = KBinsDiscretizerNumbers(lower=np.array([lower]), upper=np.array([upper]))
        talk.fitted((0, 0), numbers).fitted((0,), SIDE_BY_SIDE).fitted((1,))
        answer = talk.ask(Moments(), (2,))
        assert getattr(answer, "rule", None) == rule


def test_how_many_cells_a_branch_stores():
    """The count of cells that are not zero would be the number of people from Fulda, and so on."""
    victim = Victim("in process", "SUMMARY")
    for encoder, rule in (
        (OneHotEncoder(categories=[["Fulda"]], handle_unknown="ignore"), "min_count"),
        (OneHotEncoder(categories=[["Berlin"]], handle_unknown="ignore"), None),
    ):
        fitted = FrozenEstimator(encoder.fit(frame(["Fulda", "Berlin"])))
        talk = victim.talk(ColumnTransformer([("only", fitted, ["town"])]))
        (question,) = [q for q in talk.declared.at(0) if isinstance(q.statistic, Stored)]
        answer = talk.ask(Stored(), (), question.of)
        assert getattr(answer, "rule", None) == rule


# what goes on as before

HONEST = {
    "two branches": ColumnTransformer(
        [
            ("num", make_pipeline(SimpleImputer(), StandardScaler()), ["age", "income", "weight"]),
            (
                "cat",
                make_pipeline(
                    SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore")
                ),
                ["town", "visits"],
            ),
        ]
    ),
    "codes and a scaler": on(
        make_pipeline(
            OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1), StandardScaler()
        ),
        "town",
    ),
    "powers of numbers": on(
        make_pipeline(StandardScaler(), PolynomialFeatures(), StandardScaler()), "age", "income"
    ),
    "bins times numbers": make_pipeline(
        ColumnTransformer(
            [
                ("bins", KBinsDiscretizer(4, encode="ordinal", subsample=None), ["age"]),
                ("num", "passthrough", ["income", "weight"]),
            ]
        ),
        PolynomialFeatures(2, include_bias=False),
        StandardScaler(),
    ),
    "functions": on(make_pipeline(FunctionTransformer(np.log1p), StandardScaler()), "income"),
}


@pytest.mark.filterwarnings("ignore:.*quantile_method")
@pytest.mark.parametrize("how", HONEST)
def test_honest_pipelines_go_on(how):
    assert Scene("default").federation().fit(HONEST[how]) is not None


def test_towns_of_enough_people_are_multiplied():
    table = people().replace({"town": {"Fulda": "Jena"}})
    federation = fedps.Federation({"oslo": table}, policy=fedps.Policy())
    assert federation.fit(multiplied(OrdinalEncoder(), "income")) is not None


@pytest.mark.parametrize(("rows", "passes"), [(4, False), (5, True)])
def test_at_the_limit_and_one_below(rows, passes):
    table = people().replace({"town": {"Fulda": "Jena"}})
    table.loc[: rows - 1, "town"] = "Fulda"
    federation = fedps.Federation({"oslo": table}, policy=fedps.Policy())
    sums = multiplied(ordinal(*TOWNS), "income")
    if passes:
        assert federation.fit(sums) is not None
    else:
        with pytest.raises(fedps.Refused, match="min_count"):
            federation.fit(sums)


@pytest.mark.parametrize(("people_of_fulda", "passes"), [(4, False), (5, True)])
def test_people_and_not_rows(people_of_fulda, passes):
    table = people().replace({"town": {"Fulda": "Jena"}}).assign(who=np.arange(300) + 1000)
    table.loc[:19, "town"] = "Fulda"
    table.loc[:19, "who"] = np.arange(20) % people_of_fulda
    policy = fedps.Policy(unit="who")
    federation = fedps.Federation({"oslo": table}, policy=policy)
    sums = multiplied(ordinal(*TOWNS), "income")
    if passes:
        assert federation.fit(sums) is not None
    else:
        with pytest.raises(fedps.Refused, match="min_count"):
            federation.fit(sums)
