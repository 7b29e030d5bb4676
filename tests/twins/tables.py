"""Small tables of every kind a person would pass, built afresh by each call."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import scipy.sparse as sp
from sklearn.preprocessing import StandardScaler

ROWS = 90
WORDS = ["apfel", "Birne", "日本", "café", "zoë", "", "a b"]


def random(seed=0):
    return np.random.default_rng(seed)


def with_holes(values, share=0.15, seed=1, hole=np.nan):
    """Return a copy with a share of the cells replaced by ``hole``."""
    values = np.array(values, copy=True)
    values[random(seed).random(values.shape) < share] = hole
    return values


def frame(values, names="abcdefgh"):
    return pd.DataFrame(values, columns=list(names[: values.shape[1]]))


# Numbers in pandas frames ---------------------------------------------------------------------


def plain_numbers():
    rng = random()
    columns = {
        "height": rng.normal(170, 9, ROWS),
        "income": rng.lognormal(8, 2, ROWS),
        "zeros": np.where(rng.random(ROWS) < 0.7, 0.0, rng.normal(size=ROWS)),
        "change": rng.normal(0, 1e-3, ROWS),
    }
    return pd.DataFrame(columns)


def numbers():
    table = plain_numbers()
    return pd.DataFrame(with_holes(table.to_numpy()), columns=table.columns)


def ints():
    rng = random(2)
    return pd.DataFrame(
        {
            "small": rng.integers(-5, 6, ROWS),
            "large": rng.integers(-(2**53), 2**53, ROWS),
            "byte": rng.integers(0, 200, ROWS).astype(np.uint8),
            "short": rng.integers(-9, 9, ROWS).astype(np.int32),
        }
    )


def ints_and_floats():
    """Ints and floats side by side; ``maybe`` is all whole numbers in its first half."""
    table = numbers()
    table["count"] = random(3).integers(0, 9, ROWS)
    table["maybe"] = np.where(np.arange(ROWS) < ROWS // 2, 3.0, np.nan)
    return table


def float32():
    return frame(random(4).normal(3, 2, (ROWS, 3)).astype(np.float32))


def float32_holes():
    return frame(with_holes(random(4).normal(3, 2, (ROWS, 3)).astype(np.float32)))


def booleans():
    rng = random(5)
    return pd.DataFrame({"yes": rng.random(ROWS) < 0.3, "no": rng.random(ROWS) < 0.9})


def offset():
    """Noise of standard deviation one on an offset of 1e9."""
    rng = random(6)
    return pd.DataFrame({"far": 1e9 + rng.normal(size=ROWS), "near": rng.normal(size=ROWS)})


def offset_holes():
    table = offset()
    return pd.DataFrame(with_holes(table.to_numpy()), columns=table.columns)


def constants():
    ones = np.ones(ROWS)
    return pd.DataFrame(
        {
            "tenth": 0.1 * ones,
            "zero": 0 * ones,
            "big": -1e9 * ones,
            "varied": random(7).normal(size=ROWS),
        }
    )


def constants_holes():
    table = constants()
    return pd.DataFrame(with_holes(table.to_numpy()), columns=table.columns)


def wide_scales():
    return frame(random(8).normal(1, 1, (ROWS, 5)) * 10.0 ** np.array([-150, -12, 0, 12, 100]))


def empty_column():
    """One column has no observed value at any client."""
    table = numbers()
    table["empty"] = np.nan
    return table


def nullable_numbers():
    rng = random(9)
    gone = rng.random((3, ROWS)) < 0.15
    return pd.DataFrame(
        {
            "Int": pd.array(np.where(gone[0], None, rng.integers(0, 9, ROWS)), dtype="Int64"),
            "Float": pd.array(np.where(gone[1], None, rng.normal(size=ROWS)), dtype="Float64"),
            "flag": pd.array(np.where(gone[2], None, rng.random(ROWS) < 0.5), dtype="boolean"),
        }
    )


def arrow_numbers():
    table = nullable_numbers()
    kinds = {"Int": "int64[pyarrow]", "Float": "double[pyarrow]", "flag": "bool[pyarrow]"}
    return table.astype(kinds)


# Categories in pandas frames ------------------------------------------------------------------


def _words(seed, share=0.0, hole=None):
    rng = random(seed)
    weights = np.array([8, 5, 4, 3, 2, 1, 1]) / 24
    words = rng.choice(np.array(WORDS, dtype=object), size=ROWS, p=weights)
    return with_holes(words, share, seed, hole)


def _object_frame(**columns):
    return pd.DataFrame({name: pd.Series(list(v), dtype=object) for name, v in columns.items()})


def strings():
    return _object_frame(fruit=_words(10), town=_words(11), sex=["m", "f"] * (ROWS // 2))


def strings_none():
    return _object_frame(fruit=_words(10, 0.1), town=_words(11, 0.1), sex=_words(12))


def strings_nan():
    return _object_frame(fruit=_words(10, 0.1, np.nan), town=_words(11, 0.1, np.nan))


def strings_both_missing():
    """None and NaN in one column: two categories to scikit-learn."""
    words = _words(10, 0.1, None)
    return _object_frame(fruit=with_holes(words, 0.1, 13, np.nan), town=_words(11))


def default_strings():
    """Whatever this pandas makes of a list of words: object, or str from pandas 3."""
    return pd.DataFrame({"fruit": list(_words(10, 0.1)), "town": list(_words(11))})


def nullable_strings():
    return pd.DataFrame(
        {
            "fruit": pd.array(_words(10), dtype="string"),
            "town": pd.array(_words(11), dtype="string"),
        }
    )


def nullable_strings_holes():
    return pd.DataFrame(
        {
            "fruit": pd.array(_words(10, 0.1), dtype="string"),
            "town": pd.array(_words(11), dtype="string"),
        }
    )


def arrow_strings():
    kind = pd.ArrowDtype(pa.string())
    return pd.DataFrame(
        {"fruit": pd.array(_words(10), dtype=kind), "town": pd.array(_words(11), dtype=kind)}
    )


def categoricals():
    """Categoricals, with an unused level and a missing value, beside numbers as levels."""
    sizes = random(14).choice([3, 1, 2], ROWS)
    return pd.DataFrame(
        {
            "fruit": pd.Categorical(_words(10, 0.1), categories=[*WORDS, "unused"]),
            "size": pd.Categorical(sizes, categories=[3, 2, 1, 0], ordered=True),
        }
    )


def int_categories():
    rng = random(15)
    return pd.DataFrame(
        {"code": rng.choice([7, -3, 12, 100], ROWS), "bit": rng.integers(0, 2, ROWS)}
    )


def float_categories():
    rng = random(16)
    values = rng.choice([0.5, -2.25, 1e300, 0.1 + 0.2, 3.0], (ROWS, 2))
    return pd.DataFrame(with_holes(values, 0.1), columns=["dose", "rate"])


def object_ints():
    """Object columns that hold Python ints."""
    rng = random(17)
    return _object_frame(
        code=[int(v) for v in rng.choice([7, -3, 12, 100], ROWS)],
        bit=[int(v) for v in rng.integers(0, 2, ROWS)],
    )


def object_numbers_holes():
    """Object columns that hold Python numbers and None."""
    rng = random(17)
    codes = np.array([int(v) for v in rng.choice([7, -3, 12], ROWS)], dtype=object)
    return _object_frame(code=with_holes(codes, 0.1, 1, None), bit=[1] * ROWS)


def boolean_categories():
    return pd.concat([booleans(), int_categories()], axis=1)


def ties():
    """Categories that are all equally frequent."""
    letters = np.tile(list("fbdace"), ROWS)[:ROWS]
    return _object_frame(letter=letters.tolist(), pair=np.sort(letters).tolist())


def mixed_types():
    """Words and numbers in one object column, which scikit-learn refuses."""
    return _object_frame(code=[1, "one"] * (ROWS // 2), bit=[0] * ROWS)


def mixed_categories():
    """Strings, ints and floats with holes side by side."""
    return pd.concat([strings_nan(), int_categories(), float_categories()], axis=1)


# Numbers and categories together --------------------------------------------------------------


def people():
    rng = random(18)
    return pd.DataFrame(
        {
            "age": with_holes(rng.integers(20, 80, ROWS).astype(float)),
            "chol": with_holes(rng.normal(200, 40, ROWS), seed=2),
            "visits": rng.integers(0, 6, ROWS),
            "thal": pd.Series(list(_words(10, 0.1, np.nan)), dtype=object),
            "cp": pd.Series(list(_words(11)), dtype=object),
            "sick": rng.random(ROWS) < 0.4,
            "grade": pd.Categorical(rng.choice(["low", "mid", "top"], ROWS)),
        }
    )


def polars_people():
    table = people()
    return pl.DataFrame(
        {
            "age": pl.Series(table["age"].to_numpy()).fill_nan(None),
            "chol": pl.Series(table["chol"].to_numpy()).fill_nan(None),
            "visits": table["visits"].to_numpy(),
            "thal": [None if isinstance(v, float) else v for v in table["thal"]],
            "cp": table["cp"].tolist(),
        }
    )


# polars, NumPy and scipy ----------------------------------------------------------------------


def polars_numbers():
    table = numbers()
    columns = {name: pl.Series(table[name].to_numpy()).fill_nan(None) for name in table}
    return pl.DataFrame(columns).with_columns(count=pl.Series(random(3).integers(0, 9, ROWS)))


def polars_float32():
    return polars_numbers().cast(pl.Float32)


def polars_strings():
    return pl.DataFrame({"fruit": list(_words(10)), "town": list(_words(11))})


def polars_strings_holes():
    return pl.DataFrame({"fruit": list(_words(10, 0.1)), "town": list(_words(11))})


def array_floats():
    return plain_numbers().to_numpy()


def array_holes():
    return numbers().to_numpy()


def array_ints():
    return random(19).integers(-4, 5, (ROWS, 3))


def array_float32():
    return random(4).normal(3, 2, (ROWS, 3)).astype(np.float32)


def array_float32_holes():
    return float32_holes().to_numpy()


def array_float16():
    return random(4).normal(3, 2, (ROWS, 3)).astype(np.float16)


def array_booleans():
    return random(5).random((ROWS, 3)) < 0.4


def array_objects():
    return strings().to_numpy(dtype=object)


def array_objects_holes():
    return strings_none().to_numpy(dtype=object)


def array_text():
    """A NumPy array of fixed-width text."""
    return strings().to_numpy(dtype=object).astype(str)


def fortran():
    return np.asfortranarray(array_holes())


def csr():
    return sp.csr_matrix(array_ints().astype(float) * (random(20).random((ROWS, 3)) < 0.4))


def csr_holes():
    return sp.csr_matrix(with_holes(csr().toarray()))


def csr_float32():
    return csr().astype(np.float32)


def csr_array():
    return sp.csr_array(csr())


def csc():
    return csr().tocsc()


def csc_holes():
    return csr_holes().tocsc()


# The oldest scikit-learn reads polars by an interface that new polars no longer has: its pooled
# fit then has no names to compare with.
POLARS_NAMED = hasattr(StandardScaler().fit(pl.DataFrame({"a": [1.0, 2.0]})), "feature_names_in_")


def dates():
    rng = random(21)
    days = pd.Timestamp("2019-12-31") + pd.to_timedelta(rng.integers(0, 10**8, ROWS), unit="s")
    return pd.DataFrame(
        {
            "seen": pd.Series(days).where(rng.random(ROWS) > 0.1),
            "zoned": pd.Series(days).dt.tz_localize(
                "Europe/Oslo", ambiguous=True, nonexistent="shift_forward"
            ),
        }
    )
