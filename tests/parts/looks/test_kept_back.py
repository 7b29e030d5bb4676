"""What clients keep back of a look is marked everywhere: it is never a smaller number, a 0 or a missing cell."""

import numpy as np
import pandas as pd
import pytest

import fedps
from fedps.looks.gathered_notes import gathered_notes

SITES = {"oslo": 300, "bergen": 200, "lund": 60}
ODD = (1 / 3, 0.5)


def table(rows, seed):
    rng = np.random.default_rng(seed)
    rare = np.where(rng.random(rows) < 0.96, 0, rng.integers(1, 100, rows))
    return pd.DataFrame(
        {
            "ward": rng.choice(["a", "b", "few"], rows, p=[0.55, 0.4, 0.05]),
            "age": rng.normal(50, 9, rows),
            "sex": rng.choice(["f", "m"], rows),
            "doses": rare,
            "day": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, rows), "D"),
        }
    )


@pytest.fixture(scope="module")
def tables():
    return {name: table(rows, k) for k, (name, rows) in enumerate(SITES.items())}


POLICIES = {
    "level": fedps.Policy(level="AGGREGATE"),
    "level at one": {"lund": fedps.Policy(level="AGGREGATE")},
    "min_count": fedps.Policy(min_count=10, min_rows=10),
    "min_rows": fedps.Policy(min_rows=20),
}


@pytest.fixture(scope="module", params=POLICIES)
def found(request, tables):
    policy = POLICIES[request.param]
    if isinstance(policy, dict):
        policy = dict.fromkeys(tables, fedps.Policy()) | policy
    return fedps.Federation(tables, policy=policy).describe(by="ward", percentiles=ODD)


def as_pooled(facts, cells):
    """Whether all numbers of a column that have no mark are those of the pooled cells."""
    shares = dict(zip(("33.3%", "50%"), facts.quantiles, strict=False))
    known = {"count": cells.notna().sum(), "missing": cells.isna().sum()}
    known |= {"unique": cells.nunique()}
    if facts.kind == "numbers":
        known |= {"skewness": cells.skew()}
        known |= {"minimum": cells.min(), "maximum": cells.max(), "mean": cells.mean()}
        known |= {label: cells.quantile(share) for label, share in zip(shares, ODD, strict=True)}
    for name, wanted in known.items():
        ours = shares[name] if name in shares else getattr(facts, name)
        if name not in facts.marks and ours is not None:
            assert ours == pytest.approx(wanted, rel=1e-12), (facts.name, name)


def test_numbers_without_a_mark_are_those_of_all_rows(found, tables):
    pooled = pd.concat(tables.values())
    for facts in found.columns:
        as_pooled(facts, pooled[facts.name])
    for group in found.groups:
        rows = pooled[pooled["ward"] == group.value]
        assert group.mark or group.rows == len(rows)
        for facts in group.columns:
            as_pooled(facts, rows[facts.name])


def test_a_site_that_keeps_a_column_back_has_no_missing_cells_there(found, tables):
    for facts in found.columns:
        for site in facts.sites:
            cells = tables[site.client][facts.name]
            assert site.kept_back or site.count == len(cells)
            assert site.count in (None, len(cells))
            assert site.missing in (None, 0)


def test_groups_that_sites_leave_out_say_without_whom(tables):
    federation = fedps.Federation(tables, policy=fedps.Policy(min_rows=20))
    found = federation.describe(["age", "sex"], by="ward")
    marked = {group.value: group.mark for group in found.groups if group.mark}
    assert marked
    assert all(", without " in mark or mark == "kept back" for mark in marked.values())
    assert found.to_pandas().loc[list(marked), ("age", "count")].isna().all()
    assert all(mark in found.to_html() and mark in repr(found) for mark in marked.values())


def test_quantiles_at_odd_shares_have_their_marks(tables):
    found = fedps.Federation(tables, policy=POLICIES["level"]).describe(["age"], percentiles=ODD)
    assert found.columns[0].marks["33.3%"].startswith("between ")
    assert "not known" not in found.columns[0].marks.values()
    assert repr(found).count("between") == 2


def test_dates_without_a_site_are_dates():
    days = pd.DataFrame({"day": pd.date_range("2020-01-01", periods=40)})
    few = pd.DataFrame({"day": pd.to_datetime(["2020-05-01"] * 38 + ["2021-01-01"] * 2)})
    federation = fedps.Federation(
        {"oslo": days, "lund": few}, policy={"lund": fedps.Policy(min_count=10)}
    )
    facts = federation.describe().columns[0]
    assert facts.marks["minimum"] == "2020-01-01, without lund"
    assert facts.marks["50%"] == "2020-01-20, without lund"
    assert facts.marks["std"] == "11.69 days, without lund"


def test_an_overview_claims_nothing_of_cells_that_are_not_shown(tables):
    lund = {"oslo": fedps.Policy(), "bergen": fedps.Policy(), "lund": POLICIES["level"]}
    partly = fedps.Federation(tables, policy=lund).describe(["sex"]).to_html()
    assert "None in 1 column, of those that sites show." in partly
    assert "no missing cells" not in partly
    nothing = fedps.Federation(tables, policy=POLICIES["level"]).describe(["sex"]).to_html()
    assert "<dt>Missing cells</dt><dd><b>kept back</b>" in nothing


def test_columns_of_several_owners_have_the_same_rows(tables):
    one, other = tables["oslo"][["age"]], tables["oslo"][["sex"]]
    page = fedps.Federation({"a": one, "b": other}, split="columns").describe().to_html()
    assert "<dt>Rows</dt><dd><b>300</b><small>the same at all sites</small>" in page
    assert page.count("<td>100%</td>") == 2


def test_distinct_whole_numbers_beyond_doubles_are_a_lower_bound():
    ids = pd.DataFrame({"id": [2**53, 2**53 + 1, 2**53 + 2, 7]})
    facts = fedps.Federation([ids[:2], ids[2:]]).describe().columns[0]
    assert (facts.unique, facts.marks["unique"]) == (None, ">= 3")
    near = fedps.Federation([ids % 2**52]).describe().columns[0]
    assert near.unique == 4


def test_sentences_about_several_clients_are_plural():
    one = "client {!r} shows less than was asked of age by its policy (level)."
    said = gathered_notes([one.format("oslo"), one.format("lund")])
    assert said == [
        "clients 'oslo' and 'lund' show less than was asked of age by their policies (level)."
    ]
