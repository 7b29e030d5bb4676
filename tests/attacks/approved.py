"""A table of 1000 rows and 20 columns, what its owner allows, and the pipelines that the owner approved."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.compose import ColumnTransformer
from sklearn.experimental import enable_iterative_imputer  # noqa: F401 (brings the class in)
from sklearn.frozen import FrozenEstimator
from sklearn.impute import IterativeImputer, KNNImputer, MissingIndicator, SimpleImputer
from sklearn.linear_model import BayesianRidge
from sklearn.model_selection import PredefinedSplit
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    KBinsDiscretizer,
    LabelBinarizer,
    LabelEncoder,
    MaxAbsScaler,
    MinMaxScaler,
    MultiLabelBinarizer,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    SplineTransformer,
    StandardScaler,
    TargetEncoder,
)

from fedps.client import Policy, open_table
from fedps.protocol.pooled import Options
from fedps.statistics import KLL, REQ, FrequentItems

ROWS = 1000
TOWNS = ["Berlin", "Bonn", "Essen", "Jena", "Kiel", "Köln", "Trier", "Ulm"]
LABELS = ["high", "low", "mid"]


def people(rows: int, seed: int, like: str = "") -> pd.DataFrame:
    """Return a table of 20 columns; ``like`` says how numbers are: with ties, narrow, huge, or none."""
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=(rows, 8))
    if like == "ties":
        numbers = numbers.round(0)
    columns: dict[str, Any] = {
        "age": 50 + 12 * numbers[:, 0],
        "income": np.exp(10 + numbers[:, 1]),
        "bmi": gaps(25 + 4 * numbers[:, 2], rng, 0.06),
        "dose": rng.choice([0.0, 0.5, 1.0, 2.0], rows),
        "visits": rng.poisson(3, rows),
        "year": rng.integers(1980, 2024, rows),
        **{f"x{i}": numbers[:, 3 + i] + 0.3 * numbers[:, 0] for i in range(4)},
        "pulse": gaps(70 + 8 * numbers[:, 7], rng, 0.05),
        "pressure": gaps(120 + 5 * numbers[:, 0] + numbers[:, 7], rng, 0.04),
        "grade": gaps(rng.choice([1.0, 2.0, 3.0], rows), rng, 0.1),
        "flag": rng.integers(0, 2, rows),
        "w": rng.uniform(0.5, 2.0, rows),
        "town": rng.choice(TOWNS, rows),
        "word": rng.choice([f"w{i:02}" for i in range(40)], rows),
        "yes": rng.choice(["no", "yes"], rows),
        "code": rng.choice(np.array(["a", "b", "c", None], dtype=object), rows),
        "zeros": np.where(rng.random(rows) < 0.7, 0.0, numbers[:, 4]),
    }
    if like == "narrow":  # nearly constant
        columns["x1"] = 25 + 1e-14 * numbers[:, 2]
    if like == "huge":  # the variance is no number any more, at once or after the transform
        columns["x1"] = 1e160 * numbers[:, 2] ** 2
        columns["income"] = 1e150 * (90 - np.exp(np.minimum(numbers[:, 1], 4.0)))
    if like == "empty":
        columns["bmi"] = np.full(rows, np.nan)
    words = {"town", "word", "yes", "code"}
    return pd.DataFrame(
        {name: pd.Series(c, dtype=object if name in words else None) for name, c in columns.items()}
    )


def only_numbers(rows: int, seed: int) -> pd.DataFrame:
    """Return a table of 20 columns of numbers without gaps, one of them weights."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.normal(size=(rows, 20)), columns=[f"n{i}" for i in range(20)])
    return table.assign(n19=rng.uniform(0.5, 2.0, rows), n3=rng.integers(0, 5, rows))


def gaps(cells: Any, rng: np.random.Generator, share: float) -> Any:
    return np.where(rng.random(len(cells)) < share, np.nan, cells)


def table_of(kind: str, rows: int, seed: int, like: str = "") -> tuple[Any, Any]:
    """Return a table, and a target: one of a few labels, a number, or a set of labels for each row."""
    if kind == "only numbers":
        table = only_numbers(rows, seed)
        return table, table["n0"] + table["n3"]
    table = people(rows, seed, like)
    place = table["visits"] % 3
    if kind == "labels":
        return table, pd.Series(np.array(LABELS, dtype=object)[place], name="y", dtype=object)
    if kind == "numbers":
        return table, pd.Series(table["age"] / 10 + place, name="y")
    return table, [tuple(LABELS[: 1 + i]) for i in place]


@cache
def own_table(kind: str) -> Any:
    """Return the table that is asked about, with a target."""
    return open_table(table_of(kind, ROWS, 1))


class Approved(NamedTuple):
    """A pipeline that the owner approved, how it is fitted and to what target."""

    estimator: Any
    options: Options = Options()
    weight: str | None = None
    target: str = "labels"


def on(step: Any, columns: list[str]) -> ColumnTransformer:
    return ColumnTransformer([("only", step, columns)])


NUMBERS = ["age", "x0", "dose"]
GAPS = ["bmi", "pulse", "x1"]
WORDS = ["town", "yes"]
HASTY = {"n_init": 1, "max_iter": 4}
OUTPUTS = Options(outputs=True)


def fitted_before() -> FrozenEstimator:
    return FrozenEstimator(StandardScaler().fit(people(100, 9)[NUMBERS]))


def far_away() -> np.ndarray:
    return np.array([[50.0, 0.0], [1e6, 0.0], [50.0, 1e6]])


PIPELINES = [
    Approved(on(StandardScaler(), GAPS)),
    Approved(on(make_pipeline(SimpleImputer(), StandardScaler()), GAPS)),
    Approved(StandardScaler(), weight="n19", target="only numbers"),
    Approved(BayesianRidge(), weight="n19", target="only numbers"),
    Approved(KMeans(4, random_state=0, **HASTY), target="only numbers"),
    Approved(
        on(FeatureUnion([("range", MinMaxScaler()), ("size", MaxAbsScaler())]), [*NUMBERS, "bmi"])
    ),
    Approved(make_pipeline(on(fitted_before(), NUMBERS), MinMaxScaler(), StandardScaler())),
    Approved(
        ColumnTransformer(
            [
                ("log", make_pipeline(FunctionTransformer(np.log1p, validate=True)), ["income"]),
                ("norm", make_pipeline(MinMaxScaler(), Normalizer()), NUMBERS),
                ("two", Binarizer(threshold=2.0), ["visits", "flag"]),
                ("more", PolynomialFeatures(), ["x1", "x2"]),
                ("words", OneHotEncoder(), ["town"]),
            ]
        )
    ),
    Approved(on(RobustScaler(), [*NUMBERS, "bmi"])),
    Approved(on(RobustScaler(with_centering=False), NUMBERS), Options(quantiles=KLL(k=32))),
    Approved(on(SimpleImputer(strategy="median"), GAPS), Options(quantiles=REQ(k=8, seed=1))),
    Approved(on(QuantileTransformer(n_quantiles=8, subsample=300, random_state=0), NUMBERS)),
    Approved(on(QuantileTransformer(n_quantiles=5, subsample=200), ["age", "zeros"])),
    Approved(on(SplineTransformer(4, knots="quantile"), NUMBERS)),
    Approved(
        FeatureUnion(
            [
                ("ends", on(SplineTransformer(4), ["age"])),
                ("given", on(SplineTransformer(knots=[[0.0], [50.0], [99.0]]), ["year"])),
            ]
        )
    ),
    Approved(on(KBinsDiscretizer(4, strategy="kmeans", subsample=None), ["age", "dose"])),
    Approved(
        on(KBinsDiscretizer(12, strategy="kmeans", subsample=250, random_state=3), ["income"])
    ),
    Approved(on(KBinsDiscretizer(4, strategy="uniform", subsample=300), NUMBERS)),
    Approved(on(KBinsDiscretizer(3, strategy="quantile", subsample=None), ["year", "x3"])),
    Approved(on(PowerTransformer(), GAPS)),
    Approved(on(make_pipeline(PowerTransformer("box-cox"), MinMaxScaler()), ["income"])),
    Approved(on(make_pipeline(OrdinalEncoder(), StandardScaler()), WORDS)),
    Approved(on(OneHotEncoder(min_frequency=6, drop="first"), ["town", "dose"])),
    Approved(
        on(
            OneHotEncoder(max_categories=4, handle_unknown="infrequent_if_exist"),
            ["word", "visits"],
        )
    ),
    Approved(
        on(OneHotEncoder(min_frequency=9, handle_unknown="infrequent_if_exist"), ["word"]),
        Options(frequent=FrequentItems(k=20)),
    ),
    Approved(on(OneHotEncoder(categories=[["no", "yes"]]), ["yes"])),
    Approved(on(SimpleImputer(strategy="most_frequent", add_indicator=True), ["code", "grade"])),
    Approved(on(SimpleImputer(strategy="constant", fill_value="?"), ["code"])),
    Approved(on(MissingIndicator(), GAPS)),
    Approved(on(make_pipeline(TargetEncoder(random_state=0), RobustScaler()), WORDS)),
    Approved(on(TargetEncoder(), ["town"]), OUTPUTS, target="numbers"),
    Approved(on(TargetEncoder(), WORDS)),
    Approved(on(TargetEncoder(categories=[["no", "yes"]]), ["yes"]), target="numbers"),
    Approved(on(TargetEncoder(categories=[["no", "yes"]], cv=3), ["yes"]), OUTPUTS),
    Approved(LabelEncoder()),
    Approved(LabelBinarizer()),
    Approved(MultiLabelBinarizer(), target="sets"),
    Approved(on(make_pipeline(SimpleImputer(), KMeans(3, random_state=0, **HASTY)), GAPS)),
    Approved(on(KMeans(2, init="random", n_init=2, max_iter=3), ["age", "x0"])),
    Approved(on(KMeans(3, init=far_away(), **HASTY), ["age", "x0"])),
    Approved(on(KNNImputer(n_neighbors=2), GAPS), OUTPUTS),
    Approved(on(KNNImputer(n_neighbors=3), GAPS)),
    Approved(on(make_pipeline(OneHotEncoder(), MaxAbsScaler()), WORDS)),
    Approved(on(IterativeImputer(max_iter=2, min_value=0), [*GAPS, "pressure"])),
    Approved(
        on(IterativeImputer(max_iter=3, initial_strategy="constant", fill_value=1.0), GAPS), OUTPUTS
    ),
    Approved(make_pipeline(on(SimpleImputer(), GAPS), BayesianRidge()), target="numbers"),
    Approved(make_pipeline(on("passthrough", NUMBERS), KNeighborsRegressor(3)), target="numbers"),
]
LISTED = Approved(on(TargetEncoder(cv=PredefinedSplit(np.arange(ROWS) % 4)), ["town"]), OUTPUTS)

# It is consent that is tried: honest fits are not to end because small tables have rare values and are soon
# told enough of.
FREELY = {"min_count": 0, "budget": None}
POLICIES = {
    "open": Policy.open(),
    "SUMMARY": Policy(**FREELY),
    "AGGREGATE": Policy(level="AGGREGATE", **FREELY),
    "AGGREGATE without floors": Policy(level="AGGREGATE", min_rows=0, max_share=1.0, **FREELY),
}
# of clients whose honest answers lead a plan elsewhere: no table of values, few of them, odd numbers, ...
CLOSED = Policy(min_rows=0, max_share=0.1, **FREELY)
SHY = (
    ("ties", Policy.open()),
    ("", Policy(min_rows=0, max_share=0.2, **FREELY)),
    ("ties", CLOSED),
    ("", Policy(level="AGGREGATE", min_rows=0, max_share=0.0, **FREELY)),
    ("narrow", CLOSED),
    ("huge", CLOSED),
    ("empty", CLOSED),
    ("empty", Policy(min_rows=3, **FREELY)),
    ("", Policy(min_rows=3, **FREELY)),
)
