"""A password in an address is never shown: not in reprs, errors, logs, ledgers, reports, nor to other processes."""

import logging
import traceback

import pytest
from click.testing import CliRunner
from sklearn.preprocessing import StandardScaler

import fedps
from fedps.cli.commands import fedps_command
from fedps.client.tables.sources.uri import (
    filled_in,
    has_password,
    is_uri,
    refuse_password,
    shown_uri,
)
from fedps.engines.client_settings import ClientSettings, read_settings
from tests.sources import rows

SECRET = "hunter2-Ω%40x"  # noqa: S105 - nobody's
ADDRESSES = [
    f"postgresql://ana:{SECRET}@nowhere.invalid:1/db",
    f"postgresql://ana@127.0.0.1:1/db?password={SECRET}",
    f"postgresql://ana:{SECRET}@127.0.0.1:1/db?sslpassword={SECRET}&connect_timeout=1",
    f"postgresql://ana:{SECRET}@127.0.0.1:xx/db",
    f"postgresql://ana:{SECRET} {SECRET}@127.0.0.1:1/db",
    f"postgresql://ana:a@{SECRET}/?b@127.0.0.1:1/db",
    f"oracle://ana:{SECRET}@host/db",
]


@pytest.mark.parametrize("uri", ADDRESSES)
def test_it_is_nowhere(uri, caplog):
    caplog.set_level(logging.DEBUG)
    shown = [shown_uri(uri), repr(fedps.SQL(uri, "SELECT 1")), str(fedps.SQL(uri, "SELECT 1"))]
    for call in (
        lambda: fedps.Federation({"oslo": fedps.SQL(uri, "SELECT 1")}),
        lambda: fedps.Federation({"oslo": uri}),
        lambda: ClientSettings(uri, query="SELECT 1"),
        lambda: read_settings({"data": uri, "query": "SELECT 1"}, "fedps.toml", ""),
        lambda: refuse_password(uri, "a file"),
    ):
        with pytest.raises(fedps.UsageError) as caught:
            call()
        shown += traceback.format_exception(caught.value)
    for arguments in (
        ["fit", "x.py:y", "--out", "o.skops", "--client"],
        ["policy", "check", "open"],
    ):
        for text in (uri, f"={uri}"):
            done = CliRunner().invoke(fedps_command, [*arguments, text])
            assert done.exit_code == 2
            shown.append(done.output)
    shown.append(caplog.text)
    assert [text for text in shown if SECRET in text or "hunter2" in text] == []


def test_a_fit_with_a_password(postgres, caplog, tmp_path):
    caplog.set_level(logging.DEBUG)
    postgres.ingest("visits", rows.hostile())
    postgres.run("DROP ROLE IF EXISTS ana", f"CREATE ROLE ana LOGIN SUPERUSER PASSWORD '{SECRET}'")
    uri = postgres.uri("ana", "hunter2-%CE%A9%2540x")
    oslo = fedps.Federation({"oslo": fedps.SQL(uri, "SELECT small FROM visits")})
    oslo.fit(StandardScaler())
    run, ledger = oslo.run, str(oslo.ledgers["oslo"])
    told = [repr(oslo), str(run), run._repr_html_(), repr(run), str(oslo.explain(StandardScaler()))]
    postgres.run("DROP TABLE visits")
    with pytest.raises(fedps.FedPSError) as caught:
        oslo.fit(StandardScaler())
    told += traceback.format_exception(caught.value)
    assert [text for text in [*told, ledger, caplog.text] if "hunter2" in text] == []


def test_a_password_of_the_environment(monkeypatch, postgres):
    postgres.ingest("visits", rows.hostile())
    monkeypatch.setenv("OSLO_PASSWORD", SECRET)
    uri = postgres.uri("fedps", "${OSLO_PASSWORD}")
    assert not has_password(uri)
    assert SECRET not in filled_in(uri)  # it is quoted there
    fedps.Federation({"oslo": fedps.SQL(uri, "SELECT small FROM visits")}).fit(StandardScaler())
    assert ClientSettings(uri, query="SELECT 1").given()["data"] == uri
    monkeypatch.delenv("OSLO_PASSWORD")
    with pytest.raises(fedps.UsageError, match=r"names \$OSLO_PASSWORD, which is not set"):
        fedps.Federation({"oslo": fedps.SQL(uri, "SELECT small FROM visits")})


def test_addresses():
    assert is_uri("grpc+tls://host:1")
    assert not is_uri("C:/data/oslo.csv")
    assert shown_uri("postgresql://host/db") == "postgresql://host/db"
    assert not has_password("postgresql://ana@host/db?sslmode=require")
    assert has_password("postgresql://ana@host/db?PASSWORD=x")
