"""``fedps policy check``: the verdicts are what happens, and no cell is shown."""

import pytest
from sklearn.compose import make_column_transformer
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, StandardScaler

import fedps as library
from fedps.cli.policy.tried_estimators import TRIED
from fedps.cli.policy.verdicts import POSSIBLE, Judge
from fedps.client import Policy, open_table

POLICIES = {
    "default": "",
    "careful": 'level = "AGGREGATE"\ndeny = ["name"]\n',
    "floor": "min_rows = 49\n",
    "open": 'preset = "open"\n',
    "share": "max_share = 0.0\n",
}


@pytest.mark.parametrize("name", POLICIES)
def test_it_says_what_the_policy_is_and_shows_no_cell(fedps, folder, name):
    (folder / "policy.toml").write_text(POLICIES[name], "utf-8")
    result = fedps("policy check policy.toml oslo.parquet --target sick")
    assert result.exit_code == 0, result.output
    for title in ("The policy in policy.toml", "Columns:", "What could be fitted", "would leave"):
        assert title in result.stdout
    for cell in ("J. Smith", "typical"):
        assert cell not in result.output
    assert max(map(len, result.stdout.splitlines())) <= 80


def verdicts(table, policy, target=None):
    found = {}
    for verdict in Judge(open_table(table, target=target), policy).verdicts():
        for column in verdict.columns:
            found[verdict.estimator, column] = verdict.rule
    return found


def test_every_estimator_is_judged_on_every_column_offered(tables):
    found = verdicts(tables["oslo"], Policy(deny=["name"]), target="sick")
    assert {name for name, _ in found} == set(TRIED)
    assert {column for _, column in found} == {"age", "chol", "pain", "sick"}
    for name in ("StandardScaler", "OneHotEncoder", "TargetEncoder"):
        assert {column for known, column in found if known == name} == {"age", "chol", "pain"}


@pytest.mark.parametrize(
    "policy",
    [
        Policy(),
        Policy(level="AGGREGATE"),
        Policy(min_rows=45),
        Policy(allow=["age", "pain"]),
        Policy(max_share=0.0),
    ],
    ids=repr,
)
@pytest.mark.parametrize("estimator", [StandardScaler(), MinMaxScaler(), OneHotEncoder()])
def test_verdicts_are_what_a_fit_comes_to(tables, policy, estimator):
    found = verdicts(tables["oslo"], policy)
    name = type(estimator).__name__
    for column in tables["oslo"]:
        federation = library.Federation({"oslo": tables["oslo"]}, policy=policy)
        try:
            federation.fit(make_column_transformer((estimator, [column])))
            possible = True
        except library.ClientError:
            possible = False
        assert (found.get((name, column)) == POSSIBLE) == possible, column


def test_the_rule_is_named(tables):
    found = verdicts(tables["oslo"], Policy(level="AGGREGATE", min_rows=45, deny=["name"]), "sick")
    assert found["MinMaxScaler", "chol"] == "level allows AGGREGATE, this needs SUMMARY"
    assert found["StandardScaler", "age"].startswith("min_rows needs 45 values")
    assert found["StandardScaler", "pain"] == "not numbers"
    assert found["KBinsDiscretizer", "age"] == "missing values: impute first"
    hidden = verdicts(tables["oslo"], Policy(deny=["sick"]), "sick")
    assert hidden["LabelEncoder", "sick"] == "the policy keeps 'sick' back"


def test_what_would_leave_is_what_the_ledger_says(tables):
    judge = Judge(open_table(tables["oslo"]), Policy(level="AGGREGATE", allow=["chol"]))
    list(judge.verdicts())
    assert {level for _, level, _ in judge.sent} == {"AGGREGATE"}
    assert set().union(*judge.sent.values()) == {"chol"}
    assert ("Spread", "AGGREGATE", "counts only") in judge.sent


def test_warnings(fedps, folder):
    (folder / "policy.toml").write_text(
        'deny = ["nam"]\nallow = ["pain", "name", "chl"]\nfunctions = ["prep.halv"]\n', "utf-8"
    )
    result = fedps("policy check policy.toml oslo.parquet")
    said = " ".join(result.stdout.split())
    assert "deny names a column 'nam', which is not there. Did you mean 'name'?" in said
    assert "allow names a column 'chl', which is not there." in said
    assert (
        "column 'name' has 50 different texts in 50 rows. 50 of them are rarer than min_count = 5 and "
        "not named."
    ) in said
    assert "functions names 'prep.halv', which cannot be imported here" in said
    assert "Without --target" in said


def test_rare_categories_are_counted(fedps, folder, tables):
    rows = tables["oslo"].drop(columns="name")
    rows.loc[3, "pain"] = "J. Smith's"
    rows.to_csv("rare.csv", index=False)
    (folder / "policy.toml").write_text("", "utf-8")
    result = fedps("policy check policy.toml rare.csv")
    said = " ".join(result.stdout.split())
    assert "column 'pain': 1 text rarer than min_count = 5. It is not named" in said
    assert "J. Smith" not in result.output


def test_loose_policies_are_called_so(fedps, folder):
    (folder / "policy.toml").write_text(POLICIES["open"], "utf-8")
    said = fedps("policy check policy.toml oslo.parquet").stdout
    for part in ("whole rows leave", "a number may stand for a single row", "there is no budget"):
        assert part in said
    for part in ("min_count = 0", "max_share = 1", "fillings = true"):
        assert part in said
    (folder / "policy.toml").write_text("", "utf-8")
    said = fedps("policy check policy.toml oslo.parquet").stdout
    assert "fillings = true" not in said
    assert "no budget" not in said


def test_too_few_rows(fedps, folder):
    (folder / "policy.toml").write_text("min_rows = 51\n", "utf-8")
    result = fedps("policy check policy.toml oslo.parquet")
    assert result.exit_code == 0
    assert "refuses to take part in anything" in " ".join(result.stdout.split())
    assert "What could be fitted" not in result.stdout


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("nope.toml oslo.parquet", "'nope.toml' cannot be read"),
        ("policy.toml nope.csv", "there is no file 'nope.csv'"),
        ("policy.toml oslo.parquet --target sik", "Did you mean 'sick'?"),
        ("bad.toml oslo.parquet", "bad.toml, line 2: a policy has no 'min_row'"),
    ],
)
def test_mistakes(fedps, folder, words, says):
    (folder / "policy.toml").write_text("", "utf-8")
    (folder / "bad.toml").write_text("\nmin_row = 3\n", "utf-8")
    result = fedps(f"policy check {words}")
    assert result.exit_code == 2
    assert says in result.stderr
    assert result.stdout == ""
