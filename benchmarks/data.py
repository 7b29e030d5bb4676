"""The data sets as frames, and how their rows are given to clients."""

from __future__ import annotations

import io
from collections.abc import Callable

import numpy as np
import pandas as pd

from benchmarks.downloads import text_of

ADULT = (
    *("age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation"),
    *("relationship", "race", "sex", "capital-gain", "capital-loss", "hours-per-week"),
    *("native-country", "income"),
)
COVERTYPE = (
    *("Elevation", "Aspect", "Slope"),
    *("Horizontal_Distance_To_Hydrology", "Vertical_Distance_To_Hydrology"),
    *("Horizontal_Distance_To_Roadways", "Hillshade_9am", "Hillshade_Noon", "Hillshade_3pm"),
    "Horizontal_Distance_To_Fire_Points",
    *(f"Wilderness_Area{i}" for i in range(1, 5)),
    *(f"Soil_Type{i}" for i in range(1, 41)),
    "Cover_Type",
)
HEART = (
    *("age", "sex", "cp", "trestbps", "chol", "fbs", "restecg", "thalach", "exang", "oldpeak"),
    *("slope", "ca", "thal", "num"),
)
HOSPITALS = ("cleveland", "hungarian", "switzerland", "va")


def adult(*, download: bool = True) -> pd.DataFrame:
    """Return Adult: 32,561 rows, 6 numbers, 8 texts and ``income``; '?' is a category."""
    text = text_of("adult.data", download=download)
    return _read(text, header=None, names=list(ADULT), skipinitialspace=True)


def bank(*, download: bool = True) -> pd.DataFrame:
    """Return Bank Marketing: 45,211 rows, 7 numbers, 9 texts and ``y``."""
    return _read(text_of("bank-full.csv", download=download), sep=";")


def covertype(*, download: bool = True) -> pd.DataFrame:
    """Return Covertype: 581,012 rows, 10 numbers, 44 indicators and ``Cover_Type``."""
    return _read(text_of("covtype.data", download=download), header=None, names=list(COVERTYPE))


def heart_disease(*, download: bool = True) -> pd.DataFrame:
    """Return Heart Disease: 920 rows of four hospitals, NaN for '?', and ``hospital``."""
    frames = []
    for hospital in HOSPITALS:
        text = text_of(f"heart-disease/processed.{hospital}.data", download=download)
        frame = pd.read_csv(io.BytesIO(text), header=None, names=list(HEART), na_values="?")
        frames.append(frame.assign(hospital=hospital))
    return pd.concat(frames, ignore_index=True)


def hospitals(*, download: bool = True) -> dict[str, pd.DataFrame]:
    """Return the 13 features of Heart Disease, hospital by hospital.

    Nobody has a cholesterol or a blood pressure of 0: there it means that it was not measured.
    """
    table = heart_disease(download=download).drop(columns="num")
    for column in ("chol", "trestbps"):
        table[column] = table[column].where(table[column] != 0)
    parts = table.groupby("hospital", sort=False)
    return {str(name): part.drop(columns="hospital").reset_index(drop=True) for name, part in parts}


TARGETS = {"adult": "income", "bank": "y", "covertype": "Cover_Type", "heart_disease": "num"}
LOADERS: dict[str, Callable[..., pd.DataFrame]] = {
    "adult": adult,
    "bank": bank,
    "covertype": covertype,
    "heart_disease": heart_disease,
}


def features(name: str, *, download: bool = True) -> pd.DataFrame:
    """Return a data set without its label."""
    return LOADERS[name](download=download).drop(columns=TARGETS[name])


def texts(frame: pd.DataFrame) -> list[str]:
    """Return the names of the columns that hold text."""
    return [name for name in frame if not pd.api.types.is_numeric_dtype(frame[name])]


def encoded(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with its texts as whole numbers, in the order of the sorted categories."""
    codes = {
        name: np.unique(frame[name].astype(str), return_inverse=True)[1] for name in texts(frame)
    }
    return frame.assign(**codes)


def continuous(rows: int = 10_000, seed: int = 0) -> pd.DataFrame:
    """Return columns of doubles without ties: two normal, two lognormal and two Cauchy."""
    rng = np.random.default_rng(seed)
    kinds = {"normal": rng.normal, "lognormal": rng.lognormal, "cauchy": rng.standard_cauchy}
    return pd.DataFrame({f"{k} {i}": draw(size=rows) for k, draw in kinds.items() for i in (1, 2)})


def split(
    frame: pd.DataFrame, clients: int, rows_per_client: int | None = None, seed: int = 0
) -> list[pd.DataFrame]:
    """Return random rows as one frame per client; all rows where their number is not given."""
    order = np.random.default_rng(seed).permutation(len(frame))
    parts = np.array_split(
        order if rows_per_client is None else order[: clients * rows_per_client], clients
    )
    return [frame.iloc[part].reset_index(drop=True) for part in parts]


def _read(text: bytes, **options: object) -> pd.DataFrame:
    """Read a file without empty cells: no text in it stands for a missing value."""
    return pd.read_csv(io.BytesIO(text), keep_default_na=False, **options)
