"""The one scenario that every engine must pass, to the bit: a fit, a refusal, a client's error.

It needs nothing but pandas, scikit-learn and fedps, so that it runs in the engines' environments.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    MinMaxScaler,
    OneHotEncoder,
    PowerTransformer,
    QuantileTransformer,
    StandardScaler,
)

import fedps

ROWS = {"bergen": 80, "oslo": 120, "turku": 50}
CLIENTS = tuple(ROWS)  # by name, as engines have them
SECRET = "J. Smith"  # a cell that must be in no error, log or reply  # noqa: S105

# turku has too few cells of "pain" for its policy; everything else it may answer
POLICIES = {
    "bergen": {"level": "SUMMARY", "min_rows": 10, "max_share": 1.0},
    "oslo": {"level": "SUMMARY", "min_rows": 10, "max_share": 1.0},
    "turku": {"level": "SUMMARY", "min_rows": 20, "max_share": 1.0},
}

REFUSAL = (
    "client 'turku' refused Extremes on column 'pain': the policy there (min_rows) needs 20 values in a "
    "column and there are fewer. Leave the column out, or ask the data owner to lower min_rows in the policy. "
    "[round 1]"
)
ERROR = (
    "clients 'bergen', 'oslo' and 'turku' have cells in column 'notes' that are not numbers, so Moments "
    "cannot be computed. Clean the column there, encode it as categories, or leave it out. [round 1]"
)


def tables(rows: dict[str, int] = ROWS) -> dict[str, pd.DataFrame]:
    """Each client's rows; always the same."""
    return {name: table(seed, number) for seed, (name, number) in enumerate(rows.items())}


def table(seed: int, rows: int) -> pd.DataFrame:
    """One client's rows."""
    rng = np.random.default_rng(seed)
    age = rng.normal(60 + 3 * seed, 12, rows).round(1)
    age[rng.random(rows) < 0.1] = np.nan
    pain = np.where(np.arange(rows) < 15, rng.integers(0, 10, rows), np.nan)
    city = rng.choice(["oslo", "bergen", "åbo", f"town {seed}"], rows, p=[0.5, 0.3, 0.15, 0.05])
    return pd.DataFrame(
        {
            "age": age,
            "bmi": rng.normal(27, 4, rows),
            "income": rng.lognormal(10, 0.7, rows),
            "visits": rng.poisson(4, rows),
            "pain": pain if seed == 2 else rng.integers(0, 10, rows).astype(float),
            "city": city,
            "smoker": rng.choice(["yes", "no"], rows),
            "notes": [SECRET, *["none"] * (rows - 1)],
        }
    )


def write_tables(folder: Path, rows: dict[str, int] = ROWS) -> dict[str, Path]:
    """Write each client's rows as Parquet, and return the paths."""
    paths = {}
    for name, frame in tables(rows).items():
        paths[name] = folder / f"{name}.parquet"
        frame.to_parquet(paths[name])
    return paths


def write_policies(folder: Path) -> dict[str, Path]:
    """Write each client's policy as TOML, and return the paths."""
    paths = {}
    for name, rules in POLICIES.items():
        paths[name] = folder / f"{name}.toml"
        lines = [f"{k} = {v!r}".replace("'", '"') for k, v in rules.items()]
        paths[name].write_text("\n".join(lines) + "\n", "utf-8")
    return paths


def pipeline() -> ColumnTransformer:
    """Impute, scale, encode, quantiles, power transform."""
    text = make_pipeline(
        SimpleImputer(strategy="most_frequent"),
        OneHotEncoder(min_frequency=10, handle_unknown="infrequent_if_exist"),
    )
    return ColumnTransformer(
        [
            (
                "scaled",
                make_pipeline(SimpleImputer(strategy="median"), StandardScaler()),
                ["age", "bmi"],
            ),
            ("power", PowerTransformer(), ["income"]),
            ("quantiles", QuantileTransformer(n_quantiles=20), ["visits", "income"]),
            ("text", text, ["city", "smoker"]),
        ]
    )


def refused() -> ColumnTransformer:
    """What turku's policy refuses."""
    return ColumnTransformer([("pain", MinMaxScaler(), ["pain"])])


def failing() -> ColumnTransformer:
    """What no client can compute."""
    return ColumnTransformer([("notes", StandardScaler(), ["notes"])])


@dataclass
class Outcome:
    """What a fit came to, and what it cost."""

    fitted: Any
    rounds: int
    bytes_up: dict[str, int]
    bytes_down: dict[str, int]


def outcome(federation: fedps.Federation, estimator: Any = None, **options: Any) -> Outcome:
    """Fit the pipeline, or something else, and return what it came to."""
    fitted = federation.fit(pipeline() if estimator is None else estimator, **options)
    run = federation.run
    return Outcome(fitted, run.rounds, run.bytes_up, run.bytes_down)


def in_process(
    folder: Path, rows: dict[str, int] = ROWS, estimator: Any = None, **options: Any
) -> Outcome:
    """Fit in process, on the same files under the same policies."""
    policies = {name: fedps.Policy(**POLICIES.get(name, POLICIES["oslo"])) for name in rows}
    clients = write_tables(folder, rows)
    federation = fedps.Federation(clients, policy=policies, progress=False)
    return outcome(federation, estimator, **options)


def assert_conforms(found: Outcome, expected: Outcome) -> None:
    """Demand the same bits, rounds and bytes."""
    assert bits(found.fitted) == bits(expected.fitted)
    assert found.rounds == expected.rounds
    assert found.bytes_up == expected.bytes_up
    assert found.bytes_down == expected.bytes_down


def bits(value: Any) -> Any:
    """Return a value as plain ones that are equal only if it is equal to the last bit."""
    if isinstance(value, BaseEstimator):
        return type(value).__name__, bits(vars(value))
    if isinstance(value, np.ndarray):
        cells = bits(value.tolist()) if value.dtype == object else value.tobytes()
        return "array", value.dtype.str, value.shape, cells
    if sparse.issparse(value):
        return type(value).__name__, bits(value.toarray())
    if isinstance(value, dict):
        return [(bits(key), bits(item)) for key, item in value.items()]
    if isinstance(value, list | tuple):
        return type(value).__name__, [bits(item) for item in value]
    if isinstance(value, float | np.floating):
        return type(value).__name__, float(value).hex()
    if callable(value) or isinstance(
        value, np.random.RandomState
    ):  # functions, selectors, what asks a federation: by their names
        return getattr(value, "__qualname__", type(value).__name__)
    return type(value).__name__, repr(value)
