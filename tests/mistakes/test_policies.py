"""What users see of policies."""

import numpy as np
import pandas as pd
from sklearn.preprocessing import LabelEncoder, MinMaxScaler, OneHotEncoder

import fedps
from tests.mistakes.common import NUMBER, federation, on, told


def test_policy_that_refuses_the_level():
    with told(
        fedps.Refused,
        "clients 'oslo' and 'bergen' refused Extremes on column 'age': the policy there (level) "
        "allows AGGREGATE, this needs SUMMARY. Leave the column out, or ask the data owner.",
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
        "in a column and there are fewer. Leave the column out, or ask the data owner.",
    ):
        policy = {"bergen": fedps.Policy(min_rows=3)}
        federation(policy=policy, age=[30.0, np.nan, NUMBER]).fit(on(["age"]))


def test_policy_that_keeps_a_column_back_at_one_client():
    with told(
        fedps.Disagreement,
        "client 'oslo' offers column 'age' and client 'bergen' does not (it lacks it, or its policy "
        "keeps it back). Add it there, empty if need be, or drop it everywhere.",
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
        "there is a policy for 'oslp', which is no client. Did you mean 'oslo'?",
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
