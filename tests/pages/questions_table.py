"""The table of docs/privacy.md: what each estimator may ask, made from the declared questions.

``python -m tests.pages.questions_table`` writes it into the page; a test holds that it is there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sklearn.cluster import KMeans
from sklearn.compose import ColumnTransformer
from sklearn.experimental import enable_iterative_imputer  # noqa: F401 (brings the class in)
from sklearn.impute import IterativeImputer, KNNImputer, MissingIndicator, SimpleImputer
from sklearn.linear_model import BayesianRidge
from sklearn.neighbors import KNeighborsRegressor
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

from fedps.learned.looks import (
    CorrelateNumbers,
    CrossCategories,
    DescribeCategories,
    DescribeDates,
    DescribeNumbers,
)
from fedps.plans.describe import describe
from fedps.protocol.messages import Request
from fedps.protocol.pooled import Pooled
from fedps.questions import Question
from fedps.statistics import KLL, FrequentItems

PAGE = Path(__file__).resolve().parents[2] / "docs" / "privacy.md"
BEGIN, END = "<!-- questions -->\n", "<!-- end of questions -->"

# an estimator with the parameters that change its questions, as a reader would write it
ROWS: list[tuple[str, Any, dict[str, Any]]] = [
    ("StandardScaler()", StandardScaler(), {}),
    ("StandardScaler(with_std=False)", StandardScaler(with_std=False), {}),
    ("MinMaxScaler()", MinMaxScaler(), {}),
    ("MaxAbsScaler()", MaxAbsScaler(), {}),
    ("RobustScaler()", RobustScaler(), {}),
    ("RobustScaler()`, `quantiles=fedps.KLL()", RobustScaler(), {"quantiles": KLL()}),
    ("QuantileTransformer(100)", QuantileTransformer(n_quantiles=100), {}),
    ('SplineTransformer(knots="uniform")', SplineTransformer(), {}),
    ('SplineTransformer(knots="quantile")', SplineTransformer(knots="quantile"), {}),
    ('KBinsDiscretizer(strategy="uniform")', KBinsDiscretizer(strategy="uniform"), {}),
    ('KBinsDiscretizer(strategy="quantile")', KBinsDiscretizer(strategy="quantile"), {}),
    ('KBinsDiscretizer(strategy="kmeans")', KBinsDiscretizer(strategy="kmeans"), {}),
    ("PowerTransformer()", PowerTransformer(), {}),
    ('PowerTransformer("box-cox")', PowerTransformer("box-cox"), {}),
    ("Binarizer()`, `Normalizer()`, `PolynomialFeatures()", Binarizer(), {}),
    ("FunctionTransformer()", FunctionTransformer(), {}),
    ("FunctionTransformer(validate=True)", FunctionTransformer(validate=True), {}),
    ("SimpleImputer()", SimpleImputer(), {}),
    ('SimpleImputer(strategy="median")', SimpleImputer(strategy="median"), {}),
    ('SimpleImputer(strategy="most_frequent")', SimpleImputer(strategy="most_frequent"), {}),
    (
        'SimpleImputer(strategy="most_frequent", missing_values=0)',
        SimpleImputer(strategy="most_frequent", missing_values=0),
        {},
    ),
    ('SimpleImputer(strategy="constant")', SimpleImputer(strategy="constant"), {}),
    ("MissingIndicator()", MissingIndicator(), {}),
    ("IterativeImputer()", IterativeImputer(), {}),
    ("KNNImputer()", KNNImputer(), {}),
    ("KNNImputer()`, whose rows are used", KNNImputer(), {"outputs": True}),
    ("OneHotEncoder()`, `OrdinalEncoder()", OneHotEncoder(), {}),
    ("OneHotEncoder(categories=[...])", OneHotEncoder(categories=[["a"]]), {}),
    ("OneHotEncoder(min_frequency=5)", OneHotEncoder(min_frequency=5), {}),
    (
        'OneHotEncoder(min_frequency=5, handle_unknown="infrequent_if_exist")',
        OneHotEncoder(min_frequency=5, handle_unknown="infrequent_if_exist"),
        {},
    ),
    (
        "OneHotEncoder(min_frequency=5)`, `frequent=fedps.FrequentItems()",
        OneHotEncoder(min_frequency=5),
        {"frequent": FrequentItems()},
    ),
    ("TargetEncoder()", TargetEncoder(), {}),
    ("TargetEncoder()`, whose rows are used", TargetEncoder(), {"outputs": True}),
    ("TargetEncoder(categories=[...])", TargetEncoder(categories=[["a"]]), {}),
    ("LabelEncoder()`, `LabelBinarizer()", LabelEncoder(), {}),
    ("MultiLabelBinarizer()", MultiLabelBinarizer(), {}),
    ("BayesianRidge()", BayesianRidge(), {}),
    ("KMeans()", KMeans(), {}),
    ("KMeans(init=centres)", KMeans(init=[[0.0]], n_clusters=1), {}),
    ("KNeighborsRegressor()", KNeighborsRegressor(), {}),
    (
        "ColumnTransformer(...)`, for each branch",
        ColumnTransformer([], remainder="passthrough"),
        {},
    ),
    ("describe`, columns of numbers", DescribeNumbers(), {}),
    ("describe`, columns of dates", DescribeDates(), {}),
    ("describe`, columns of categories", DescribeCategories(), {}),
    ("corr", CorrelateNumbers(), {}),
    ("crosstab", CrossCategories(), {}),
]
SAME = [Normalizer(), PolynomialFeatures(), OrdinalEncoder(), LabelBinarizer()]  # as one above
OF = {
    "microseconds": "dates as numbers",
    "branch": "output of the branch",
    "folds": "rows, each in a fold",
    "sample": "rows that are drawn",
    "target": "target",
    "trial": "rows as transformed",
}


def questions(estimator: Any, **options: Any) -> list[Question]:
    """Return what an estimator may ask."""
    return list(Request(describe(estimator, Pooled()), **options).declared().at(0))


def lines() -> Iterator[str]:
    """Yield the lines of the table."""
    yield "| estimator | statistic | of | level | the server chooses | at most |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for text, estimator, options in ROWS:
        label = f"`{text}" if re.search("`, [a-z ]+$", text) else f"`{text}`"
        found = questions(estimator, **options)
        if not found:
            yield f"| {label} | nothing | | | | |"
        for question in found:
            yield f"| {label} | {_row(question)} |"
            label = ""


def _row(question: Question) -> str:
    statistic = question.statistic
    free = ", ".join(f"`{name}`" for name in question.free) or "nothing"
    if question.given:
        free = (
            "an array for each client" if free == "nothing" else f"{free}, an array for each client"
        )
    times = "once" if question.times == 1 else f"{question.times} times"
    per = " a column" if question.each or question.some else ""
    of = OF.get(question.of.kind, "input")
    return (
        f"`{type(statistic).__name__}` | {of} | {statistic.disclosure.name} | {free} | {times}{per}"
    )


def page() -> str:
    """Return the page with the table as it is now."""
    text = PAGE.read_text("utf-8")
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    return before + BEGIN + "\n" + "\n".join(lines()) + "\n\n" + END + after


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
