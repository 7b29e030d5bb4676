"""Tables, partitions and parameters that hypothesis draws."""

import numpy as np
import pandas as pd
from hypothesis import strategies as st
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    StandardScaler,
)

from tests.twins.partitions import rearrange, take

# Tables -----------------------------------------------------------------------------------------

EIGHTHS = st.integers(-400, 400).map(lambda k: k / 8)
WORDS = st.sampled_from(["a", "B", "ä", "日本", "", "z z"])


@st.composite
def number_column(draw, rows, holes=True, plain=False):
    """Draw a column of multiples of an eighth, stretched and moved unless plain."""
    cell = EIGHTHS | st.just(np.nan) if holes else EIGHTHS
    cells = np.array(draw(st.lists(cell, min_size=rows, max_size=rows)), dtype=float)
    if plain:
        return cells
    stretch = draw(st.sampled_from([1.0, 0.1, 1e-6, 1e6]))
    return cells * stretch + draw(st.sampled_from([0.0, 0.0, 0.1, 1e9]))


@st.composite
def number_frame(draw, holes=True, plain=False):
    rows = draw(st.integers(1, 25))
    width = draw(st.integers(1, 3))
    return pd.DataFrame({f"x{k}": draw(number_column(rows, holes, plain)) for k in range(width)})


@st.composite
def word_column(draw, rows):
    kinds = [WORDS, WORDS | st.none(), WORDS | st.just(np.nan)]
    cell = draw(st.sampled_from(kinds))
    return pd.Series(draw(st.lists(cell, min_size=rows, max_size=rows)), dtype=object)


@st.composite
def code_column(draw, rows):
    cells = draw(st.lists(st.integers(-3, 3), min_size=rows, max_size=rows))
    return pd.Series(cells, dtype=draw(st.sampled_from(["int64", "float64", "int8", "object"])))


@st.composite
def category_frame(draw):
    rows = draw(st.integers(1, 25))
    width = draw(st.integers(1, 3))
    column = word_column(rows) | code_column(rows)
    return pd.DataFrame({f"c{k}": draw(column) for k in range(width)})


@st.composite
def clients_of(draw, tables):
    """Draw a table and send each of its rows to a client; the others' columns are shuffled."""
    table = draw(tables)
    rows = table.shape[0]
    count = draw(st.integers(1, 5))
    homes = np.array(draw(st.lists(st.integers(0, count - 1), min_size=rows, max_size=rows)))
    parts = [take(table, np.flatnonzero(homes == k)) for k in range(count)]
    orders = st.permutations(range(table.shape[1]))
    return [parts[0], *[rearrange(part, list(draw(orders))) for part in parts[1:]]]


# Parameters -------------------------------------------------------------------------------------

SCALERS = st.one_of(
    st.builds(StandardScaler, with_mean=st.booleans(), with_std=st.booleans()),
    st.builds(
        MinMaxScaler,
        feature_range=st.sampled_from([(0, 1), (-1, 1), (0.1, 7)]),
        clip=st.booleans(),
    ),
    st.builds(MaxAbsScaler),
)
FREQUENCIES = {
    "min_frequency": st.none() | st.integers(1, 6) | st.floats(0.01, 0.6),
    "max_categories": st.none() | st.integers(1, 5),
}
ONE_HOT = st.builds(
    OneHotEncoder,
    drop=st.sampled_from([None, None, "first", "if_binary"]),
    handle_unknown=st.sampled_from(["error", "ignore", "infrequent_if_exist", "warn"]),
    sparse_output=st.booleans(),
    dtype=st.sampled_from([np.float64, np.int32]),
    **FREQUENCIES,
)
ORDINAL = st.builds(
    OrdinalEncoder,
    handle_unknown=st.just("use_encoded_value"),
    unknown_value=st.sampled_from([-1, np.nan, 100]),
    encoded_missing_value=st.sampled_from([np.nan, -2, 2]),
    **FREQUENCIES,
)
SWITCHES = {"add_indicator": st.booleans(), "keep_empty_features": st.booleans()}
IMPUTERS = st.builds(
    SimpleImputer,
    strategy=st.sampled_from(["mean", "median", "most_frequent", "constant"]),
    **SWITCHES,
)


def size(clients):
    """Return the largest cell."""
    return max((np.nanmax(np.abs(part.to_numpy()), initial=0) for part in clients), default=0)
