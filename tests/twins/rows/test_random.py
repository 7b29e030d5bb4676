"""Random tables, random partitions and random parameters, by hypothesis."""

import numpy as np
import pandas as pd
import polars as pl
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    MaxAbsScaler,
    StandardScaler,
)

from tests.twins.rows.random_tables import (
    IMPUTERS,
    ONE_HOT,
    ORDINAL,
    SCALERS,
    SWITCHES,
    category_frame,
    clients_of,
    code_column,
    number_column,
    number_frame,
    size,
    word_column,
)
from tests.twins.tables import POLARS_NAMED
from tests.twins.twin import check


@given(clients=clients_of(number_frame()), estimator=SCALERS)
def test_scalers(clients, estimator):
    check(estimator, clients)


@given(clients=clients_of(number_frame()), estimator=SCALERS, dtype=st.sampled_from(["f4", "f8"]))
def test_scalers_of_arrays(clients, estimator, dtype):
    first = list(clients[0].columns)
    check(estimator, [part[first].to_numpy().astype(dtype) for part in clients])


@given(
    clients=clients_of(number_frame(holes=False)),
    estimator=st.builds(StandardScaler, with_mean=st.just(False)) | st.builds(MaxAbsScaler),
    kind=st.sampled_from([sp.csr_matrix, sp.csc_matrix, sp.csr_array]),
)
def test_scalers_of_sparse(clients, estimator, kind):
    first = list(clients[0].columns)
    check(estimator, [kind(part[first].to_numpy()) for part in clients])


@given(clients=clients_of(category_frame()), estimator=ONE_HOT | ORDINAL)
def test_encoders(clients, estimator):
    check(estimator, clients)


@given(clients=clients_of(number_frame()), estimator=IMPUTERS)
def test_imputers(clients, estimator):
    check(estimator, clients, scale=size(clients))


@given(
    clients=clients_of(category_frame()),
    estimator=st.builds(
        SimpleImputer,
        missing_values=st.sampled_from([np.nan, None, "a", 2]),
        strategy=st.sampled_from(["most_frequent", "constant"]),
        fill_value=st.none() | st.sampled_from(["?", 5]),
        **SWITCHES,
    ),
)
def test_imputers_of_categories(clients, estimator):
    check(estimator, clients)


# Sums of eighths are exact, so both impute the same bits: a constant column stays constant.
@given(clients=clients_of(number_frame(plain=True)), imputer=IMPUTERS, scaler=SCALERS)
def test_chains(clients, imputer, scaler):
    check(make_pipeline(imputer, scaler), clients)


@st.composite
def mixed_frame(draw):
    rows = draw(st.integers(1, 20))
    return pd.DataFrame(
        {
            "x0": draw(number_column(rows)),
            "c0": draw(word_column(rows)),
            "x1": draw(number_column(rows, holes=False)),
            "c1": draw(code_column(rows)),
        }
    )


@given(
    clients=clients_of(mixed_frame()),
    scaler=SCALERS,
    encoder=ONE_HOT | ORDINAL,
    remainder=st.sampled_from(["drop", "passthrough"]) | SCALERS,
    threshold=st.sampled_from([0, 0.3, 1]),
)
def test_columns(clients, scaler, encoder, remainder, threshold):
    parts = [("x", scaler, ["x0"]), ("c", encoder, ["c0", "c1"])]
    estimator = ColumnTransformer(parts, remainder=remainder, sparse_threshold=threshold)
    check(estimator, clients)


@given(clients=clients_of(number_frame()), estimator=SCALERS | IMPUTERS)
def test_polars(clients, estimator):
    if not POLARS_NAMED:
        return
    frames = [pl.DataFrame({n: part[n].to_numpy() for n in part}) for part in clients]
    frames = [frame.fill_nan(None) for frame in frames]
    check(estimator, frames, scale=size(clients))
