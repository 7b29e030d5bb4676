"""A column of which every category is too rare to be named: encoders end with a way out."""

import pandas as pd
import pytest
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, TargetEncoder

import fedps

ENCODERS = [
    OneHotEncoder(handle_unknown="ignore"),
    OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
    TargetEncoder(target_type="continuous"),
]
WAY_OUT = OneHotEncoder(handle_unknown="infrequent_if_exist", min_frequency=5)


def federation(rows_of_each):
    towns = [f"town {i // rows_of_each}" for i in range(60)]
    table = pd.DataFrame({"town": towns, "income": [float(i % 7) for i in range(60)]})
    policy = fedps.Policy(min_rows=5, min_count=5, budget=None)
    return fedps.Federation({"oslo": table}, target="income", policy=policy)


@pytest.mark.parametrize("encoder", ENCODERS, ids=lambda one: type(one).__name__)
def test_no_category_is_left_one_below_the_limit(encoder):
    federation(5).fit(encoder)
    with pytest.raises(fedps.Refused, match="there are none. Let more clients take part"):
        federation(4).fit(encoder)


def test_the_way_out_passes():
    asking = federation(4)
    fitted = asking.fit(WAY_OUT)
    assert fitted.transform(pd.DataFrame({"town": ["town 1", "nowhere"]})).shape[0] == 2
    assert [one.rule for one in asking.run.limitations] == ["min_count"]
