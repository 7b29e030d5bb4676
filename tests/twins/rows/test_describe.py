"""describe and corr across clients, and by pandas on the pooled rows."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

import fedps
from tests.rotation import rotated
from tests.twins import tables
from tests.twins.partitions import EVERY, pool, suits

TABLES = {
    "numbers": tables.numbers,
    "ints": tables.ints,
    "ints-and-floats": tables.ints_and_floats,
    "float32": tables.float32_holes,
    "booleans": tables.booleans,
    "offset": tables.offset_holes,
    "constants": tables.constants_holes,
    "wide": tables.wide_scales,
    "empty-column": tables.empty_column,
    "nullable": tables.nullable_numbers,
    "arrow": tables.arrow_numbers,
    "polars": tables.polars_numbers,
    "array": tables.array_holes,
    "array-ints": tables.array_ints,
    "array-float32": tables.array_float32,
    "array-booleans": tables.array_booleans,
    "csr": tables.csr_holes,
    "csc": tables.csc,
    "strings": tables.strings_none,
    "strings-nan": tables.strings_nan,
    "default-strings": tables.default_strings,
    "nullable-strings": tables.nullable_strings_holes,
    "arrow-strings": tables.arrow_strings,
    "categoricals": tables.categoricals,
    "object-ints": tables.object_numbers_holes,
    "ties": tables.ties,
    "people": tables.people,
    "polars-people": tables.polars_people,
    "array-objects": tables.array_objects_holes,
    "dates": tables.dates,
}
SHARES = {"10%": 0.1, "33.33%": 1 / 3, "50%": 0.5, "75%": 0.75, "99.9%": 0.999}
CASES = rotated((name, [p for p in EVERY if suits(p, build())]) for name, build in TABLES.items())
NAMES = [f"{name}-{partition.__name__}" for name, partition in CASES]


def as_pandas(table):
    """Return a table as the frame that pandas describes."""
    if isinstance(table, pd.DataFrame):
        return table
    if isinstance(table, pl.DataFrame):
        return table.to_pandas()
    return pd.DataFrame(table.toarray() if sp.issparse(table) else table)


def close(found, wanted, scale=0.0):
    """Whether two numbers agree in 12 digits, of themselves or of the numbers they are made from."""
    if pd.isna(wanted) or pd.isna(found):
        return pd.isna(wanted) and pd.isna(found)
    return abs(found - wanted) <= 1e-12 * max(abs(wanted), abs(scale))


@pytest.mark.parametrize(("name", "partition"), CASES, ids=NAMES)
def test_describe(name, partition):
    parts = partition(TABLES[name]())
    frame = as_pandas(pool(parts))
    found = fedps.Federation(parts).describe(percentiles=list(SHARES.values()))
    assert fedps.Federation(parts).explain(fedps.Look.describe()).rounds <= 2
    ours = found.to_pandas()
    theirs = frame.describe(include="all", percentiles=list(SHARES.values())).T
    assert list(ours.index) == list(frame.columns)
    for column in frame.columns:
        assert_column(ours.loc[column], theirs.loc[column], frame[column])


def assert_column(ours, theirs, cells):
    assert ours["count"] == theirs["count"] == cells.notna().sum()
    assert ours["missing"] == cells.isna().sum()
    if pd.api.types.is_datetime64_any_dtype(cells):
        # in nanoseconds pandas itself loses digits between two dates, and a double has microseconds
        off = pd.Timedelta(0 if cells.dt.unit == "us" else 1, "us")
        for field in ("min", *SHARES, "max"):
            assert abs(ours[field] - theirs[field]) <= off, field
        assert abs(ours["mean"] - theirs["mean"]) <= pd.Timedelta(1, "us")
        return
    numeric = pd.api.types.is_numeric_dtype(cells) and not pd.api.types.is_bool_dtype(cells)
    if not numeric:
        assert_categories(ours, cells)
        return
    exact = cells.dropna().astype(float)
    for field, share in {"min": 0.0, **SHARES, "max": 1.0}.items():
        if not len(exact):
            assert pd.isna(ours[field])
        else:
            # older versions of pandas make a percentage of a share, which costs the last digit of 1 / 3
            known = cells.dropna().to_numpy() if cells.dtype == "float32" else exact
            wanted = np.quantile(known, np.array([share]))[0]
            narrowed = cells.dtype == "float32" and cells.isna().any()  # as pandas does it
            assert ours[field] == (np.float32(wanted) if narrowed else wanted), field
            assert close(ours[field], theirs[field], exact.abs().max()), field
    narrow = str(cells.dtype).lower() in ("float32", "float16")
    size = exact.abs().max() if len(exact) else 0.0
    assert close(ours["mean"], exact.mean(), size)
    assert close(ours["std"], exact.std(), size if narrow else 1e-3 * size)


def assert_categories(ours, cells):
    counts = cells.value_counts()
    assert ours["unique"] == cells.nunique()
    assert ours["freq"] == counts.max()
    assert ours["top"] in counts.index[counts == counts.max()]


def exact_skewness(cells):
    """Return the skewness of a sample, as ``Series.skew`` defines it, in extended precision."""
    x = cells.astype(float).to_numpy().astype(np.longdouble)
    n, x = len(x), x - x.mean()
    x = x - x.mean()  # what the first mean was rounded by
    x = x / (np.abs(x).max() or 1)
    squares = x @ x
    if squares == 0:
        return 0.0
    return float(n * np.sqrt(n - 1) / (n - 2) * (x**3).sum() / squares**1.5)


@pytest.mark.parametrize("far", [0.0, 1e6, 1e9])
def test_skewness_of_many_values_far_from_zero(far):
    cells = pd.DataFrame({"x": np.random.default_rng(0).gamma(2, 1, 9000) + far})
    federation = fedps.Federation([cells[:2000], cells[2000:]])
    assert close(federation.describe().columns[0].skewness, exact_skewness(cells["x"]))
    assert federation.run.rounds == 2  # not all values were told


@pytest.mark.parametrize(("name", "partition"), CASES[::3], ids=NAMES[::3])
def test_every_category_and_skewness(name, partition):
    parts = partition(TABLES[name]())
    frame = as_pandas(pool(parts))
    found = {facts.name: facts for facts in fedps.Federation(parts).describe().columns}
    for column in frame.columns:
        facts, cells = found[column], frame[column]
        if facts.kind == "categories":
            counts = cells.value_counts()
            counts = counts[counts > 0]
            assert {one.value: one.count for one in facts.categories} == {
                value: counts[value] for value in (one.value for one in facts.categories)
            }
            assert len(facts.categories) == min(len(counts), 10)
        elif facts.kind == "numbers" and facts.count > 2:
            assert close(facts.skewness, exact_skewness(cells.dropna()), 1.0)
        assert sum(site.count for site in facts.sites) == facts.count
        if facts.histogram is not None:
            assert sum(facts.histogram.counts) == pytest.approx(facts.count)


@pytest.mark.parametrize(("name", "partition"), CASES, ids=NAMES)
def test_corr(name, partition):
    parts = partition(TABLES[name]())
    frame = as_pandas(pool(parts))
    federation = fedps.Federation(parts)
    ours = federation.corr().to_pandas()
    assert federation.run.rounds == 1
    numbers = frame.select_dtypes("number")
    # pandas loses digits of what is far from 0, and multiplies squares, which may be too small for doubles
    near = numbers.astype(float) - numbers.astype(float).median().fillna(0)
    largest = near.abs().max().replace(0, 1).fillna(1)
    theirs = (near / np.exp2(np.floor(np.log2(largest)))).corr()
    assert list(ours.index) == list(ours.columns) == list(theirs.columns)
    np.testing.assert_allclose(ours.to_numpy(), theirs.to_numpy(), rtol=0, atol=1e-12)


CROSSED = {
    "people": (tables.people, "thal", "sick"),
    "categoricals": (tables.categoricals, "fruit", "size"),
    "strings": (tables.strings_none, "fruit", "sex"),
    "polars": (tables.polars_people, "cp", "visits"),
    "nullable": (tables.nullable_numbers, "Int", "flag"),
    "array": (tables.array_ints, 2, 0),
    "objects": (tables.array_objects_holes, 0, 2),
}
CROSSED_CASES = rotated(
    (name, [p for p in EVERY if suits(p, build())]) for name, (build, *_) in CROSSED.items()
)


@pytest.mark.parametrize(("name", "partition"), CROSSED_CASES)
def test_crosstab(name, partition):
    build, row, column = CROSSED[name]
    parts = partition(build())
    frame = as_pandas(pool(parts))
    federation = fedps.Federation(parts)
    ours = federation.crosstab(row, column).to_pandas()
    assert federation.run.rounds == 1
    theirs = pd.crosstab(frame[row], frame[column])
    assert ours.index.tolist() == sorted(theirs.index.tolist())
    assert ours.columns.tolist() == sorted(theirs.columns.tolist())
    order = [theirs.index.tolist().index(value) for value in ours.index]
    across = [theirs.columns.tolist().index(value) for value in ours.columns]
    assert (ours.to_numpy() == theirs.to_numpy()[np.ix_(order, across)]).all()


def vif_by_regression(frame):
    """Return 1 / (1 - R^2) of each column on all others and a constant, as statsmodels defines it."""
    X = frame.dropna().to_numpy(np.longdouble)
    X = X - X.mean(axis=0)
    X = (X / X.std(axis=0)).astype(float)
    found = []
    for j in range(X.shape[1]):
        others = np.delete(X, j, axis=1)
        left = X[:, j] - others @ np.linalg.lstsq(others, X[:, j], rcond=None)[0]
        found.append(X[:, j] @ X[:, j] / (left @ left))
    return np.array(found)


@pytest.mark.parametrize("partition", EVERY)
@pytest.mark.parametrize("build", [tables.plain_numbers, tables.numbers, tables.offset_holes])
def test_vif(build, partition):
    parts = partition(build())
    wanted = vif_by_regression(as_pandas(pool(parts)))
    if not np.isfinite(wanted).all():
        pytest.skip("a column without cells has no factor")
    np.testing.assert_allclose(fedps.Federation(parts).corr().vif, wanted, rtol=1e-12)


@pytest.mark.parametrize("partition", EVERY)
def test_groups(partition):
    parts = partition(tables.people())
    frame = pool(parts)
    found = fedps.Federation(parts).describe(["age", "visits"], by="cp")
    ours, theirs = found.to_pandas(), frame.groupby("cp")[["age", "visits"]].describe()
    assert ours.index.tolist() == theirs.index.tolist()
    for column in ("age", "visits"):
        for field in ("count", "min", "25%", "50%", "75%", "max"):
            np.testing.assert_array_equal(
                ours[(column, field)].to_numpy(float), theirs[(column, field)].to_numpy(float)
            )
        for field in ("mean", "std"):
            np.testing.assert_allclose(
                ours[(column, field)].to_numpy(float), theirs[(column, field)], rtol=1e-12
            )
