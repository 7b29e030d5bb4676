"""Rows that are read again in each pass: what is compared, and what is not taken."""

import threading

import numpy as np
import pyarrow as pa
import pytest
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import QuantileTransformer, StandardScaler

import fedps
from fedps.client import open_table
from fedps.client.tables.sources.row_digest import RowDigest
from fedps.client.tables.sources.top_level_order import has_order
from tests.sources import rows

STEPS = make_pipeline(SimpleImputer(), StandardScaler())


def digest(table):
    found = RowDigest()
    found.add(table)
    return found


def test_a_digest_does_not_depend_on_batches():
    table = rows.hostile(3000)
    whole, parts = digest(table), RowDigest()
    for start in range(0, 3000, 37):
        parts.add(table.slice(start, 37))
    assert (whole.bag, whole.list) == (parts.bag, parts.list)
    shuffled = digest(table.take(np.random.default_rng(0).permutation(3000)))
    assert shuffled.bag == whole.bag
    assert shuffled.list != whole.list


@pytest.mark.parametrize("column", rows.hostile(20).column_names)
def test_a_digest_sees_every_cell(column):
    table = rows.hostile(50)
    at = table.column_names.index(column)
    cells = table[column].to_pylist()
    for place in (0, 49):
        other = next(
            c
            for c in [*cells, None]
            if c != cells[place] and not (c != c and cells[place] != cells[place])
        )
        changed = [*cells[:place], other, *cells[place + 1 :]]
        swapped = table.set_column(at, column, pa.array(changed, table[column].type))
        assert digest(swapped).bag != digest(table).bag


def test_long_texts_and_nothing():
    texts = ["", None, "a" * 3_000_000, "b" * 700_000, "c" * 700_000, "a" * 3_000_000]
    table = pa.table({"text": pa.array(texts), "none": pa.nulls(6)})
    assert digest(table).bag == digest(table.take([5, 4, 3, 2, 1, 0])).bag
    assert digest(table).bag != digest(table.take([5, 4, 3, 2, 0, 0])).bag
    assert digest(table.slice(0, 0)).rows == 0


def test_readers_that_give_other_rows():
    turn = iter(range(100))

    def read():
        return pa.table({"x": [float(next(turn) > 1), 2.0]}).to_reader()

    with pytest.raises(fedps.ClientError, match="other rows than in the first round"):
        fedps.fit(STEPS, {"oslo": read})


def test_readers_that_give_another_order():
    table = pa.table({"x": np.arange(9.0)})
    turn = iter(range(100))

    def read():
        return table.take(np.roll(np.arange(9), next(turn))).to_reader()

    with pytest.raises(fedps.ClientError, match="rows in another order than before"):
        fedps.fit(QuantileTransformer(subsample=5, random_state=0, n_quantiles=3), {"oslo": read})


def test_batches_of_arrow():
    batches = pa.table({"x": np.arange(9.0)}).to_batches(max_chunksize=2)
    assert (
        fedps.fit(StandardScaler(), {"oslo": batches, "bergen": batches[0]}).n_samples_seen_ == 11
    )


def test_relations_of_one_connection_in_two_clients():
    duckdb = pytest.importorskip("duckdb")
    made = duckdb.connect()
    made.execute("CREATE TABLE visits AS SELECT i AS id, i / 3 AS x FROM range(100000) t(i)")
    clients = {
        name: made.table("visits").filter(f"id % 2 = {odd}").order("id").select("x")
        for odd, name in enumerate(("even", "odd"))
    }
    fitted = fedps.fit(STEPS, clients)
    assert fitted[-1].n_samples_seen_ == 100_000
    made.execute("CREATE TABLE many AS SELECT [1, 2] AS list")
    with pytest.raises(fedps.UsageError, match="column 'list' is list"):
        open_table(made.sql("SELECT * FROM many"))
    assert threading.active_count() < 50


def test_a_relation_without_an_order():
    duckdb = pytest.importorskip("duckdb")
    some = duckdb.sql("SELECT i AS x FROM range(100) t(i)")
    draw = QuantileTransformer(subsample=50, random_state=0, n_quantiles=3)
    with pytest.raises(fedps.ClientError, match="rows without an order"):
        fedps.fit(draw, {"oslo": some})
    assert fedps.fit(draw, {"oslo": some.order("x")}).n_quantiles_ == 3


@pytest.mark.parametrize(
    ("query", "ordered"),
    [
        ("select * from t order  by 1", True),
        ("select * from t ORDER BY x desc limit 5", True),
        ("select * from (select * from t order by 1) q", False),
        ("select row_number() over (order by x) from t", False),
        ("select 'order by', \"order by\", $$order by$$ from t -- order by", False),
        ("with a as (select 1 order by 1) select * from a /* order by */ order\nby 1;", True),
        ("select $x$ ) order by $x$ from t", False),
    ],
)
def test_what_an_order_is(query, ordered):
    assert has_order(query) is ordered


def test_a_lazy_frame_that_fails_quotes_no_cell():
    pl = pytest.importorskip("polars")
    if not hasattr(pl.LazyFrame, "collect_batches"):
        pytest.skip("this polars cannot collect in batches")
    bad = pl.LazyFrame({"x": ["1.5", "secret"]}).with_columns(pl.col("x").cast(pl.Float64))
    with pytest.raises(fedps.UsageError, match="LazyFrame cannot be collected") as caught:
        open_table(bad).schema()
    assert "secret" not in str(caught.value)
    with pytest.raises(fedps.ClientError, match="could not read its table"):
        fedps.fit(StandardScaler(), {"oslo": bad})


def test_files_that_change_or_go_during_a_fit(tmp_path):
    path = tmp_path / "oslo.csv"
    for change in (lambda: path.write_text("x\n1\n2\n3\n"), path.unlink):
        path.write_text("x\n1\n2\n")
        federation = fedps.Federation({"oslo": str(path)}, progress=False)
        table = federation._session.here.responder("oslo").table
        passes, real = [], table.chunks

        def chunks(passes=passes, real=real, change=change):
            passes.append(1)
            yield from real()
            if len(passes) == 1:
                change()

        table.chunks = chunks
        with pytest.raises(fedps.ClientError, match="other rows than in the first round"):
            federation.fit(STEPS)
