"""What each client gets from ``transform`` is what the pooled fit makes of its rows."""

import pytest
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import LabelEncoder, MinMaxScaler, OneHotEncoder, StandardScaler

import fedps
from tests.twins import partitions, tables
from tests.twins.compare import assert_same_fit, assert_same_output
from tests.twins.partitions import pool, rearrange
from tests.twins.twin import fit_pooled

CHOICES = {
    "scaler": (StandardScaler(), tables.numbers),
    "scaler-array": (MinMaxScaler(), tables.array_holes),
    "scaler-polars": (StandardScaler(), tables.polars_numbers),
    "scaler-csr": (StandardScaler(with_mean=False), tables.csr),
    "encoder": (OneHotEncoder(), tables.strings_nan),
    "pandas-out": (StandardScaler().set_output(transform="pandas"), tables.numbers),
    "columns": (
        make_column_transformer(
            (make_pipeline(SimpleImputer(), StandardScaler()), ["age", "chol"]),
            (OneHotEncoder(), ["cp", "thal"]),
            sparse_threshold=0,
        ),
        tables.people,
    ),
}
SPLITS = [partitions.thirds, partitions.single_rows, partitions.shuffled_columns]


@pytest.mark.parametrize("split", SPLITS, ids=lambda split: split.__name__)
@pytest.mark.parametrize("choice", CHOICES)
def test_outputs_are_keyed_like_the_clients(choice, split):
    estimator, builder = CHOICES[choice]
    if builder is tables.polars_numbers and not tables.POLARS_NAMED:
        pytest.skip("this scikit-learn does not see this polars' names")
    if not partitions.suits(split, builder()):
        split = partitions.interleaved
    parts = split(builder())
    pooled = fit_pooled(estimator, pool(parts))
    expected = [pooled.transform(in_order(part, parts[0])) for part in parts]

    listed = fedps.Federation(parts)
    fitted, outputs = listed.fit_transform(estimator)
    assert_same_fit(fitted, pooled)
    assert isinstance(outputs, list)
    for mine, theirs in zip(outputs, expected, strict=True):
        assert_same_output(mine, theirs, pooled)

    names = [f"client {k}" for k in range(len(parts))]
    named = fedps.Federation(dict(zip(names, parts, strict=True)))
    outputs = named.transform(fitted)
    assert list(outputs) == names
    for name, theirs in zip(names, expected, strict=True):
        assert_same_output(outputs[name], theirs, pooled)


def in_order(part, first):
    """Return a client's table with the columns in the first client's order."""
    if not hasattr(part, "columns"):
        return part
    return rearrange(part, [list(part.columns).index(name) for name in first.columns])


def test_labels_are_transformed_too():
    parts = partitions.thirds(tables.people())
    fitted, outputs = fedps.Federation(parts, target="cp").fit_transform(LabelEncoder())
    for part, mine in zip(parts, outputs, strict=True):
        assert_same_output(mine, fitted.transform(part["cp"]), fitted)


def test_the_target_is_not_a_feature():
    parts = partitions.thirds(tables.people()[["age", "chol", "cp"]])
    fitted = fedps.Federation(parts, target="cp").fit(StandardScaler())
    pooled = fit_pooled(StandardScaler(), pool(parts)[["age", "chol"]])
    assert_same_fit(fitted, pooled)
