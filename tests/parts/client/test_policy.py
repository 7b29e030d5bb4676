"""The policy gate: what a client keeps to itself, and what it says when it does."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from msgspec import structs
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    LabelEncoder,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    StandardScaler,
)

from fedps import Federation, Policy
from fedps.client import Responder, open_table
from fedps.client.rules.gate import PolicyGate
from fedps.errors import ClientError, Disagreement, Refused, UsageError
from fedps.learned import Described, Function, Parameters
from fedps.protocol.codec import encode
from fedps.protocol.messages import Failure, Refusal
from fedps.statistics import Disclosure, Extremes, Moments
from tests.parts.client.opening import answer, opening, talk

CELL = "J. Smith, 3 May 1974"
RARE = 987_654.25


def table(rows=40, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.normal(50, 9, rows).round(1),
            "bmi": rng.normal(25, 3, rows).round(1),
            "risk": rng.choice(["low", "high"], rows),
        }
    )


def fit(estimator, policy, clients=None, **options):
    clients = clients or {"oslo": table(), "bergen": table(seed=1)}
    return Federation(clients, policy=policy, **options).fit(estimator)


def refused(estimator, policy, clients=None, **options):
    with pytest.raises(Refused) as caught:
        fit(estimator, policy, clients, **options)
    text = str(caught.value)
    assert CELL not in text
    assert str(RARE) not in text
    assert "data owner" in text
    return text


def on(step, *columns):
    return make_column_transformer((step, list(columns)))


COUNTS_GAPS = SimpleImputer(strategy="constant", fill_value=0)


def client(cells, policy):
    return Responder("oslo", open_table(cells), policy)


# Levels -------------------------------------------------------------------------------------------

AGGREGATE = [
    on(StandardScaler(), "age", "bmi"),
    on(SimpleImputer(), "age"),
]
SUMMARY = [
    (on(MinMaxScaler(), "age"), "Extremes", "'age'"),
    (on(MaxAbsScaler(), "bmi"), "Extremes", "'bmi'"),
    (on(OneHotEncoder(), "risk"), "Categories", "'risk'"),
    (on(OneHotEncoder(categories=[["high", "low"]]), "risk"), "Known", "'risk'"),
    (on(OrdinalEncoder(min_frequency=3), "risk"), "Categories", "'risk'"),
    (on(SimpleImputer(strategy="most_frequent"), "risk"), "Heaviest", "'risk'"),
]


@pytest.mark.parametrize("estimator", AGGREGATE, ids=str)
def test_sums_pass_at_the_lowest_level(estimator):
    assert fit(estimator, Policy(level="AGGREGATE")) is not None


@pytest.mark.parametrize(("estimator", "statistic", "column"), SUMMARY, ids=lambda v: str(v)[-40:])
def test_values_of_cells_need_a_higher_level(estimator, statistic, column):
    text = refused(estimator, Policy(level="AGGREGATE"))
    for word in ("'oslo'", "'bergen'", statistic, column, "level", "AGGREGATE", "SUMMARY"):
        assert word in text
    assert fit(estimator, Policy(level="SUMMARY")) is not None


def test_the_default_policy_takes_what_is_usual():
    """A few categories in many rows are no small cell."""
    estimator = make_column_transformer(
        (StandardScaler(), ["age"]), (MinMaxScaler(), ["bmi"]), (OneHotEncoder(), ["risk"])
    )
    assert fit(estimator, Policy()) is not None
    assert fit(on(OrdinalEncoder(min_frequency=2), "risk"), Policy()) is not None
    assert fit(LabelEncoder(), Policy(), target="risk") is not None


def test_a_policy_is_checked_when_it_is_made():
    for bad in ({"level": "all"}, {"min_rows": -1}, {"min_rows": 2.5}, {"min_rows": True}):
        with pytest.raises(UsageError, match=next(iter(bad))):
            Policy(**bad)
    for field in ("allow", "deny", "functions"):
        with pytest.raises(UsageError, match=f"{field} is a list of names"):
            Policy(**{field: "age"})
    with pytest.raises(TypeError):
        Policy(minrows=3)


def test_nothing_is_refused_in_the_open():
    off = {"min_rows": 0, "min_count": 0, "max_share": 1.0, "budget": None}
    assert Policy.open() == Policy(level="ROWS", fillings=True, **off)
    gate = PolicyGate(Policy.open())
    assert all(gate.check_request(s, 1, ("a",)) is None for s in (Moments(), Extremes()))
    assert Policy().level == Disclosure.SUMMARY.name


# Few rows -----------------------------------------------------------------------------------------


def test_a_client_of_few_rows_says_nothing():
    reply = talk(client(table(9), Policy(min_rows=10)), opening(COUNTS_GAPS, 0))
    assert reply.problem == Refusal("min_rows", "needs 10 rows and there are fewer")
    assert reply.schemas == reply.answers == ()
    assert "9" not in repr(structs.replace(reply, to=b""))


def test_a_client_of_few_rows_in_a_fit():
    clients = {"oslo": table(), "bergen": table(9)}
    text = refused(on(StandardScaler(), "age"), Policy(min_rows=10), clients)
    for word in ("'bergen'", "min_rows", "10 rows"):
        assert word in text
    assert "'oslo'" not in text
    assert "9" not in text


def test_a_client_without_rows_passes():
    clients = {"oslo": table(), "bergen": table(0).astype({"risk": "str"})}
    fitted = fit(on(StandardScaler(), "age"), Policy(min_rows=10), clients)
    assert fitted.named_transformers_["standardscaler"].n_samples_seen_ == 40


def few(values, column="bmi", rows=40):
    cells = table(rows)
    cells[column] = [RARE if column == "bmi" else CELL] * values + [None] * (rows - values)
    return cells


ON_FEW = [
    (on(StandardScaler(), "age", "bmi"), "Moments"),
    (on(MinMaxScaler(), "age", "bmi"), "Extremes"),
    (on(MaxAbsScaler(), "bmi"), "Extremes"),
    (on(SimpleImputer(), "bmi"), "Moments"),
    (on(SimpleImputer(strategy="most_frequent"), "bmi"), "Heaviest"),
    (on(OneHotEncoder(), "bmi"), "Categories"),
    (on(OrdinalEncoder(max_categories=3), "bmi"), "Categories"),
    (on(OneHotEncoder(categories=[[1.0, RARE]], handle_unknown="ignore"), "bmi"), "Known"),
]


@pytest.mark.parametrize(("estimator", "statistic"), ON_FEW, ids=lambda v: str(v)[-50:])
def test_a_column_of_few_values(estimator, statistic):
    clients = {"oslo": table(), "bergen": few(9)}
    policy = Policy(min_rows=10, min_count=0, max_share=1.0, budget=None)
    text = refused(estimator, policy, clients)
    for word in ("'bergen'", statistic, "'bmi'", "min_rows", "10 values"):
        assert word in text
    assert "'oslo'" not in text
    assert fit(estimator, policy, {"oslo": table(), "bergen": few(10)}) is not None


def test_a_text_column_of_few_values():
    clients = {"oslo": table(), "bergen": few(3, "risk")}
    text = refused(on(OneHotEncoder(), "risk"), Policy(min_rows=10), clients)
    assert "'risk'" in text
    enough = {"oslo": table(), "bergen": few(12, "risk")}
    assert fit(on(OneHotEncoder(), "risk"), Policy(min_rows=10), enough) is not None


@pytest.mark.parametrize("weight", [1e6, 1e-6])
def test_weights_do_not_count_as_rows(weight):
    """However heavy, a row is one row; however light, too."""
    clients = {"oslo": few(9).assign(w=weight)[["bmi", "w"]]}
    text = refused_with_weights(clients)
    assert "'bmi'" in text
    clients = {"oslo": table().assign(w=weight)[["bmi", "w"]]}
    federation = Federation(clients, policy=Policy(min_rows=10))
    assert federation.fit(StandardScaler(), sample_weight="w") is not None


def refused_with_weights(clients):
    with pytest.raises(Refused) as caught:
        Federation(clients, policy=Policy(min_rows=10)).fit(StandardScaler(), sample_weight="w")
    return str(caught.value)


@pytest.mark.parametrize(
    "estimator", [on(StandardScaler(), "bmi"), on(MinMaxScaler(), "bmi")], ids=str
)
def test_a_wholly_missing_column_is_no_secret(estimator):
    clients = {"oslo": table(), "bergen": few(0).astype({"bmi": float})}
    assert fit(estimator, Policy(min_rows=10), clients) is not None


def test_a_column_of_few_values_after_a_transformer():
    """What a transformer makes of a few values is as telling as the values."""
    steps = make_pipeline(FunctionTransformer(np.sqrt), StandardScaler())
    text = refused(on(steps, "bmi"), Policy(min_rows=10), {"oslo": few(4)})
    assert "min_rows" in text


# Columns ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", [Policy(deny=["bmi"]), Policy(allow=["age", "risk"])], ids=str)
def test_columns_kept_back_are_not_in_the_schema(policy):
    reply = talk(client(table(), policy), opening(COUNTS_GAPS, 0))
    assert reply.schemas[0].names == ("age", "risk")
    assert reply.schemas[0].width == 2
    assert b"bmi" not in encode(reply)
    found = answer(client(table(), policy), opening(COUNTS_GAPS, 0))
    assert found.cells.tolist() == [0, 0]


@pytest.mark.parametrize("policy", [Policy(deny=["bmi"]), Policy(allow=["age", "risk"])], ids=str)
@pytest.mark.parametrize("columns", [["bmi"], ["age", "bmi"]], ids=str)
def test_asks_for_columns_kept_back(policy, columns):
    found = answer(client(table(), policy), opening(on(StandardScaler(), *columns), 1))
    assert isinstance(found, Refusal | Failure)
    assert found.column == "bmi"
    with pytest.raises(ClientError, match=r"'oslo' and 'bergen'.*'bmi'"):
        fit(on(StandardScaler(), *columns), policy)


def test_weights_in_a_column_kept_back():
    cells = table().assign(w=1.0)[["age", "w"]]
    found = answer(client(cells, Policy(deny=["w"])), opening(StandardScaler(), 0, weight="w"))
    assert found == Failure("no column", "w")


def test_a_target_kept_back():
    text = refused(LabelEncoder(), Policy(deny=["risk"]), target="risk")
    assert "'risk'" in text
    assert "high" not in text


def test_a_target_kept_back_is_not_in_the_schema():
    cells = open_table(table(), target="risk")
    responder = Responder("oslo", cells, Policy(deny=["risk"]))
    assert len(talk(responder, opening(LabelEncoder(), 0)).schemas) == 1


def test_arrays_by_position():
    cells = np.arange(40.0).reshape(20, 2)
    found = answer(client(cells, Policy(deny=["1"])), opening(MinMaxScaler(), 0))
    assert found == Refusal("columns", "keeps it back", "1")


def test_the_others_can_still_be_fitted():
    fitted = fit(on(StandardScaler(), "age"), Policy(deny=["bmi"]))
    assert fitted.n_features_in_ == 2
    fitted = fit(on(StandardScaler(), "age"), {"oslo": Policy(deny=["bmi"])})  # which nothing takes
    assert fitted.n_features_in_ == 2
    with pytest.raises(Disagreement, match="'bmi'"):
        fit(on(StandardScaler(), "bmi"), {"oslo": Policy(deny=["bmi"])})


def test_a_selection_by_position_counts_without_those_kept_back():
    policy = Policy(deny=["age"])
    fitted = fit(make_column_transformer((StandardScaler(), [0])), policy)
    assert fitted.get_feature_names_out().tolist() == ["standardscaler__bmi"]


# Functions ----------------------------------------------------------------------------------------


def run(name, **policy):
    """Return the moments of what a function makes of a column, if the client runs it."""
    params = Parameters(
        func=Function(name), validate=False, accept_sparse=False, feature_names_out=None
    )
    steps = (
        Described("FunctionTransformer", params),
        Described("StandardScaler", Parameters(with_mean=True, with_std=True)),
    )
    parts = Parameters(parts=[("function", None), ("scaler", None)])
    pipeline = Described("Pipeline", parts, steps)
    return answer(client(table()[["age"]], Policy(**policy)), opening(pipeline, 2))


@pytest.mark.parametrize("name", ["numpy.log1p", "numpy.sqrt", "scipy.special.expit"])
def test_ufuncs_are_harmless(name):
    assert isinstance(run(name, min_count=0), Moments.summary)  # expit makes nearly all of them 1


@pytest.mark.parametrize(
    "name",
    [
        "os.system",
        "builtins.eval",
        "numpy.save",
        "numpy.fromfile",
        "numpy.lib.npyio.load",
        "numpy.f2py.__main__.main",
        "numpy.testing.rundocs",
        "numpy.no_such_thing",
        "numpy.",
        "numpy",
        "log1p",
        "scipy.special.roots_legendre",
        "numpyx.log1p",
        "",
        ".",
    ],
)
def test_other_functions_are_not_run(name):
    assert run(name) == Failure("function", name)


def test_a_function_that_the_owner_lists():
    name = "numpy.nan_to_num"
    assert run(name) == Failure("function", name)
    assert isinstance(run(name, functions=[name]), Moments.summary)
    assert run("isqrt", functions=["isqrt"]) == Failure("function", "isqrt")
    name = "math.isqrt"
    assert run(name) == Failure("function", name)
    # it is found now, and cannot work on a table
    found = run(name, functions=["math.isqrt"])
    assert found in (Failure(rule, "FunctionTransformer") for rule in ("estimator", "transform"))
    assert run(name, functions=["math.sqrt"]) == Failure("function", name)


def test_a_lambda_of_this_process_is_the_users_own():
    steps = make_pipeline(FunctionTransformer(lambda x: x * 2), StandardScaler())
    fitted = fit(on(steps, "age"), Policy.open())
    assert fitted is not None


# One policy per client ----------------------------------------------------------------------------


def test_policies_by_client():
    text = refused(on(MinMaxScaler(), "age"), {"bergen": Policy(level="AGGREGATE")})
    assert "client 'bergen'" in text
    assert "'oslo'" not in text


def test_a_policy_for_no_client():
    with pytest.raises(UsageError, match=r"'bergn'.*Did you mean 'bergen'"):
        fit(on(MinMaxScaler(), "age"), {"bergn": Policy()})
