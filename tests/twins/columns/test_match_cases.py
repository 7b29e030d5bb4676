"""Private matching finds the plain intersection, in a thousand random cases, and its fits are the pooled ones."""

from __future__ import annotations

from datetime import date, datetime, timedelta

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.preprocessing import MinMaxScaler, StandardScaler

import fedps

CASES, AT_ONCE = 1000, 50
DAY = datetime(2024, 2, 28)  # noqa: DTZ001 - tables have times without a zone
LETTERS = [
    "a",
    "é",
    "e\u0301",
    "ß",
    "SS",
    "\u0130",
    "日本",
    "🐟",
    "\ud800",
    "\udfff",
    " ",
    "\t",
    "x\n",
    "'",
    "",
]


def whole(rng, n):
    return rng.choice(3 * n + 4, n, replace=False).tolist()


def long_integers(rng, n):
    return [2**53 + int(i) for i in rng.choice(3 * n + 4, n, replace=False)]


def fractions(rng, n):
    return [i / 2 for i in whole(rng, n)]


def digits(rng, n):
    return [str(i) for i in whole(rng, n)]


def padded(rng, n):
    return [f"{i:03}" if i % 2 else str(i) for i in whole(rng, n)]


def days(rng, n):
    return [DAY + timedelta(days=i) for i in whole(rng, n)]


def times(rng, n):
    return [DAY + timedelta(hours=8 * i) for i in whole(rng, n)]


def texts(rng, n):
    every = sorted({a + b for a in LETTERS for b in LETTERS})
    return [every[i] for i in rng.choice(len(every), n, replace=False)]


def mixed(rng, n):
    return [(i, str(i), i / 4, DAY.date() + timedelta(days=i))[i % 4] for i in whole(rng, n)]


KINDS = [whole, long_integers, fractions, digits, padded, days, times, texts, mixed]


def written(rng, keys):
    """Return the same keys as another library or dtype may have them."""
    kinds = {type(key) for key in keys}
    forms = [lambda own: pd.Series(own, dtype=object)]
    if kinds == {int}:
        forms += [pd.Series, pl.Series, pa.array, lambda own: pd.Series([str(k) for k in own])]
        if max(keys) < 2**53:
            forms.append(lambda own: pd.Series(own, dtype=float))
    if kinds <= {int, float}:
        forms += [
            lambda own: pd.Series(own, dtype=float),
            lambda own: pl.Series(own, dtype=pl.Float64),
        ]
    if kinds == {str} and not any("\ud800" <= c <= "\udfff" for key in keys for c in key):
        forms += [pl.Series, pa.array, lambda own: pd.Series(own, dtype="string")]
    if kinds == {datetime}:
        forms += [pd.Series, pl.Series, lambda own: pd.Series(own).astype("datetime64[s]")]
    if not keys:
        forms = [lambda own: pd.Series(own, dtype=object)]
    if any(isinstance(key, int) and key >= 2**53 for key in keys):  # no float has it
        forms = [pd.Series, pl.Series, lambda own: pd.Series([str(k) for k in own])]
    return forms[rng.integers(len(forms))](keys)


def a_table(rng, keys, name, plain):
    """Return a table of these keys with a column of numbers, in any library; note it as a dict."""
    column = written(rng, keys)
    numbers = rng.normal(size=len(keys)).round(3)
    plain.append(dict(zip(map(text, keys), numbers.tolist(), strict=True)))
    if isinstance(column, pl.Series):
        return pl.DataFrame({"id": column, name: numbers})
    if isinstance(column, pa.Array):
        return pa.table({"id": column, name: numbers})
    return pd.DataFrame({"id": column, name: numbers})


def a_case(seed):
    """Return owners' tables, and the same as dicts: keys of one kind, some, all or none in common."""
    rng = np.random.default_rng(seed)
    owners, kind = int(rng.integers(2, 6)), KINDS[seed % len(KINDS)]
    every = kind(rng, int(rng.integers(1, 30)))
    overlap = rng.choice(
        ["some", "all", "none", "most", "one row", "empty"], p=[0.4, 0.15, 0.1, 0.2, 0.1, 0.05]
    )
    share = {"some": 0.6, "all": 1.0, "most": 0.9}.get(overlap, 0.7)
    found, plain = {}, []
    for i in range(owners):
        own = [key for key in every if rng.random() < share]
        if overlap == "none":
            own = every[i::owners]
        elif overlap == "one row" and i == 0:
            own = every[:1]
        elif overlap == "empty" and i == owners - 1:
            own = []
        own = [own[j] for j in rng.permutation(len(own))]
        found[f"owner {i}"] = a_table(rng, own, f"x{i}", plain)
    return found, plain


def text(key):
    """Return a key as all owners write it."""
    if isinstance(key, datetime):
        return str(key).removesuffix(" 00:00:00")
    return str(int(key)) if isinstance(key, float) and key.is_integer() else str(key)


def merged(plain):
    """Return the rows that all have, one column for each owner."""
    common = set.intersection(*map(set, plain))
    return np.array([[own[key] for own in plain] for key in common]).reshape(-1, len(plain))


def cells(output):
    return np.asarray(output.to_numpy() if hasattr(output, "to_numpy") else output, dtype=float)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, CASES, AT_ONCE))
def test_the_plain_intersection_is_found_and_fitted(first):
    for seed in range(first, first + AT_ONCE):
        tables, plain = a_case(seed)
        pooled = merged(plain)
        if not len(pooled):
            with pytest.raises(fedps.Disagreement, match="no key is at all clients"):
                fedps.Federation(tables, split="columns", key="id", match="private")
            continue
        made = fedps.Federation(tables, split="columns", key="id", match="private")
        assert made._split.matched == len(pooled), seed
        if seed % 3:
            continue
        scaler = StandardScaler() if seed % 2 else MinMaxScaler()
        outputs = made.fit_transform(scaler)[1]
        rows = np.hstack([cells(output) for output in outputs.values()])
        expected = scaler.fit(pooled).transform(pooled)
        # rows are the same, in an order of the owners': whole rows are compared, whatever that is
        np.testing.assert_allclose(_sorted(rows), _sorted(expected), rtol=1e-9, atol=1e-12)


def _sorted(rows):
    return rows[np.lexsort(rows.round(6).T[::-1])]


def test_dates_match_times_at_midnight_and_text():
    tables = {
        "dates": pd.DataFrame({"id": [date(2024, 5, 1), date(2024, 5, 2)], "a": [1.0, 2.0]}),
        "times": pd.DataFrame(
            {"id": pd.to_datetime(["2024-05-02", "2024-05-03"]), "b": [3.0, 4.0]}
        ),
        "texts": pl.DataFrame({"id": ["2024-05-02", "2024-05-04"], "c": [5.0, 6.0]}),
    }
    made = fedps.Federation(tables, split="columns", key="id", match="private")
    assert made._split.matched == 1


def test_a_key_is_written_alike_whatever_the_other_keys_are():
    """A fraction beside it does not make 7 another key."""
    tables = {
        "fractions": pd.DataFrame({"id": [7.0, 8.5, 1e300], "a": 1.0}),
        "floats": pd.DataFrame({"id": [7.0, 9.0], "b": 1.0}),
        "integers": pd.DataFrame({"id": [7, 8], "c": 1.0}),
        "objects": pd.DataFrame({"id": pd.Series([7.0, "x"], dtype=object), "d": 1.0}),
    }
    assert fedps.Federation(tables, split="columns", key="id", match="private")._split.matched == 1


@pytest.mark.parametrize("match", ["same", "private"])
@pytest.mark.parametrize("keys", [[1, 1, 2], [1.0, np.nan, 2.0], ["1", None, "2"], ["7", 7.0, 8]])
def test_keys_that_identify_no_rows_are_refused_alike(match, keys):
    tables = [pd.DataFrame({"id": keys, "a": 1.0}), pd.DataFrame({"id": [1, 2, 3], "b": 1.0})]
    with pytest.raises(fedps.UsageError, match="the key column 'id' has"):
        fedps.Federation(tables, split="columns", key="id", match=match)
