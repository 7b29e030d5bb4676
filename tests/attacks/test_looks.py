"""A server that looks at data in order to read single rows: what it tries ends in less, or in a refusal."""

import numpy as np
import pandas as pd
import pytest

import fedps
from fedps.client.places.row_groups import hidden_groups
from fedps.federation.looks.look_pipeline import look_pipeline, part_names

POLICIES = ["default", "strict", "datashield"]
TOWN = "Fulda"


def site(rows, seed):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.normal(50, 15, rows).round(1),
            "sex": rng.choice(["f", "m"], rows),
            "town": rng.choice(["Oslo", "Bergen"], rows),
            "income": rng.lognormal(10, 1, rows),
        }
    )


def sites(rows=300):
    tables = {f"site {i}": site(rows, i) for i in range(3)}
    tables["site 0"].loc[7, ["town", "age", "income"]] = [TOWN, 123.4, 7654321.125]
    return tables


@pytest.mark.parametrize("preset", POLICIES)
def test_a_rare_category_is_not_named(preset):
    federation = fedps.Federation(sites(), policy=fedps.Policy.preset(preset))
    found = federation.describe()
    said = found.to_json() + found.to_html() + repr(found)
    assert TOWN not in said
    assert TOWN not in federation.crosstab("town", "sex").to_json()


@pytest.mark.parametrize("preset", POLICIES)
def test_a_group_of_one_is_not_described(preset):
    federation = fedps.Federation(sites(), policy=fedps.Policy.preset(preset))
    look = fedps.Look.describe(["age", "income"], by="town")
    # an honest server does not know the category: this one guesses it
    guessed = fedps.Look(look.name, look.columns, look.percentiles, False, "town", (TOWN,))
    found = federation._split._carried(
        federation._session.new_run("describe"), None, look_pipeline(guessed), None, *_plan()
    )
    groups = dict(zip(part_names(guessed), found.outcome, strict=True))
    assert {facts.count for facts in groups["numbers 0"]} == {0}
    assert all(facts.mean is None for facts in groups["numbers 0"])


def _plan():
    from fedps.plans.looks.look import look_plan
    from fedps.protocol.pooled import Options

    return Options(), look_plan


@pytest.mark.parametrize("seed", range(200))
def test_hidden_groups_do_not_follow_from_the_others(seed):
    rng = np.random.default_rng(seed)
    sizes = dict(enumerate(rng.integers(0, 40, rng.integers(1, 8)).tolist()))
    rest, least = int(rng.integers(0, 15)), int(rng.integers(1, 20))
    hidden = hidden_groups(sizes, rest, least)
    assert {group for group, size in sizes.items() if 0 < size < least} <= hidden
    unseen = rest + sum(sizes[group] for group in hidden)
    # all rows minus the groups that are shown: none, enough, or there is nothing that could still be hidden
    assert not 0 < unseen < least or all(g in hidden for g, size in sizes.items() if size)


def test_the_largest_income_is_not_shown_where_values_are_not():
    federation = fedps.Federation(sites(), policy=fedps.Policy.preset("strict"))
    assert "7654321" not in federation.describe().to_json()


def test_looks_use_up_the_budget_as_fits_do():
    policy = fedps.Policy(budget=0.05)
    federation = fedps.Federation(sites(), policy=policy)
    first = federation.describe(correlation=False)
    assert first.columns[0].mean is not None
    shown = [federation.describe(percentiles=[q], correlation=False) for q in (0.1, 0.2, 0.3, 0.4)]
    last = shown[-1].columns[0]
    assert last.quantiles == (None,)


def test_one_site_that_keeps_its_own_numbers_back_hides_all():
    own = {
        "site 0": fedps.Policy(own_numbers=False),
        "site 1": fedps.Policy(),
        "site 2": fedps.Policy(),
    }
    found = fedps.Federation(sites(), policy=own).describe()
    assert {s.kept_back != "" for facts in found.columns for s in facts.sites} == {True}
    own["site 1"] = fedps.Policy(own_numbers=False)
    found = fedps.Federation(sites(), policy=own).describe()
    kept = {s.client: s.kept_back != "" for s in found.columns[0].sites}
    assert kept == {"site 0": True, "site 1": True, "site 2": False}


def test_denied_columns_are_not_described():
    found = fedps.Federation(sites(), policy=fedps.Policy(deny=["income"])).describe()
    assert [facts.name for facts in found.columns] == ["age", "sex", "town"]
    with pytest.raises(fedps.ClientError, match="no column 'income'"):
        fedps.Federation(sites(), policy=fedps.Policy(deny=["income"])).describe(["income"])
    with pytest.raises(fedps.ClientError, match="no column 'income'"):
        fedps.Federation(sites(), policy=fedps.Policy(deny=["income"])).describe(by="income")
