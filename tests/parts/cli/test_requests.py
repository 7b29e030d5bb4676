"""``fedps requests``: what waits is listed and shown in plain words, approved and denied."""

import dataclasses
import re

import numpy as np
import pandas as pd
import pytest
from msgspec.structs import replace
from sklearn.cluster import KMeans
from sklearn.compose import make_column_transformer
from sklearn.frozen import FrozenEstimator
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import (
    FunctionTransformer,
    MinMaxScaler,
    OneHotEncoder,
    RobustScaler,
    StandardScaler,
    TargetEncoder,
)
from sklearn.utils import all_estimators

import fedps as package
from fedps.assembly import freeze
from fedps.client.ledger import Charge, Ledger
from fedps.client.requests.request_folder import RequestFolder
from fedps.client.requests.step_words import STEP_WORDS
from fedps.engines.client_answer import open_client
from fedps.federation.looks.look_pipeline import look_pipeline
from fedps.learned import Described, Parameters
from fedps.plans.describe import describe
from fedps.protocol.codec import encode
from fedps.protocol.messages import Request, Round
from fedps.protocol.pooled import Pooled

POLICY = package.Policy(consent="owner", deny=["name"], max_fits=20)
PREP = make_column_transformer(
    (make_pipeline(SimpleImputer(), StandardScaler()), ["age", "chol"]),
    (OneHotEncoder(), ["pain"]),
)


def all_asked(estimator=PREP, *, table="oslo.parquet", policy=POLICY, target="sick", **options):
    """Ask a client for a pipeline; return the names of what waits now and did not before."""
    client = open_client("oslo", table, policy, "oslo.jsonl", "Flower run 7", target=target)
    pipeline = estimator
    if not isinstance(estimator, Described):
        pipeline = describe(estimator, Pooled(freeze=freeze))
    before = {one.digest for one in client._consent.folder.all()}
    client.answer(encode(Round(1, (), (), request=Request(pipeline, **options))))
    return {one.name for one in client._consent.folder.all() if one.digest not in before}


def asked(*pipeline, **options):
    """Ask a client for a pipeline; return the name under which it waits."""
    (name,) = all_asked(*pipeline, **options)
    return name


@pytest.fixture
def wide(monkeypatch):
    """No line is broken, so that a test finds what it looks for."""
    monkeypatch.setattr("fedps.cli.output._NARROW", 400)


def words(text):
    return " ".join(text.split())


def test_a_request_is_listed(fedps, folder):
    name = asked()
    result = fedps("requests list oslo.jsonl")
    assert result.exit_code == 0, result.output
    assert "oslo.jsonl: 1 request waiting, 0 decided" in result.stdout
    assert re.search(rf"{name}  waiting  Flower run 7 .* 1$", result.stdout, re.MULTILINE)
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_a_request_is_shown_in_plain_words(fedps, folder):
    name = asked()
    result = fedps(f"requests show oslo.jsonl {name}")
    assert result.exit_code == 0, result.output
    lines = [words(line) for line in result.stdout.splitlines()]
    shown = words(result.stdout)
    assert f"Request {name}: it waits for your decision" in lines
    assert "1.1 age, chol fill missing cells with the mean of the column" in shown
    assert "1.2 made from age, chol scale each column to mean 0 and variance 1" in shown
    assert "2 pain write each category as a column of 0 and 1 (OneHotEncoder)" in shown
    assert "What would leave client 'oslo', of 50 rows, for that at most" in lines
    assert "1.1 age, chol count and sum AGGREGATE once" in lines
    assert "1.2 made from age, chol count, sum, sum of squares AGGREGATE once" in shown
    assert "2 pain distinct values SUMMARY once" in lines
    assert "AGGREGATE sums and counts over all rows" in lines
    assert "Your policy keeps back, names included: name." in lines
    assert "The policy allows 20 fits; 0 are used." in lines
    assert f"fedps requests approve oslo.jsonl {name}" in lines
    assert f"fedps requests deny oslo.jsonl {name}" in lines
    assert "refuses" not in shown
    assert "Smith" not in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_a_request_is_approved_and_denied(fedps, folder):
    name = asked()
    kept = RequestFolder(folder / "oslo.jsonl")
    for _ in range(2):
        result = fedps(f"requests approve oslo.jsonl {name}")
        assert result.exit_code == 0
        assert result.stdout == (f"{name} is approved: this client answers it from now on.\n")
    assert [one.status for one in kept.all()] == ["approved"]
    shown = fedps(f"requests show oslo.jsonl {name}").stdout
    assert "you approved it" in shown
    assert "To change that:\n  fedps requests deny" in shown
    result = fedps(f"requests deny oslo.jsonl {name}")
    assert result.stdout == (
        f"{name} is denied: this client does not answer the pipeline, not even in a fit that is "
        "under way.\n"
    )
    assert [one.status for one in kept.all()] == ["denied"]


def test_several_are_decided_at_once_by_their_first_digits(fedps, folder):
    names = [asked(), asked(StandardScaler())]
    result = fedps(f"requests deny oslo.jsonl {names[0][:6].upper()} {names[1]}")
    assert result.exit_code == 0, result.output
    assert "0 requests waiting, 2 decided" in fedps("requests list oslo.jsonl").stdout


def test_mistakes(fedps, folder):
    assert "there is no file 'oslo.jsonl'" in fedps("requests list oslo.jsonl").stderr
    (folder / "oslo.jsonl").touch()
    result = fedps("requests list oslo.jsonl")
    assert result.exit_code == 0
    assert (
        'oslo.jsonl: no requests. They are kept where the client\'s policy has consent = "owner"'
        in (words(result.stdout))
    )
    result = fedps("requests approve oslo.jsonl 3f2a91c0")
    assert result.exit_code == 2
    assert "there is no request '3f2a91c0'. There are none." in result.stderr
    name = asked()
    wrong = f"{name[:-1]}{'1' if name[-1] == '0' else '0'}"
    for command in ("show", "approve", "deny"):
        result = fedps(f"requests {command} oslo.jsonl {wrong}")
        assert result.exit_code == 2
        assert f"there is no request {wrong!r}. Did you mean {name!r}?" in result.stderr
    assert fedps("requests approve oslo.jsonl").exit_code == 2


def test_digits_that_may_be_two_requests_are_an_error(fedps, folder):
    asked()
    kept = RequestFolder(folder / "oslo.jsonl")
    (one,) = kept.all()
    other = one.digest[:8] + "0" * 24
    kept.ask(other, b"", "Flower run 7")
    result = fedps(f"requests approve oslo.jsonl {one.name}")
    assert result.exit_code == 2
    assert f"{one.name!r} may be " in result.stderr
    assert "give more digits" in result.stderr
    assert fedps(f"requests deny oslo.jsonl {other}").exit_code == 0


def test_what_was_changed_is_not_approved(fedps, folder):
    name = asked()
    kept = RequestFolder(folder / "oslo.jsonl")
    (one,) = kept.all()
    path = kept.path / f"{one.digest}.json"
    path.write_bytes(path.read_bytes().replace(b'"request":"', b'"request":"AAAA'))
    for command in ("show", "approve"):
        result = fedps(f"requests {command} oslo.jsonl {name}")
        assert result.exit_code == 2
        assert f"the request {name!r} cannot be read" in result.stderr
    assert kept.status(one.digest) == "waiting"
    assert fedps(f"requests deny oslo.jsonl {name}").exit_code == 0


def test_without_a_card_nothing_can_be_shown(fedps, folder):
    name = asked()
    (folder / "oslo.jsonl.requests" / "client.json").unlink()
    result = fedps(f"requests show oslo.jsonl {name}")
    assert result.exit_code == 2
    assert "has no client.json that can be read" in result.stderr


def test_what_the_policy_refuses_is_shown(fedps, folder, wide):
    name = asked(make_column_transformer((KNNImputer(), ["age", "chol"])))
    shown = words(fedps(f"requests show oslo.jsonl {name}").stdout)
    assert "What your policy refuses: if it is asked for, the fit ends there" in shown
    assert "level: allows SUMMARY, this needs ROWS" in shown
    few = package.Policy(consent="owner", min_rows=1000)
    name = asked(MinMaxScaler(), policy=few)
    shown = words(fedps(f"requests show oslo.jsonl {name}").stdout)
    assert "min_rows: needs 1000 rows and there are fewer" in shown


def test_at_a_lower_level_what_leaves_shows_less(fedps, folder, wide):
    strict = package.Policy(consent="owner", level="AGGREGATE")
    name = asked(make_column_transformer((RobustScaler(), ["age"])), policy=strict)
    shown = fedps(f"requests show oslo.jsonl {name}").stdout
    assert "SUMMARY" not in shown
    assert "level: where values are asked of age, counts leave instead." in words(shown)
    assert "once *" in shown
    assert "* The server chooses some numbers of the question" in words(shown)


def test_what_it_would_use_and_what_is_left_is_shown(fedps, folder, wide):
    name = asked()
    shown = words(fedps(f"requests show oslo.jsonl {name}").stdout)
    assert "What it would use at most: single values (max_share) and numbers (budget)" in shown
    assert "of each of rule this pipeline before limit left now" in shown
    assert "age, chol budget 4 0 16 16" in shown
    ledger = Ledger("oslo.jsonl")
    told = [Charge("age", 0, 13, "1"), Charge("chol", 0, 12, "2")]
    ledger.note(1, "Moments", ("age", "chol"), "AGGREGATE", b"", "sent", charges=told)
    ledger.commit()
    shown = words(fedps(f"requests show oslo.jsonl {name}").stdout)
    assert "age budget 4: more than is left 13 16 3" in shown
    assert "chol budget 4 12 16 4" in shown


def test_what_depends_on_the_cells_is_bounded_by_what_is_left(fedps, folder, wide):
    name = asked(make_column_transformer((OneHotEncoder(), ["chol"])))
    shown = words(fedps(f"requests show oslo.jsonl {name}").stdout)
    assert "chol max_share all that is left 0 16 16" in shown
    rules_off = package.Policy(consent="owner", max_share=1.0, budget=None)
    name = asked(MinMaxScaler(), policy=rules_off)
    assert "What it would use" not in fedps(f"requests show oslo.jsonl {name}").stdout


def test_rules_that_look_at_the_cells_are_said(fedps, folder, wide):
    name = asked()
    shown = words(fedps(f"requests show oslo.jsonl {name}").stdout)
    assert "min_count: values of fewer than 5 rows are not named." in shown
    assert "A column is refused if it has fewer than 10 values (min_rows)" in shown
    people = replace(POLICY, unit="name", deny=[])
    name = asked(OneHotEncoder(), policy=people)
    shown = words(fedps(f"requests show oslo.jsonl {name}").stdout)
    assert "values of fewer than 5 different 'name' are not named" in shown


@pytest.mark.parametrize(("clients", "refused"), [(2, True), (3, False)])
def test_too_few_clients_are_said(fedps, folder, wide, clients, refused):
    name = asked(policy=replace(POLICY, min_clients=3), clients=clients)
    shown = words(fedps(f"requests show oslo.jsonl {name}").stdout)
    assert ("your policy needs 3 (min_clients)" in shown) == refused


def test_what_this_table_lacks_is_said(fedps, folder, wide):
    name = asked(make_column_transformer((StandardScaler(), ["age", "heigt"])), weight="name")
    shown = words(fedps(f"requests show oslo.jsonl {name}").stdout)
    assert "would fail here: there is no column 'heigt', or it is kept back." in shown
    assert "would fail here: there is no column 'name', or it is kept back." in shown
    name = asked(TargetEncoder(), target=None)
    shown = words(fedps(f"requests show oslo.jsonl {name}").stdout)
    assert "would fail here: there is no target." in shown


def test_a_function_that_is_not_listed_any_more_is_said(fedps, folder, wide):
    """One that never was is refused at once, and does not wait."""
    function = f"{pd.isna.__module__}.isna"
    pipeline = make_column_transformer((FunctionTransformer(pd.isna), ["chol"]))
    assert all_asked(pipeline) == set()
    name = asked(pipeline, policy=replace(POLICY, functions=[function]))
    asked()  # the client is opened with its policy of now
    shown = words(fedps(f"requests show oslo.jsonl {name}").stdout)
    assert f"fail here: the function {function!r} is not among the policy's" in shown


def test_target_and_weights_are_columns_that_are_read(fedps, folder, wide):
    name = asked(make_column_transformer((TargetEncoder(), ["pain"])))
    shown = words(fedps(f"requests show oslo.jsonl {name}").stdout)
    assert "1 pain, sick distinct values, and the target for each" in shown
    name = asked(make_column_transformer((StandardScaler(), ["age"])), weight="chol")
    shown = words(fedps(f"requests show oslo.jsonl {name}").stdout)
    assert "- chol weigh the rows by it" in shown
    assert "1 age, chol count, sum, sum of squares AGGREGATE once" in shown


def test_columns_that_get_the_same_questions_are_grouped(fedps, folder, wide):
    pd.DataFrame(np.zeros((20, 200)), columns=[f"c{i}" for i in range(200)]).to_parquet(
        "wide.parquet"
    )
    each = [(StandardScaler(), [f"c{i}"]) for i in range(150)]
    name = asked(make_column_transformer(*each), table="wide.parquet", target=None)
    result = fedps(f"requests show oslo.jsonl {name}")
    shown = words(result.stdout)
    assert shown.count("c0, c1, c2, c3, c4, c5 and 144 more") == 4
    assert "leave out" in shown
    assert len(result.stdout.splitlines()) < 60
    assert result.stdout.endswith("\n\nLong lists are shortened: --full shows them whole.\n")
    whole = words(fedps(f"requests show oslo.jsonl {name} --full").stdout)
    assert " more" not in whole.replace("more than is left", "")
    assert "c148, c149" in whole
    assert "c198, c199" in whole


def test_compounds_and_fitted_estimators_are_told(fedps, folder, wide):
    fitted = StandardScaler().fit(np.arange(6.0).reshape(3, 2))
    pipeline = make_pipeline(
        make_column_transformer(
            (make_union(SimpleImputer(), MinMaxScaler()), ["age", "chol"]),
            ("passthrough", ["age"]),
        ),
        FrozenEstimator(fitted),
        KMeans(3, n_init=1),
    )
    name = asked(pipeline, quantiles=package.KLL(k=200))
    shown = words(fedps(f"requests show oslo.jsonl {name}").stdout)
    assert "side by side (FeatureUnion)" in shown
    assert "1.1.2 age, chol scale each column so that" in shown
    assert "use a transformer that was fitted before, elsewhere" in shown
    assert "3 made from age, chol sort the rows into 3 clusters (KMeans, n_clusters=3" in shown
    assert "find values by a sketch (KLL), which is approximate" in shown


def test_nothing_that_a_server_writes_acts_on_the_terminal(fedps, folder):
    nasty = "\x1b[2J\x1b]0;pwned\x07\n\rNothing leaves"
    params = {"with_mean": True, "with_std": True, "set_output": nasty}
    name = asked(Described("StandardScaler", Parameters(params)), weight=nasty)
    for command in (f"show oslo.jsonl {name}", "list oslo.jsonl"):
        result = fedps(f"requests {command}")
        assert result.exit_code == 0, result.output
        assert "\x1b" not in result.stdout
        assert "\x07" not in result.stdout
        assert "\rNothing" not in result.stdout


@pytest.mark.parametrize("estimator", package.supported())
def test_every_estimator_can_be_shown(fedps, folder, estimator):
    if estimator in ("FrozenEstimator", "ColumnTransformer", "FeatureUnion", "Pipeline"):
        return  # they hold others
    (made,) = (kind for name, kind in all_estimators() if name == estimator)
    result = fedps(f"requests show oslo.jsonl {asked(made())}")
    assert result.exit_code == 0, result.output
    assert f"({estimator}" in words(result.stdout)


def test_every_estimator_has_words():
    from fedps.learned.looks import LOOKS
    from fedps.questions.families import COLUMN_FAMILIES, ROW_FAMILIES

    assert set(STEP_WORDS) >= {*ROW_FAMILIES, *COLUMN_FAMILIES, *LOOKS}


def test_a_look_is_shown_with_its_groups(fedps, folder, wide):
    look = dataclasses.replace(
        package.Look.describe(by="pain"), groups=("åtypisk", "x\x1b[2J", "y" * 99)
    )
    result = fedps(f"requests show oslo.jsonl {asked(look_pipeline(look))}")
    assert result.exit_code == 0, result.output
    lines = [words(line) for line in result.stdout.splitlines()]
    assert "What would be looked at" in lines
    long = "'" + "y" * 36 + "..."
    apart = (
        f"apart in the rows of each of these categories of 'pain': 'åtypisk', 'x\\x1b[2J', {long}"
    )
    assert sum(line.endswith(apart) for line in lines) == 2  # numbers and categories
    assert "1 age, chol distinct values and counts, or bins SUMMARY once" in lines
    assert "3 age, chol distinct values and counts, or bins SUMMARY once in each group" in lines
    assert "5 age, chol correlate each two columns of numbers (CorrelateNumbers)" in lines
    for none in ("no column", "leave out", "stored cells", "Smith", "fitted"):
        assert none not in result.stdout


@pytest.mark.parametrize("words_", ["requests", "requests --help", "requests show --help"])
def test_help(fedps, words_):
    result = fedps(words_)
    assert "LEDGER" in result.output
