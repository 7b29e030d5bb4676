"""PowerTransformer across clients, and pooled."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PowerTransformer, StandardScaler

import fedps
from fedps.errors import ClientError, Refused
from tests.twins import partitions, tables
from tests.twins.partitions import EVERY, FEW, pool, rearrange
from tests.twins.rows.power import PATHS, check_power, fit_pooled, same_column, same_form
from tests.twins.twin import cross, without

every_path = pytest.mark.parametrize("path", PATHS)


# Tables -----------------------------------------------------------------------------------------


def hard():
    """Columns on which scikit-learn has lost digits, or all of them."""
    rng = tables.random(31)
    n = tables.ROWS
    return pd.DataFrame(
        {
            "years": rng.integers(2003, 2011, n),
            "offset": 1e9 + rng.integers(0, 9, n),
            "cauchy": rng.standard_cauchy(n),
            "negative": -rng.lognormal(2, 1, n),
            "not positive": -rng.integers(0, 4, n).astype(float),
            "outlier": np.append(np.ones(n - 1), 2.0),
            "two": np.where(rng.random(n) < 0.1, 0.0, 1.0),
            "huge": 10.0 ** rng.uniform(-300, 140, n),
            "tiny": rng.exponential(1e-9, n),
            "both": np.append(rng.integers(2003, 2011, n - 1), -1e-3),
        }
    )


def hard_holes():
    table = hard()
    return pd.DataFrame(tables.with_holes(table.to_numpy(float), 0.1), columns=table.columns)


def positive():
    return np.abs(hard()).drop(columns=["not positive", "two"])


def positive_holes():
    return np.abs(hard_holes()).drop(columns=["not positive", "two"])


def positive_array():
    return tables.random(3).lognormal(size=(tables.ROWS, 3))


def positive_float32():
    return positive_array().astype(np.float32)


def positive_float16():
    return positive_array().astype(np.float16)


def constants_and_gaps():
    values = {"a": [3.0] * 9 + [np.nan], "b": [0.0] * 9 + [np.nan], "c": [-2.5] * 10}
    return pd.DataFrame(values).iloc[np.arange(60) % 10].reset_index(drop=True)


def normal():
    return pd.DataFrame(tables.random(8).normal(size=(tables.ROWS, 2)), columns=["a", "b"])


POWER, BOX_COX = PowerTransformer(), PowerTransformer(method="box-cox")
RAW = PowerTransformer(standardize=False)
CORE = {
    "numbers": (POWER, tables.numbers),
    "hard": (POWER, hard),
    "hard-holes": (POWER, hard_holes),
    "box-cox": (BOX_COX, positive),
}
SETTINGS = {
    **CORE,
    "ints": (POWER, tables.ints),
    "float32": (POWER, tables.float32_holes),
    "booleans": (POWER, tables.booleans),
    "offset": (POWER, tables.offset_holes),
    "constants": (POWER, tables.constants),
    "constants-holes": (POWER, tables.constants_holes),
    "constants-gaps": (POWER, constants_and_gaps),
    "empty-column": (POWER, tables.empty_column),
    "nullable": (POWER, tables.nullable_numbers),
    "arrow": (POWER, tables.arrow_numbers),
    "polars": (POWER, tables.polars_numbers),
    "array": (POWER, tables.array_holes),
    "array-ints": (POWER, tables.array_ints),
    "array-float32": (POWER, tables.array_float32),
    "array-float16": (POWER, tables.array_float16),
    "array-float16-positive": (POWER, positive_float16),
    "fortran": (POWER, tables.fortran),
    "normal": (POWER, normal),
    "no-copy": (PowerTransformer(copy=False), tables.plain_numbers),
    "raw": (RAW, tables.numbers),
    "raw-hard": (RAW, hard),
    "raw-float32": (RAW, tables.array_float32_holes),
    "strings": (POWER, tables.strings),
    "csr": (POWER, tables.csr),
    "box-cox-holes": (BOX_COX, positive_holes),
    "box-cox-array": (BOX_COX, positive_array),
    "box-cox-float32": (BOX_COX, positive_float32),
    "box-cox-raw": (PowerTransformer(method="box-cox", standardize=False), positive),
    "box-cox-not-positive": (BOX_COX, tables.numbers),
    "box-cox-constants": (BOX_COX, constants_and_gaps),
}


@every_path
@pytest.mark.parametrize(
    ("estimator", "builder", "partition"),
    [
        *cross(CORE, *EVERY),
        *cross(without(SETTINGS, CORE), *FEW[1::3], partitions.missing_at_one),
    ],
)
def test_power_transformer(estimator, builder, partition, path):
    clients = partition(builder())
    check_power(estimator, clients, path)


def test_rounds():
    table = tables.plain_numbers()
    clients = partitions.thirds(table)
    assert check_power(POWER, clients, "table").rounds == 1
    assert check_power(RAW, clients, "table").rounds == 1
    assert 3 <= check_power(POWER, clients, "sums").rounds <= 6
    assert check_power(RAW, clients, "sums").rounds <= 5
    assert check_power(POWER, partitions.thirds(hard()), "sums").rounds <= 6


def test_a_table_at_one_client_only():
    table = hard()
    parts = partitions.thirds(table)
    policies = dict(
        zip(
            "abc",
            [
                fedps.Policy.open(),
                fedps.Policy(min_rows=0, max_share=0.2, min_count=0, budget=None),
                None,
            ],
            strict=True,
        )
    )
    clients = dict(zip("abc", parts, strict=True))
    federation = fedps.Federation(clients, policy={k: p for k, p in policies.items() if p})
    ours, pooled = federation.fit(POWER), fit_pooled(POWER, table)
    same_form(ours, pooled)
    for j, name in enumerate(table):
        both = ((ours, ours.lambdas_[j]), (pooled, pooled.lambdas_[j]))
        same_column(j, *both, table, table[name].to_numpy(float), "sums")


@every_path
def test_in_a_pipeline(path):
    table = tables.numbers()
    steps = [SimpleImputer(), PowerTransformer(), StandardScaler()]
    columns = make_column_transformer((make_pipeline(*steps), ["height", "income"]))
    clients = partitions.shuffled_columns(table)
    with PATHS[path]():
        ours = fedps.Federation(clients).fit(columns)
    pooled_rows = pool(clients)
    pooled = make_column_transformer((make_pipeline(*steps), ["height", "income"])).fit(pooled_rows)
    wanted = pooled.transform(pooled_rows)
    np.testing.assert_allclose(ours.transform(pooled_rows), wanted, rtol=0, atol=1e-5)


def test_who_has_a_number_that_is_not_positive():
    good, bad = pd.DataFrame({"x": [1.0, 2.0]}), pd.DataFrame({"x": [1.0, 0.0]})
    with pytest.raises(ClientError, match="client 'oslo' has numbers in column 'x' that are not"):
        fedps.Federation({"bergen": good, "oslo": bad}).fit(BOX_COX)


@pytest.mark.parametrize("cells", [[np.nan, np.nan], [2.0, 2.0]], ids=["gaps", "constant"])
def test_columns_that_box_cox_cannot_learn_from(cells):
    clients = [pd.DataFrame({"x": [1.0, 2.0], "y": cells})] * 2
    with pytest.raises(ClientError, match="column 'y'"):
        fedps.Federation(clients).fit(BOX_COX)


def test_both_signs_of_huge_numbers():
    table = pd.DataFrame({"x": [-1e150, 1e150, 1.0, 3.0]})
    assert isinstance(fit_pooled(POWER, table), ValueError)
    with pytest.raises(ClientError, match="column 'x' has both positive and negative"):
        fedps.Federation([table]).fit(POWER)


def test_a_client_that_shows_only_sums_refuses():
    clients = partitions.thirds(tables.plain_numbers())
    policy = fedps.Policy(level="AGGREGATE", min_rows=0)
    with pytest.raises(Refused, match="AGGREGATE"):
        fedps.Federation(clients, policy=policy).fit(POWER)


def test_columns_in_any_order():
    table = normal()
    parts = partitions.thirds(table)
    federation = fedps.Federation([parts[0], rearrange(parts[1], [1, 0]), parts[2]])
    ours, pooled = federation.fit(POWER), fit_pooled(POWER, table)
    np.testing.assert_allclose(ours.lambdas_, pooled.lambdas_, rtol=0, atol=1e-6)
