"""A query of PostgreSQL as a client's table: held while a fit lasts, and what goes wrong with it."""

import logging
import subprocess
import sys

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
    TargetEncoder,
)

import fedps
from fedps.client import Ledger, Responder, open_table
from fedps.client.tables.sources import source_table
from fedps.client.tables.sql.held_connection import HeldConnection
from tests.sources import rows
from tests.sources.postgres import seconds

QUERY = "SELECT * FROM visits ORDER BY id"
TWO_ROUNDS = make_column_transformer(
    (make_pipeline(SimpleImputer(), StandardScaler()), ["gap", "small"]),
    (RobustScaler(), ["nan"]),
)
SOON = 30  # seconds: far more than any of this takes, and far less than for ever


@pytest.fixture
def visits(postgres):
    postgres.ingest("visits", rows.hostile())
    return postgres


def federation(server, query=QUERY, **how):
    return fedps.Federation({"oslo": fedps.SQL(server.uri(), query)}, **how)


def between_passes(monkeypatch, change, after=1):
    """Do something once, when so many passes over the rows have begun."""
    real, begun = HeldConnection.batches, []

    def batches(self, query):
        begun.append(query)
        if len(begun) == after + 1:
            change()
        return real(self, query)

    monkeypatch.setattr(HeldConnection, "batches", batches)
    return begun


def other_process(server, statement):
    """Run a statement in a process of its own."""
    code = (
        "import sys\nfrom adbc_driver_postgresql import dbapi\n"
        "with dbapi.connect(sys.argv[1], autocommit=True) as c:\n"
        "    with c.cursor() as cursor: cursor.execute(sys.argv[2])\n"
    )
    subprocess.run([sys.executable, "-c", code, server.uri(), statement], check=True)


INSERT = "INSERT INTO visits SELECT * FROM visits WHERE id < 100"


def test_all_rounds_see_the_rows_of_the_first(visits, monkeypatch):
    expected = federation(visits).fit(TWO_ROUNDS)
    passes = between_passes(monkeypatch, lambda: other_process(visits, INSERT))
    watched = federation(visits)
    fitted = watched.fit(TWO_ROUNDS)
    assert len(passes) == 2  # one for each round
    first, second = (f.named_transformers_["pipeline"][-1] for f in (expected, fitted))
    assert first.mean_.tolist() == second.mean_.tolist()
    assert second.n_samples_seen_ == rows.ROWS
    again = watched.fit(TWO_ROUNDS)  # another fit sees what is there now
    assert again.named_transformers_["pipeline"][-1].n_samples_seen_ == rows.ROWS + 100


def test_nothing_is_held_between_fits(visits):
    oslo = federation(visits)
    oslo.fit(TWO_ROUNDS)
    oslo.transform(oslo.fit(TWO_ROUNDS))
    visits.run("ALTER TABLE visits ADD COLUMN more int", "ALTER TABLE visits DROP COLUMN more")


def test_the_ledger_has_a_fingerprint(visits):
    ledger = Ledger()
    responder = Responder(
        "oslo", open_table(fedps.SQL(visits.uri(), QUERY)), fedps.Policy.open(), ledger=ledger
    )
    oslo = fedps.Federation(fedps.transports.LocalTransport({"oslo": responder}))
    oslo.fit(TWO_ROUNDS)
    oslo.fit(TWO_ROUNDS)
    visits.run(INSERT)
    oslo.fit(TWO_ROUNDS)
    told = [e.question for e in ledger.entries if e.statistic == "Schema" for _ in range(e.times)]
    before, same, after = sorted(told)
    assert before == same  # the same rows again
    assert before.startswith("names, rows; 400 rows, columns ")
    assert after.startswith("names, rows; 500 rows, columns ")


def test_a_process_for_each_round_notices_other_rows(visits):
    """As on an engine that keeps only the journal, and what the rows were."""
    oslo = federation(visits)
    sent, responders = [], []

    class Alone:
        """A transport whose client is a new responder in each round."""

        heard, seen = (), ""

        def clients(self):
            return ("oslo",)

        def exchange(self, messages):
            table = open_table(fedps.SQL(visits.uri(), QUERY))
            one = Responder("oslo", table, fedps.Policy.open())
            one.remember(self.heard, self.seen)
            sent.append(one.answer(messages["oslo"]))
            self.heard, self.seen = one.heard, one.rows_seen
            table.release()
            responders.append(one)
            if len(sent) == 1 and self.insert:
                visits.run(INSERT)
            yield "oslo", sent[-1]

    alone = Alone()
    alone.insert = False
    fitted = fedps.Federation(alone).fit(TWO_ROUNDS)
    assert len(sent) == 2
    expected = oslo.fit(TWO_ROUNDS).named_transformers_["pipeline"][-1]
    assert fitted.named_transformers_["pipeline"][-1].mean_.tolist() == expected.mean_.tolist()
    sent.clear()
    alone = Alone()
    alone.insert = True
    with pytest.raises(fedps.ClientError, match="other rows than in the first round"):
        fedps.Federation(alone).fit(TWO_ROUNDS)


def test_a_server_that_is_killed_in_a_round(visits, monkeypatch, caplog):
    monkeypatch.setattr(source_table, "CHUNK_ROWS", 50)
    big = "SELECT v.* FROM visits v, generate_series(1, 3000) ORDER BY v.id"
    oslo = federation(visits, big)
    real, begun = source_table.SourceTable.chunks, []

    def chunks(self):
        for chunk in real(self):
            begun.append(1)
            if len(begun) == 100:
                visits.kill()
            yield chunk

    monkeypatch.setattr(source_table.SourceTable, "chunks", chunks)

    def fit():
        with pytest.raises(fedps.ClientError, match="'oslo' could not reach its table"):
            oslo.fit(make_column_transformer((StandardScaler(), ["small"])))

    with caplog.at_level(logging.ERROR, "fedps.client"):
        assert seconds(fit) < SOON
    assert "the connection to postgresql://fedps@127.0.0.1" in caplog.text
    with pytest.raises(fedps.ClientError, match="could not reach its table"):
        oslo.fit(TWO_ROUNDS)  # it is still down
    visits.start()
    monkeypatch.undo()
    assert federation(visits).fit(TWO_ROUNDS) is not None


def test_a_connection_that_is_lost_between_rounds_is_made_again(visits, monkeypatch):
    end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
    between_passes(monkeypatch, lambda: visits.run(end))
    fitted = federation(visits).fit(TWO_ROUNDS)  # the rows are the same: it goes on
    assert fitted.named_transformers_["pipeline"][-1].n_samples_seen_ == rows.ROWS


def test_rows_that_changed_while_the_connection_was_lost(visits, monkeypatch):
    end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
    between_passes(monkeypatch, lambda: visits.run(end, INSERT))
    with pytest.raises(fedps.ClientError, match="other rows than in the first round"):
        federation(visits).fit(TWO_ROUNDS)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("DROP TABLE visits", "does not find its table"),
        ("REVOKE SELECT ON visits FROM reader", "may not read its table"),
        (
            "ALTER TABLE visits ALTER COLUMN small TYPE text",
            "other columns than when its table was",
        ),
        ("ALTER TABLE visits RENAME COLUMN small TO tiny", "other columns than when its table was"),
    ],
    ids=["drop", "revoke", "type", "name"],
)
def test_what_happens_between_rounds(visits, monkeypatch, change, words):
    """The connection is ended first: while it lasts, nobody can change the table."""
    visits.run(
        "DROP ROLE IF EXISTS reader", "CREATE ROLE reader LOGIN", "GRANT SELECT ON visits TO reader"
    )
    end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'reader'"
    between_passes(monkeypatch, lambda: visits.run(end, change))
    oslo = fedps.Federation({"oslo": fedps.SQL(visits.uri("reader"), QUERY)})

    def fit():
        with pytest.raises(fedps.ClientError, match=words) as caught:
            oslo.fit(TWO_ROUNDS)
        assert "SELECT" not in str(caught.value)

    assert seconds(fit) < SOON
    assert oslo.ledgers["oslo"].entries[-1].outcome == "failed"
    visits.run("DROP TABLE IF EXISTS visits", "DROP ROLE reader")


def test_a_right_that_is_revoked_in_the_transaction(visits, monkeypatch):
    visits.run(
        "DROP ROLE IF EXISTS reader", "CREATE ROLE reader LOGIN", "GRANT SELECT ON visits TO reader"
    )
    between_passes(monkeypatch, lambda: visits.run("REVOKE SELECT ON visits FROM reader"))
    with pytest.raises(fedps.ClientError, match="may not read its table"):
        fedps.Federation({"oslo": fedps.SQL(visits.uri("reader"), QUERY)}).fit(TWO_ROUNDS)
    visits.run("DROP TABLE visits", "DROP ROLE reader")


def test_a_statement_that_takes_too_long(visits):
    slow = "SELECT gap, small, nan, pg_sleep(0.02)::text AS nap FROM visits"
    oslo = fedps.SQL(visits.uri(), slow, timeout=0.5)

    def fit():
        with pytest.raises(fedps.ClientError, match="within the time limit there"):
            fedps.Federation({"oslo": oslo}).fit(TWO_ROUNDS)

    assert seconds(fit) < SOON


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("SELECT * FROM nothing", "names a table, a column or a database"),
        ("SELECT nothing FROM visits", "names a table, a column or a database"),
        ("SELEC * FROM visits", "cannot run the query"),
        ("DELETE FROM visits RETURNING *", "cannot run the query"),
        ("SELECT id, ARRAY[id] AS many FROM visits", "column 'many' is list"),
        ("SELECT id, id AS id FROM visits", "two columns have the name 'id'"),
        ("SELECT interval '1 day' AS span", "column 'span' is month_day_nano_interval"),
        ("SELECT 5::money AS price", "column 'price' of type money"),
        ("SELECT word::bytea::text::int FROM visits", "cannot run the query"),
    ],
)
def test_queries_that_cannot_be_a_table(visits, query, words):
    with pytest.raises(fedps.UsageError, match=words) as caught:
        open_table(fedps.SQL(visits.uri(), query)).schema()
    assert caught.value.__context__ is None
    assert open_table(fedps.SQL(visits.uri(), QUERY)).schema().rows == rows.ROWS


def test_types_of_postgresql(visits):
    query = """SELECT id, id / 4.0 AS free, (id / 4.0)::numeric(9, 3) AS fixed, 'a'::char(3) AS padded,
        md5(id::text)::uuid AS key, '{"a": 1}'::json AS doc, id::float4 AS single, '10:30'::time AS clock,
        NULL::int AS nothing FROM visits WHERE id < 8 ORDER BY id"""
    table = open_table(fedps.SQL(visits.uri(), query))
    schema = table.schema()
    assert schema.empty == (schema.names.index("nothing"),)
    (chunk,) = table.chunks()
    assert [str(cell) for cell in chunk.X["fixed"][:3]] == ["0.000", "0.250", "0.500"]
    assert chunk.X["free"].astype(float).tolist() == [i / 4 for i in range(8)]
    assert chunk.X["single"].dtype == np.float32
    assert chunk.X["doc"][0] == '{"a": 1}'
    assert len(chunk.X["key"][0]) == 36


def test_what_depends_on_the_order_of_rows(visits):
    """It works with ORDER BY, and is refused with the reason without."""
    draws = make_column_transformer(
        (QuantileTransformer(subsample=100, random_state=0, n_quantiles=10), ["small"])
    )
    folds = make_column_transformer((TargetEncoder(random_state=0), ["word"]))
    clusters = make_pipeline(
        make_column_transformer((SimpleImputer(), ["small", "nan"])), KMeans(2, random_state=0)
    )
    for estimator, target in ((draws, None), (folds, "label"), (clusters, None)):
        with pytest.raises(fedps.ClientError, match=r"rows without an order.*ORDER BY a key"):
            federation(visits, "SELECT * FROM visits", target=target).fit_transform(estimator)
        federation(visits, QUERY, target=target).fit(estimator)


def test_owners_of_columns(visits):
    oslo = fedps.SQL(visits.uri(), "SELECT id, small FROM visits")
    bergen = fedps.SQL(visits.uri(), "SELECT id, nan FROM visits ORDER BY id")
    with pytest.raises(fedps.UsageError, match="no ORDER BY at its end"):
        fedps.Federation({"oslo": oslo, "bergen": bergen}, split="columns")
    both = {
        "oslo": bergen,
        "bergen": fedps.SQL(visits.uri(), "SELECT id, big FROM visits ORDER BY id"),
    }
    fitted = fedps.Federation(both, split="columns", key="id").fit(StandardScaler())
    assert fitted is not None
