"""``fedps policy check --pipeline``: which rules bite, and what of the budget a fit uses."""

import re

import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.preprocessing import StandardScaler

import fedps as library
from fedps.cli.policy.tried_pipeline import try_pipeline
from fedps.client import Ledger, Policy, Responder, open_table
from fedps.client.policy import PRESETS
from fedps.client.policy_file import KEYS
from fedps.demo import load
from fedps.transports import LocalTransport

MORE = """
from sklearn.preprocessing import MinMaxScaler, OrdinalEncoder
rare = make_column_transformer((OneHotEncoder(), ["name"]), (StandardScaler(), ["age"]))
ends = make_column_transformer((MinMaxScaler(), ["chol"]))
"""


@pytest.fixture
def check(fedps, folder, monkeypatch):
    """Run ``fedps policy check``, in wide lines unless it is told not to; return all words of its output."""
    with (folder / "prep.py").open("a", encoding="utf-8") as file:
        file.write(MORE)

    def run(words, *, exit_code=0, width=400):
        monkeypatch.setattr("fedps.cli.output._NARROW", width)
        result = fedps(f"policy check {words}")
        assert result.exit_code == exit_code, result.output
        if exit_code == 0:
            assert max(map(len, result.stdout.splitlines())) <= width
            for cell in ("J. Smith", "typical"):
                assert cell not in result.output
        return " ".join(result.output.split())

    return run


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("pipeline", ["", "--pipeline prep.py:pipeline"])
def test_presets_can_be_checked_by_name(check, preset, pipeline):
    said = check(f"{preset} oslo.parquet {pipeline}", width=80)
    assert f"The preset '{preset}'" in said
    assert f"preset {preset} what it begins with" in said
    assert ("This fit" in said) == bool(pipeline)
    if preset == "strict":
        assert "min_clients = 3: a fit with fewer clients is refused." in said


def test_every_key_of_a_policy_has_a_line(fedps, folder):
    (folder / "policy.toml").write_text('preset = "datashield"\nmin_count = 4\n', "utf-8")
    lines = fedps("policy check policy.toml oslo.parquet").stdout.splitlines()
    first = [line.split()[0] for line in lines[: lines.index("")] if line.strip()]
    assert [word for word in first if word in KEYS] == list(KEYS)
    assert any(re.match(r" +min_count +4 ", line) for line in lines)


def test_a_file_goes_before_a_preset_of_its_name(check, folder):
    (folder / "strict").write_text("min_rows = 3\n", "utf-8")
    said = check("strict oslo.parquet --pipeline prep.py:pipeline")
    assert "The policy in strict" in said
    assert "min_rows 3 " in said


def test_a_fit_that_passes_says_what_it_uses(check):
    said = check("default oslo.parquet --pipeline prep.py:pipeline")
    assert "SimpleImputer age count and sum AGGREGATE 1" in said
    assert "StandardScaler age count, sum, sum of squares AGGREGATE 1" in said
    assert "age budget 3 0 16 13" in said
    assert "all answers together may show 16 single values and tell 16 numbers" in said
    assert "The same fit again costs nothing" in said
    assert "This fit passes, and no rule bites." in said
    assert "Where a rule bites" not in said


def test_a_rule_that_refuses_is_named_with_its_limit_and_the_way_out(check):
    said = check("strict oslo.parquet --pipeline prep.py:pipeline")
    assert "OneHotEncoder is refused: the policy" in said
    assert "this needs SUMMARY" in said
    assert "Leave the column out, or" in said
    assert "This fit is refused in round 1, as the table says." in said
    assert "What it would ask after that was not tried." in said


def test_an_encoder_that_needs_rare_categories_is_refused_with_a_way_out(check):
    said = check("default oslo.parquet --pipeline prep.py:rare")
    assert "name min_count shown: only categories of at least 5 cells" in said
    assert "This fit ends with an error: client 'oslo' shows only categories" in said
    assert "Use OneHotEncoder(handle_unknown='infrequent_if_exist'" in said


def ledger_after(fits, policy, estimator=None, path="oslo.jsonl"):
    """Fit on Oslo's table some times, with a ledger file; return it."""
    ledger = Ledger(path)
    responder = Responder("oslo", open_table("oslo.parquet"), policy, ledger=ledger)
    federation = library.Federation(LocalTransport({"oslo": responder}))
    for _ in range(fits):
        federation.fit(estimator or make_column_transformer((StandardScaler(), ["age", "chol"])))
    return ledger


def test_what_the_ledger_has_counts(check, folder):
    ledger_after(1, Policy())
    before = (folder / "oslo.jsonl").read_bytes()
    said = check("default oslo.parquet --pipeline prep.py:pipeline --ledger oslo.jsonl")
    assert "age budget 3 2 16 11" in said
    assert "chol budget 0 2 16 14" in said
    assert (folder / "oslo.jsonl").read_bytes() == before


def test_a_repeated_fit_is_free(check, folder):
    ledger_after(2, Policy())
    said = check("default oslo.parquet --pipeline prep.py:scaler --ledger oslo.jsonl")
    assert "age, chol budget 0 2 16 14" in said


def test_what_is_used_is_what_a_ledger_is_charged(folder):
    estimator = make_column_transformer((StandardScaler(), ["age", "chol"]))
    tried = try_pipeline(estimator, open_table("oslo.parquet"), Policy(), "oslo")
    account = ledger_after(1, Policy(), estimator).account()
    assert tried.used == account.by_column


@pytest.mark.parametrize(("budget", "passes"), [(0.06, True), (0.059, False)])
def test_the_budget_bites_one_below_what_is_needed(check, folder, budget, passes):
    """Three numbers about age, of fifty rows."""
    (folder / "policy.toml").write_text(f"budget = {budget}\n", "utf-8")
    said = check("policy.toml oslo.parquet --pipeline prep.py:pipeline")
    assert ("This fit passes" in said) == passes
    assert ("StandardScaler is refused: the policy tells at most" in said) != passes


def test_a_spent_budget_bites(check, folder):
    (folder / "policy.toml").write_text("budget = 0.06\nmax_fits = 1\n", "utf-8")
    ledger_after(1, Policy())
    said = check("policy.toml oslo.parquet --pipeline prep.py:pipeline --ledger oslo.jsonl")
    assert "age budget" in said
    assert "is refused: the policy tells at most" in said
    assert "max_fits: 1 of 1 fit are used. No more is answered." in said


def test_units_that_the_table_lacks(check, folder):
    (folder / "policy.toml").write_text('unit = "nam"\n', "utf-8")
    for more in ("", "--pipeline prep.py:pipeline"):
        said = check(f"policy.toml oslo.parquet {more}")
        assert "unit names a column 'nam', which is not there. Did you mean 'name'?" in said
        assert "a client with this policy does not start" in said
        assert "What could be fitted" not in said


def test_texts_are_counted_by_units(fedps, folder, tables):
    rows = tables["oslo"]
    rows["who"] = [f"p{i // 2}" for i in range(50)]
    rows["pain"] = ["a"] * 41 + ["b"] * 9  # nine rows of five people
    rows.to_parquet("oslo.parquet", index=False)
    for least, rare in ((5, 0), (6, 1)):
        (folder / "policy.toml").write_text(f'unit = "who"\nmin_count = {least}\n', "utf-8")
        said = fedps("policy check policy.toml oslo.parquet --pipeline prep.py:scaler").stdout
        assert re.search(rf"^  pain +yes +2 +{rare}$", said, re.MULTILINE)
        assert re.search(r"^  who +kept back", said, re.MULTILINE)
        assert "the fewest different 'who' behind a number" in said


@pytest.mark.parametrize(
    ("who", "says"),
    [
        (lambda i: i // 5, None),
        (lambda i: i, "unit = 'who' is different in every row: rows are counted, as without it."),
        (lambda i: i % 5, "unit = 'who' has 5 different values in 300 rows. Does it say whose"),
    ],
)
def test_a_unit_that_is_none(check, folder, tables, who, says):
    rows = pd.concat([tables["oslo"]] * 6, ignore_index=True).drop(columns="name")
    rows["who"] = [f"p{who(i)}" for i in range(300)]
    rows.to_csv("six.csv", index=False)
    (folder / "policy.toml").write_text('unit = "who"\nmin_rows = 5\n', "utf-8")
    said = check("policy.toml six.csv --pipeline prep.py:scaler")
    assert ("unit = 'who' " in said) == (says is not None)
    assert says is None or says in said


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("default oslo.parquet --ledger oslo.jsonl", "--ledger needs --pipeline, too"),
        (
            "default oslo.parquet --pipeline prep.py:pipeline --ledger no.jsonl",
            "there is no file 'no.jsonl'",
        ),
        ("default oslo.parquet --pipeline prep.py:pipelin", "Did you mean 'pipeline'?"),
        ("stric oslo.parquet", "the policy 'stric' cannot be read"),
    ],
)
def test_mistakes(check, words, says):
    assert says in check(words, exit_code=2)


@pytest.mark.parametrize("preset", PRESETS)
def test_the_demo_passes_or_says_how(check, folder, preset):
    """The pipeline of the demo, on each island; what is refused has a way out."""
    (folder / "demo.py").write_text("from fedps.demo import preprocessing\n", "utf-8")
    for island, rows in load().groupby("island"):
        rows.drop(columns="island").to_parquet(f"{island}.parquet", index=False)
        said = check(f"{preset} {island}.parquet --target species --pipeline demo.py:preprocessing")
        if preset in ("open", "default", "datashield"):
            assert "This fit passes" in said
        else:
            assert "is refused: the policy allows AGGREGATE, this needs SUMMARY" in said
            assert "Leave the column out, or raise level in the policy" in said
