"""Times of different units that a step hands on to another: as pooled, or refused with what settles it."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import (
    FunctionTransformer,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    StandardScaler,
)

import fedps
from tests.twins.compare import assert_same_fit
from tests.twins.quiet import quiet
from tests.twins.twin import check, fit_pooled

FINEST = pl.Datetime("ns")
HOURS = pd.date_range("2020-02-28", periods=9, freq="31h")


def counts(rows):
    if isinstance(rows, pl.DataFrame):
        return rows.with_columns(pl.col("t").cast(pl.Int64))
    return rows.astype("int64")


def hour(rows):
    if isinstance(rows, pl.DataFrame):
        return rows.select(pl.col("t").dt.hour().cast(pl.Float64))
    return rows[["t"]].apply(lambda column: column.dt.hour.astype("float64"))


def in_pandas(unit, start, stop):
    times = pd.Series(HOURS[start:stop]).astype(f"datetime64[{unit}]")
    return pd.DataFrame({"t": times, "x": np.arange(start, stop) + 0.5})


def in_polars(kind, start, stop):
    frame = pl.from_pandas(in_pandas("us", start, stop))
    return frame.with_columns(pl.col("t").cast(kind))


def lengths(unit, start, stop):
    frame = in_pandas("us", start, stop)
    return frame.assign(t=(frame["t"] - HOURS[0]).astype(f"timedelta64[{unit}]"))


def category(unit, start, stop):
    return in_pandas(unit, start, stop).astype({"t": "category"})


TABLES = {
    "pandas": [in_pandas("ns", 0, 5), in_pandas("s", 5, 9)],
    "coarser-first": [in_pandas("s", 0, 5), in_pandas("us", 5, 9)],
    "polars": [in_polars(pl.Datetime("ns"), 0, 5), in_polars(pl.Datetime("ms"), 5, 9)],
    "polars-days": [in_polars(pl.Datetime("us"), 0, 5), in_polars(pl.Date, 5, 9)],
    "both": [in_pandas("s", 0, 5), in_polars(pl.Datetime("us"), 5, 9)],
    "lengths": [lengths("ns", 0, 5), lengths("s", 5, 9)],
    "category": [category("ns", 0, 5), category("s", 5, 9)],
}
PASSED = make_column_transformer(("passthrough", ["t"]))
HANDED_ON = {
    "passthrough": make_pipeline(PASSED, StandardScaler()),
    "remainder": make_pipeline(
        make_column_transformer(("drop", ["x"]), remainder="passthrough"), MinMaxScaler()
    ),
    "identity": make_pipeline(PASSED, FunctionTransformer(), StandardScaler()),
    "union": make_pipeline(
        PASSED, make_union("passthrough", FunctionTransformer()), StandardScaler()
    ),
    "function": make_pipeline(
        make_column_transformer((FunctionTransformer(counts), ["t"])), StandardScaler()
    ),
    "branch": make_column_transformer(
        (make_pipeline(FunctionTransformer(counts), StandardScaler()), ["t"]),
        (MinMaxScaler(), ["x"]),
    ),
}


def joined(tables):
    """Return all rows, times in the finest unit, as pandas joins them: polars would cut them off."""
    if all(isinstance(table, pl.DataFrame) for table in tables):
        return pl.concat([table.with_columns(pl.col("t").cast(FINEST)) for table in tables])
    frames = [t.to_pandas() if isinstance(t, pl.DataFrame) else t for t in tables]
    return pd.concat(frames, ignore_index=True)


@pytest.mark.parametrize("estimator", HANDED_ON)
@pytest.mark.parametrize("tables", TABLES)
def test_what_counts_in_units_is_refused(estimator, tables):
    if tables == "category" and estimator in ("function", "branch"):
        pytest.skip("made-up categories are not counted")
    clients = dict(zip(("oslo", "bergen"), TABLES[tables], strict=True))
    federation = fedps.Federation(clients)
    with quiet(), pytest.raises(fedps.Disagreement) as caught:
        federation.fit(HANDED_ON[estimator])
    text = str(caught.value)
    assert text.startswith("column 't' counts times in other units at client 'oslo' (")
    assert "Scaler learns from what the steps before it make of them. " in text
    assert ("dtypes={'t': 'datetime'}" in text) == (tables != "lengths")
    assert "2020" not in text


@pytest.mark.parametrize("estimator", HANDED_ON)
@pytest.mark.parametrize("tables", ["pandas", "coarser-first", "polars", "both"])
def test_the_way_out_is_the_pooled_fit(estimator, tables):
    """In microseconds everywhere it is what scikit-learn learns from these."""
    chosen = HANDED_ON[estimator]
    federation = fedps.Federation(TABLES[tables], dtypes={"t": "datetime"})
    rows = joined(TABLES[tables])
    if isinstance(rows, pl.DataFrame):
        rows = rows.with_columns(pl.col("t").cast(pl.Datetime("us")))
    else:
        rows = rows.assign(t=rows["t"].astype("datetime64[us]"))
    with quiet():
        fitted, wanted = federation.fit(chosen), fit_pooled(chosen, rows)
        found = np.concatenate([np.asarray(own) for own in federation.transform(fitted)])
    assert_same_fit(fitted, wanted, 1e-9)
    np.testing.assert_allclose(found, np.asarray(wanted.transform(rows)), rtol=0, atol=1e-6)


@pytest.mark.parametrize("tables", ["pandas", "coarser-first", "polars", "both"])
def test_what_is_the_same_in_all_units(tables):
    estimator = make_column_transformer(
        (make_pipeline(FunctionTransformer(hour), StandardScaler()), ["t"]), (MinMaxScaler(), ["x"])
    )
    federation, rows = fedps.Federation(TABLES[tables]), joined(TABLES[tables])
    with quiet():
        fitted, wanted = federation.fit(estimator), fit_pooled(estimator, rows)
        found = np.concatenate([np.asarray(own) for own in federation.transform(fitted)])
    assert_same_fit(fitted, wanted, 1e-9)
    np.testing.assert_allclose(found, wanted.transform(rows), rtol=1e-9)


@pytest.mark.parametrize("tables", ["pandas", "coarser-first", "polars", "both", "lengths"])
@pytest.mark.parametrize(
    "encoder", [OrdinalEncoder(), OneHotEncoder(handle_unknown="ignore", sparse_output=False)]
)
@pytest.mark.parametrize("passed", [True, False])
def test_encoders_are_pooled_or_refused(tables, encoder, passed):
    """With some versions scikit-learn does not find a time of another unit among its categories."""
    chosen = (PASSED if passed else make_column_transformer((encoder, ["t"])), encoder)
    estimator = make_pipeline(*chosen[: 1 + passed])
    federation, rows = fedps.Federation(TABLES[tables]), joined(TABLES[tables])
    with quiet():
        fitted, wanted = federation.fit(estimator), fit_pooled(estimator, rows)
        if tables != "polars":  # which would cut them off to the coarsest unit
            assert_same_fit(fitted, wanted)
        try:
            found = np.concatenate([np.asarray(own) for own in federation.transform(fitted)])
        except fedps.Disagreement as error:
            assert "the output of this Pipeline depends on the unit" in str(error)  # noqa: PT017
            assert not _finds_other_units()
            return
    np.testing.assert_array_equal(found, wanted.transform(rows))


def _finds_other_units():
    """Whether scikit-learn finds times of another unit again."""
    encoder = OrdinalEncoder().fit(in_pandas("ns", 0, 5)[["t"]])
    return not isinstance(fails(encoder.transform, in_pandas("s", 0, 5)[["t"]]), ValueError)


def fails(call, *arguments):
    try:
        return call(*arguments)
    except ValueError as error:
        return error


@pytest.mark.parametrize("tables", ["pandas", "polars", "both", "lengths"])
def test_at_the_end_times_keep_their_unit(tables):
    federation = fedps.Federation(TABLES[tables])
    found = federation.transform(federation.fit(PASSED))
    assert "'t' is" in " ".join(federation.run.notes)
    wanted = np.asarray(
        fit_pooled(PASSED, joined(TABLES[tables])).transform(joined(TABLES[tables]))
    )
    kind = f"{wanted.dtype.kind}8[ms]"
    np.testing.assert_array_equal(
        np.concatenate([np.asarray(own).astype(kind) for own in found]), wanted.astype(kind)
    )


@pytest.mark.parametrize("tables", ["pandas", "polars", "both", "lengths"])
def test_numbers_at_the_end_are_refused(tables):
    """Nothing is learned from them; each client's output would be in its own unit."""
    estimator = make_column_transformer(
        (StandardScaler(), ["x"]), (FunctionTransformer(counts), ["t"])
    )
    federation = fedps.Federation(TABLES[tables])
    fitted = federation.fit(estimator)
    for use in (lambda: federation.transform(fitted), lambda: federation.fit_transform(estimator)):
        with pytest.raises(
            fedps.Disagreement, match="of this ColumnTransformer depends on the unit"
        ):
            use()


def test_a_scaler_of_other_tables():
    scaler = fedps.fit(StandardScaler(), [in_pandas("ns", 0, 5)[["t"]]])
    federation = fedps.Federation([table[["t"]] for table in TABLES["pandas"]])
    with pytest.raises(fedps.Disagreement, match="of this StandardScaler depends on the unit"):
        federation.transform(scaler)


def test_arrays():
    arrays = [table[["t"]].to_numpy() for table in TABLES["pandas"]]
    for estimator in (FunctionTransformer(), FunctionTransformer(counts)):
        with pytest.raises(fedps.Disagreement) as caught:
            fedps.fit(make_pipeline(estimator, StandardScaler()), arrays)
        assert "column number 0 counts times" in str(caught.value)
        assert "table.astype('<M8[ns]')" in str(caught.value)


def test_the_column_that_is_handed_on_is_named():
    tables = [table.assign(a=table["t"]) for table in TABLES["pandas"]]
    counted = make_pipeline(FunctionTransformer(counts), StandardScaler())
    with pytest.raises(fedps.Disagreement, match="^column 't' counts"):
        fedps.fit(make_column_transformer((OrdinalEncoder(), ["a"]), (counted, ["t"])), tables)
    tables = [table.rename(columns={"a": "t", "t": "a"}) for table in tables]
    with pytest.raises(fedps.Disagreement, match="^column 't' counts"):
        fedps.fit(make_column_transformer((OrdinalEncoder(), ["a"]), (counted, ["t"])), tables)


def test_lines_for_polars():
    estimator = HANDED_ON["passthrough"]
    with pytest.raises(fedps.Disagreement) as caught:
        fedps.fit(estimator, TABLES["polars"])
    assert "table = table.cast({'t': polars.Datetime('ns')})" in str(caught.value)
    with pytest.raises(fedps.Disagreement) as caught:  # polars has no seconds
        fedps.fit(estimator, TABLES["both"])
    assert "client 'client 1': table['t'] = table['t'].dt.as_unit('us')" in str(caught.value)


def test_functions_that_cannot_be_tried():
    """Where nobody can tell whether units matter, they have to agree."""

    @fedps.row_by_row
    def picky(rows):
        if (rows["x"] > 100).any():  # as one made-up cell is
            raise ValueError
        return rows.assign(t=rows["t"].dt.year)

    estimator = make_pipeline(FunctionTransformer(picky), StandardScaler())
    with pytest.raises(fedps.FedPSError):
        fedps.fit(estimator, TABLES["pandas"])


def test_imputers_say_what_they_have_against_times():
    estimator = make_pipeline(
        make_column_transformer((SimpleImputer(strategy="most_frequent"), ["t"])), StandardScaler()
    )
    check(estimator, TABLES["pandas"])
