"""min_clients and max_dominance at the limit, and one below; and presets."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.preprocessing import StandardScaler

from fedps import Federation, Policy, Refused, UsageError
from fedps.client.policy_file import read_policy
from tests.parts.rules.limits import OFF, fit, on, only, people, refused

SCALER = on(StandardScaler(), "x")


# Clients ----------------------------------------------------------------------------------------


def test_clients():
    tables = {name: people(*[1] * 12) for name in ("oslo", "bergen", "hamar")}
    Federation(tables, policy=only(min_clients=3)).fit(SCALER)
    del tables["hamar"]
    with pytest.raises(Refused) as caught:
        Federation(tables, policy=only(min_clients=3)).fit(SCALER)
    text = "the policy there (min_clients) needs 3 clients in a fit, and there are fewer."
    assert text in str(caught.value)
    assert caught.value.clients == ("oslo", "bergen")


def test_a_client_that_wants_more_company_than_others():
    tables = {"oslo": people(*[1] * 12), "bergen": people(*[1] * 12)}
    policies = {"oslo": only(min_clients=2), "bergen": only(min_clients=3)}
    with pytest.raises(Refused) as caught:
        Federation(tables, policy=policies).fit(SCALER)
    assert caught.value.clients == ("bergen",)


# Dominance --------------------------------------------------------------------------------------

LIMIT = "allows no {} more than 90% of a sum of squared deviations"


def outlier(share, rows=20):
    """Return a column of which one cell has such a share of all squared deviations from the mean."""
    cells = np.array([1.0, -1.0] * (rows // 2 - 1) + [0.0, 0.0])
    lower, upper = 0.0, 1e9
    for _ in range(200):
        cells[-1] = (lower + upper) / 2
        found = (cells[-1] - cells.mean()) ** 2 / ((cells - cells.mean()) ** 2).sum()
        lower, upper = (cells[-1], upper) if found < share else (lower, cells[-1])
    return pd.DataFrame({"x": cells})


def test_a_cell():
    policy = only(max_dominance=0.9)
    fit(SCALER, outlier(0.8999), policy)
    text = refused("max_dominance", LIMIT.format("cell"), SCALER, outlier(0.9001), policy)
    assert "on column 'x'" in text


def test_no_cell_dominates_a_column_without_spread():
    fit(SCALER, pd.DataFrame({"x": [3.0] * 20}), only(max_dominance=0.9))


def shared(alone):
    """Return twelve people, one of whom has such a share of the squared deviations, in ten rows."""
    others = np.tile([1.0, -1.0], 55)  # eleven people: 110
    own = np.tile([1.0, -1.0], 5) * np.sqrt(11 * alone / (1 - alone))
    names = np.repeat([f"p{who:02}" for who in range(12)], 10)
    return pd.DataFrame({"person": names, "x": np.concatenate([own, others])})


def test_a_person():
    policy = only(max_dominance=0.9, unit="person")
    fit(SCALER, shared(0.899), policy)
    refused("max_dominance", LIMIT.format("'person'"), SCALER, shared(0.901), policy)
    fit(SCALER, shared(0.901), only(max_dominance=0.9))  # no cell of theirs does


# Presets ----------------------------------------------------------------------------------------


def test_presets():
    assert Policy.preset("open") == Policy.open() == Policy(level="ROWS", fillings=True, **OFF)
    assert Policy.preset("default") == Policy()
    strict = Policy.preset("strict")
    assert (strict.level, strict.min_rows, strict.min_count) == ("AGGREGATE", 20, 10)
    assert (strict.max_share, strict.budget) == (0.1, 0.2)
    assert (strict.min_clients, strict.max_dominance) == (3, 0.9)
    shield = Policy.preset("datashield")
    assert (shield.min_rows, shield.min_count) == (3, 3)
    assert (shield.max_share, shield.budget) == (0.33, 0.33)
    text = "there is no preset 'strickt'. Did you mean 'strict'?"
    with pytest.raises(UsageError, match=text):
        Policy.preset("strickt")


# for each key: what is as tight as the preset "strict" or tighter, and what is looser
BESIDE = [
    ("level", "AGGREGATE", "SUMMARY"),
    ("min_rows", 20, 19),
    ("min_count", 10, 9),
    ("max_share", 0.1, 0.11),
    ("budget", 0.2, 0.21),
    ("min_clients", 3, 2),
    ("max_dominance", 0.9, 0.91),
    ("fillings", False, True),
]


@pytest.mark.parametrize(("key", "tight", "loose"), BESIDE)
def test_keys_beside_a_preset_only_tighten(key, tight, loose, tmp_path):
    path = tmp_path / "policy.toml"

    def written(value):
        text = f'"{value}"' if isinstance(value, str) else str(value).lower()
        path.write_text(f'preset = "strict"\n\n{key} = {text}\n')
        return path

    assert getattr(read_policy(written(tight)), key) == tight
    with pytest.raises(UsageError) as caught:
        read_policy(written(loose))
    assert f"policy.toml, line 3: {key} = " in str(caught.value)
    assert "allows more than the preset 'strict'" in str(caught.value)
    path.write_text(path.read_text().replace('preset = "strict"', 'preset = "open"'))
    assert getattr(read_policy(path), key) == loose


def test_a_preset_without_more(tmp_path):
    path = tmp_path / "policy.toml"
    for name in ("open", "default", "strict", "datashield"):
        path.write_text(f'preset = "{name}"\n')
        assert read_policy(path) == Policy.preset(name)
    path.write_text('preset = "strict"\nunit = "person"\ndeny = ["name"]\nmax_fits = 3\n')
    policy = read_policy(path)
    assert (policy.unit, list(policy.deny), policy.max_fits) == ("person", ["name"], 3)
    assert policy.min_rows == 20


def test_no_budget_is_looser_than_any(tmp_path):
    path = tmp_path / "policy.toml"
    path.write_text('preset = "strict"\nbudget = inf\n')
    with pytest.raises(UsageError, match="budget = .* allows more"):
        read_policy(path)
