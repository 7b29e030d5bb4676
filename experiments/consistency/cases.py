"""What is compared with a pooled fit: the paper's rows, and those that it leaves out."""

from __future__ import annotations

from typing import Any, NamedTuple

from sklearn.experimental import enable_iterative_imputer  # noqa: F401 - brings the class in
from sklearn.impute import IterativeImputer, KNNImputer, SimpleImputer
from sklearn.linear_model import BayesianRidge
from sklearn.preprocessing import (
    LabelBinarizer,
    LabelEncoder,
    MultiLabelBinarizer,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    StandardScaler,
)

from experiments.paper import CONSISTENCY

COLUMNS_SPLIT = ", columns split"


class Case(NamedTuple):
    """An estimator, the rows it is for (see ``rows.py``), and what of it is compared.

    ``compared`` is "transformed", "predicted" or "coefficients". ``sketched``: by KLL and REQ too.
    ``most`` is the largest number of rows. With ``ties`` scikit-learn's own choice is arbitrary, so
    that there is nothing to be equal to.
    """

    estimator: Any
    rows: str
    compared: str = "transformed"
    sketched: bool = False
    most: int | None = None
    ties: bool = False


# As many rows as pooled takes seconds for.
NEAREST, ROUND_ROBIN = 2000, 20_000
# Split by columns, the inner regressions may stop an iteration later than pooled ones, which
# matters at the default tolerance: docs/columns.md.
CONVERGED = IterativeImputer(BayesianRidge(tol=1e-12, max_iter=3000))

PAPER = {
    name: Case(
        row.estimator, row.columns, sketched=row.spread is not None and row.columns != "texts"
    )
    for name, row in CONSISTENCY.items()
}
BEYOND = {
    "SimpleImputer (mean)": Case(SimpleImputer(), "holes"),
    "SimpleImputer (median)": Case(SimpleImputer(strategy="median"), "holes", sketched=True),
    "SimpleImputer (most frequent)": Case(SimpleImputer(strategy="most_frequent"), "holes"),
    "SimpleImputer (constant)": Case(SimpleImputer(strategy="constant", fill_value=0), "holes"),
    "KNNImputer": Case(KNNImputer(), "untied", most=NEAREST),
    "KNNImputer, whole numbers": Case(KNNImputer(), "holes", most=NEAREST, ties=True),
    "IterativeImputer": Case(IterativeImputer(), "holes", most=ROUND_ROBIN),
    "LabelEncoder": Case(LabelEncoder(), "labels"),
    "LabelBinarizer": Case(LabelBinarizer(), "labels"),
    "MultiLabelBinarizer": Case(MultiLabelBinarizer(), "sets"),
    "OneHotEncoder (infrequent)": Case(OneHotEncoder(min_frequency=500), "texts"),
    "OrdinalEncoder (infrequent)": Case(OrdinalEncoder(min_frequency=500), "texts"),
    "BayesianRidge (predictions)": Case(BayesianRidge(), "labelled", "predicted"),
    "BayesianRidge (coefficients)": Case(BayesianRidge(), "labelled", "coefficients"),
}
OWNED = {
    "StandardScaler": Case(StandardScaler(), "numbers"),
    "OneHotEncoder": Case(OneHotEncoder(), "texts"),
    "Normalizer": Case(Normalizer(), "numbers"),
    "BayesianRidge (predictions)": Case(BayesianRidge(), "labelled", "predicted"),
    "BayesianRidge (coefficients)": Case(BayesianRidge(), "labelled", "coefficients"),
    "KNNImputer": Case(KNNImputer(), "untied", most=NEAREST),
    "IterativeImputer": Case(CONVERGED, "holes", most=ROUND_ROBIN),
}
CASES = PAPER | BEYOND | {f"{name}{COLUMNS_SPLIT}": case for name, case in OWNED.items()}
