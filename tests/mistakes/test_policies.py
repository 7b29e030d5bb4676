"""What users see of policies."""

import numpy as np
import pandas as pd
import pytest
from sklearn.preprocessing import (
    KBinsDiscretizer,
    LabelEncoder,
    MinMaxScaler,
    OneHotEncoder,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    TargetEncoder,
)

import fedps
from tests.mistakes.mistake import NAME, NUMBER, federation, on, told


def test_policy_that_refuses_the_level():
    with told(
        fedps.Refused,
        "clients 'oslo' and 'bergen' refused Extremes on column 'age': the policy there (level) "
        "allows AGGREGATE, this needs SUMMARY. It would show the server: count, smallest and largest "
        "value. Leave the column out, or ask the data owner to raise level in the policy.",
    ):
        policy = fedps.Policy(level="AGGREGATE", min_rows=0)
        federation(policy=policy).fit(on(["age"], MinMaxScaler()))


def test_policy_that_refuses_few_rows():
    with told(
        fedps.Refused,
        "client 'bergen' refused to take part: the policy there (min_rows) needs 10 rows and there "
        "are fewer. Leave the client out, or ask the data owner.",
    ):
        federation(policy={"bergen": fedps.Policy()}).fit(on(["age"]))


def test_policy_that_refuses_few_values():
    with told(
        fedps.Refused,
        "client 'bergen' refused Moments on column 'age': the policy there (min_rows) needs 3 values "
        "in a column and there are fewer. Leave the column out, or ask the data owner to lower min_rows in "
        "the policy.",
    ):
        policy = {"bergen": fedps.Policy(min_rows=3, min_count=0, budget=None)}
        federation(policy=policy, age=[30.0, np.nan, NUMBER]).fit(on(["age"]))


def test_policy_that_keeps_a_column_back_at_one_client():
    with told(
        fedps.Disagreement,
        "client 'oslo' offers column 'age' and client 'bergen' does not (it lacks it, or its policy "
        "keeps it back). 'standardscaler' takes it: add it there, all missing if need be, or leave it out.",
    ):
        policy = {"bergen": fedps.Policy(min_rows=0, deny=["age"])}
        federation(policy=policy).fit(on(["age"]))


def test_policy_that_keeps_a_column_back_everywhere():
    with told(
        fedps.ClientError,
        "clients 'oslo' and 'bergen' have no column 'age', or keep it back by policy. Check the "
        "spelling, or take it out of the estimator.",
    ):
        federation(policy=fedps.Policy(min_rows=0, deny=["age"])).fit(on(["age"]))


def test_policy_that_keeps_the_target_back():
    with told(
        fedps.Refused,
        "clients 'oslo' and 'bergen' refused Categories on column 'income': the policy there "
        "(columns) keeps it back. Leave the column out, or ask the data owner.",
    ):
        policy = fedps.Policy(min_rows=0, deny=["income"])
        federation(target="income", policy=policy).fit(LabelEncoder())


def test_policy_that_does_not_refuse_few_categories_of_many_rows():
    many = pd.DataFrame({"sex": ["f", "m"] * 50})
    fedps.fit(OneHotEncoder(), {"oslo": many, "bergen": many}, policy=fedps.Policy())


def test_policy_of_a_client_that_does_not_exist():
    with told(
        fedps.UsageError,
        "there is a policy for 'oslp', which is not a client. Did you mean 'oslo'?",
    ):
        federation(policy={"oslp": fedps.Policy()})


def test_level_that_does_not_exist():
    with told(fedps.UsageError, "a policy's level is one of AGGREGATE, SUMMARY, ROWS; got 'low'."):
        fedps.Policy(level="low")


def test_word_instead_of_a_policy():
    with told(
        fedps.UsageError,
        "a policy is a str: give fedps.Policy(...), or a dict of them by client.",
    ):
        federation(policy="AGGREGATE")


def test_one_column_instead_of_a_list_in_a_policy():
    with told(fedps.UsageError, "a policy's deny is a list of names, not one name."):
        fedps.Policy(deny="age")


# Quantiles, power transforms and target encodings

CITY = ["city"]


def many(rows=40):
    """Two clients with more rows than a policy wants at least."""
    return {
        name: pd.DataFrame(
            {
                "age": np.append(np.arange(1, rows) * 1.37, NUMBER),
                "city": ["oslo"] * (rows - 1) + [NAME],
                "income": ["low", "high"] * (rows // 2),
            }
        )
        for name in ("oslo", "bergen")
    }


def refusing(policy, **options):
    return fedps.Federation(many(), policy={"bergen": policy}, **options)


@pytest.mark.parametrize("sketch", [fedps.KLL(), fedps.REQ()], ids=["KLL", "REQ"])
@pytest.mark.parametrize("estimator", [RobustScaler(), KBinsDiscretizer(3)], ids=repr)
def test_policy_that_refuses_a_sketch_of_nearly_all_rows(sketch, estimator):
    with told(
        fedps.Refused,
        f"client 'bergen' refused {type(sketch).__name__} on column 'age': the policy there "
        "(max_share) shows at most 33% of a column's cells. Fit exactly, which needs less, leave "
        "the column out, or ask the data owner to raise max_share in the policy.",
    ):
        refusing(fedps.Policy()).fit(on(["age"], estimator), quantiles=sketch)


def test_policy_that_refuses_a_sketch_at_its_level():
    with told(
        fedps.Refused,
        "client 'bergen' refused KLL on column 'age': the policy there (level) allows AGGREGATE, "
        "this needs SUMMARY. It would show the server: count, smallest and largest value, up to "
        "about 600 of the cells themselves. Leave the column out, or ask the data owner to raise level "
        "in the policy.",
    ):
        policy = fedps.Policy(level="AGGREGATE")
        refusing(policy).fit(on(["age"], RobustScaler()), quantiles=fedps.KLL())


@pytest.mark.parametrize(
    ("policy", "rule"),
    [
        (fedps.Policy(level="AGGREGATE"), "level"),
        (fedps.Policy(max_share=0.0), "max_share"),
    ],
    ids=["AGGREGATE", "no values"],
)
def test_policy_under_which_quantiles_show_less(policy, rule):
    federation = refusing(policy)
    fitted = federation.fit(on(["age"], RobustScaler())).named_transformers_["robustscaler"]
    pooled = RobustScaler().fit(pd.concat(many())[["age"]])
    (limitation,) = federation.run.limitations
    assert (limitation.client, limitation.column, limitation.rule) == ("bergen", "age", rule)
    assert limitation.shown == "counts in slices of at least 10 cells"
    assert limitation.bound.startswith("quantiles are at most ")
    assert abs(fitted.center_ - pooled.center_) < 0.1 * pooled.scale_


@pytest.mark.parametrize("method", ["yeo-johnson", "box-cox"])
def test_policy_that_refuses_a_power_transform(method):
    with told(
        fedps.Refused,
        "client 'bergen' refused Extremes on column 'age': the policy there (level) allows "
        "AGGREGATE, this needs SUMMARY. It would show the server: count, smallest and largest "
        "value. Leave the column out, or ask the data owner to raise level in the policy.",
    ):
        policy = fedps.Policy(level="AGGREGATE")
        refusing(policy).fit(on(["age"], PowerTransformer(method)))


def test_policy_that_refuses_a_target_encoder():
    policy = fedps.Policy(level="AGGREGATE")
    with told(
        fedps.Refused,
        "client 'bergen' refused ByCategory: the policy there (level) allows AGGREGATE, this needs "
        "SUMMARY. It would show the server: distinct values, and the target for each: counts or sums. "
        "Leave the column out, or ask the data owner to raise level in the policy.",
    ):
        refusing(policy, target="income").fit(on(CITY, TargetEncoder()))
    with told(
        fedps.Refused,
        "client 'bergen' refused Turns on column 'income': the policy there (level) allows "
        "AGGREGATE, this needs SUMMARY. It would show the server: labels in the order of their first "
        "row, and counts. Leave the column out, or ask the data owner to raise level in the policy.",
    ):
        refusing(policy, target="income").fit_transform(on(CITY, TargetEncoder()))


def test_policy_that_keeps_the_target_of_an_encoder_back():
    with told(
        fedps.Refused,
        "client 'bergen' refused ByCategory on column 'income': the policy there (columns) keeps it "
        "back. Leave the column out, or ask the data owner.",
    ):
        policy = fedps.Policy(deny=["income"])
        refusing(policy, target="income").fit(on(CITY, TargetEncoder()))


DRAWS = [
    (QuantileTransformer(n_quantiles=3, subsample=10, random_state=0), "Spread"),
    (KBinsDiscretizer(3, subsample=10, random_state=0), "Spread"),
    (KBinsDiscretizer(3, strategy="kmeans", subsample=10, random_state=0), "Spread"),
    (KBinsDiscretizer(3, strategy="uniform", subsample=10, random_state=0), "Extremes"),
]


@pytest.mark.parametrize(("estimator", "statistic"), DRAWS, ids=repr)
def test_policy_that_refuses_a_draw_of_few_rows(estimator, statistic):
    with told(
        fedps.Refused,
        f"client 'bergen' refused {statistic}: the policy there (min_rows of samples) needs 10 rows "
        "in each sample or fold, outside of it, between two samples, and for each of them, and there are fewer. Raise "
        "subsample= or set it "
        "to None, use fewer folds (cv=), or ask the data owner to lower min_rows in the policy.",
    ):
        refusing(fedps.Policy()).fit(on(["age"], estimator))


def test_policy_that_refuses_folds_of_few_rows():
    with told(
        fedps.Refused,
        "client 'bergen' refused ByKnown: the policy there (min_rows of samples) needs 10 rows in "
        "each sample or fold, outside of it, between two samples, and for each of them, and there are fewer. Raise "
        "subsample= or set it to None, use fewer folds (cv=), or ask the data owner to lower min_rows in the policy.",
    ):
        encoder = TargetEncoder(random_state=0)
        refusing(fedps.Policy(), target="income").fit_transform(on(CITY, encoder))


def test_policy_that_refuses_sums_over_few_rows():
    rows = pd.DataFrame({"city": ["Oslo"] * 30 + ["Hamar"], "cost": np.arange(31) + 0.5})
    policy = fedps.Policy(min_count=0)
    clients = fedps.Federation({"oslo": rows}, target="cost", policy=policy)
    with told(
        fedps.Refused,
        "client 'oslo' refused ByCategory on column 'city': the policy there (min_rows of sums) needs "
        "10 rows in each category, and there are fewer. Group the rare categories there, leave "
        "the column out, or ask the data owner to lower min_rows in the policy.",
    ):
        clients.fit(TargetEncoder())


@pytest.mark.parametrize("target", ["numbers", "labels"])
def test_policy_under_which_no_category_is_named(target):
    # what is left of all rows without Oslo's is one person: so Oslo is not named, either
    rows = pd.DataFrame({"city": ["Oslo"] * 30 + ["Hamar"], "cost": np.arange(31) + 0.5})
    shown = 10
    if target == "labels":
        rows["cost"] = ["low", "high"] * 15 + ["low"]
        shown = 5
    clients = fedps.Federation({"oslo": rows}, target="cost", policy=fedps.Policy())
    with told(
        fedps.Refused,
        f"client 'oslo' shows only categories and labels of at least {shown} rows of column 'city', as "
        "the policy there (min_count) says, and in all clients together there are none. Let more "
        "clients take part, group the rare ones in the table there, leave the column out, or ask the "
        "data owner.",
    ):
        clients.fit(TargetEncoder())
