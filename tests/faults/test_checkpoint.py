"""A server that dies and starts again goes on after the last complete round."""

from __future__ import annotations

import os
import stat
import subprocess
import sys

import numpy as np
import pytest
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    MinMaxScaler,
    PowerTransformer,
    RobustScaler,
    StandardScaler,
    TargetEncoder,
)

import fedps
from fedps.client import Policy, Responder, open_table
from fedps.transports import LocalTransport
from tests.conformance.scenario import bits
from tests.faults.faulty import DIES, Faulty, ServerDies, local
from tests.faults.fits import FITS, total
from tests.faults.tables import tables

CLIENTS = tables(7, 4)
SHUFFLED = {
    name: table[list(table.columns)[i % 2 :: -1] + list(table.columns)[i % 2 + 1 :]]
    for i, (name, table) in enumerate(CLIENTS.items())
}


def fit(transport, estimator, path, **options):
    np.random.seed(5)  # noqa: NPY002 - what random_state=None draws from
    federation = fedps.Federation(transport, progress=False, **options)
    return federation, federation.fit(estimator, checkpoint=path)


@pytest.mark.parametrize("within", [False, True], ids=["between rounds", "within a round"])
@pytest.mark.parametrize("clients", [CLIENTS, SHUFFLED], ids=["same order", "other orders"])
@pytest.mark.parametrize("name", FITS)
def test_it_goes_on_after_any_round(name, clients, within, tmp_path):
    expected, run = total(clients, FITS[name])
    for done in range(run.rounds):
        path = tmp_path / f"after {done}"
        dying = Faulty(local(clients), crash_after=done, crash_within=within)
        with pytest.raises(ServerDies):
            fit(dying, FITS[name], path)
        after = Faulty(local(clients))
        np.random.seed(99)  # noqa: NPY002 - another process would be somewhere else
        federation = fedps.Federation(after, progress=False)
        fitted = federation.fit(FITS[name], checkpoint=path)
        assert bits(fitted) == bits(expected)
        assert after.exchanges == run.rounds - done
        assert (federation.run.rounds, federation.run.resumed) == (run.rounds, done)
        assert not path.exists()


@pytest.mark.parametrize("share", [0.0, 0.1], ids=["by counts", "by intervals"])
def test_a_search_goes_on(share, tmp_path):
    """Clients follow each step of a search: one whose journal begins is asked the steps before again."""
    rng = np.random.default_rng(0)
    rows = {name: rng.normal(size=(200, 2)) for name in ("a", "b")}
    policy = Policy(min_rows=0, max_share=share)

    def transport():
        return LocalTransport({n: Responder(n, open_table(x), policy) for n, x in rows.items()})

    plain = fedps.Federation(transport(), progress=False)
    expected = plain.fit(RobustScaler())
    assert plain.run.rounds > 1
    for done in range(plain.run.rounds):
        path = tmp_path / f"after {done}"
        with pytest.raises(ServerDies):
            fit(Faulty(transport(), crash_after=done), RobustScaler(), path)
        federation, fitted = fit(transport(), RobustScaler(), path)
        assert bits(fitted) == bits(expected)
        assert (federation.run.rounds, federation.run.resumed) == (plain.run.rounds, done)


def test_costs_are_counted_once(tmp_path):
    """Those of the rounds before come from the file; the first one after tells everything again."""
    _, run = total(CLIENTS, FITS["pipeline"])
    with pytest.raises(ServerDies):
        fit(Faulty(local(CLIENTS), crash_after=2), FITS["pipeline"], tmp_path / "file")
    federation, _ = fit(local(CLIENTS), FITS["pipeline"], tmp_path / "file")
    assert [ask.bytes for ask in federation.run.asks] == [ask.bytes for ask in run.asks]
    for client, sent in run.bytes_up.items():
        assert sent <= federation.run.bytes_up[client] <= sent + 100  # its schema once more
    assert "2 of the rounds from the checkpoint" in str(federation.run)


def test_many_crashes(tmp_path):
    expected, run = total(CLIENTS, FITS["pipeline"])
    path = tmp_path / "file"
    for _ in range(run.rounds - 1):
        with pytest.raises(ServerDies):
            fit(Faulty(local(CLIENTS), crash_after=1), FITS["pipeline"], path)
    federation, fitted = fit(Faulty(local(CLIENTS)), FITS["pipeline"], path)
    assert bits(fitted) == bits(expected)
    assert federation.run.resumed == run.rounds - 1


def test_it_goes_on_without_whom_it_went_on_before(tmp_path):
    path = tmp_path / "file"
    faults = {("oslo", 2): DIES}
    with pytest.raises(ServerDies):
        fit(Faulty(local(CLIENTS), faults, crash_after=3), FITS["pipeline"], path, quorum=3)
    after = Faulty(local(CLIENTS))
    federation, fitted = fit(after, FITS["pipeline"], path, quorum=3)
    left = {name: table for name, table in CLIENTS.items() if name != "oslo"}
    expected, run = total(left, FITS["pipeline"])
    assert bits(fitted) == bits(expected)
    assert [each.client for each in federation.run.left_out] == ["oslo"]
    assert after.exchanges == run.rounds - 1


def test_a_target(tmp_path):
    responders = {}
    for name, table in CLIENTS.items():
        with_target = table.fillna(0.0).assign(y=(table["a"] > 5).astype(int))
        with_target["b"] = with_target["b"].round().astype(str)
        responders[name] = with_target

    def transport():
        return LocalTransport(
            {
                n: Responder(n, open_table(t, target="y"), Policy.open())
                for n, t in responders.items()
            }
        )

    encoder = make_column_transformer(
        (TargetEncoder(), ["b"]), (make_pipeline(StandardScaler(), PowerTransformer()), ["a", "c"])
    )
    expected = fedps.Federation(transport()).fit(encoder)
    with pytest.raises(ServerDies):
        fit(Faulty(transport(), crash_after=1), encoder, tmp_path / "file")
    _, fitted = fit(transport(), encoder, tmp_path / "file")
    assert bits(fitted) == bits(expected)


# What may be wrong with the file ------------------------------------------------------------------


def stopped(path, estimator=FITS["pipeline"], rounds=2):
    with pytest.raises(ServerDies):
        fit(Faulty(local(CLIENTS), crash_after=rounds), estimator, path)


@pytest.mark.parametrize("lost", [1, 5, 50])
def test_a_file_that_was_cut_off(lost, tmp_path):
    path = tmp_path / "file"
    stopped(path)
    os.truncate(path, path.stat().st_size - lost)
    after = Faulty(local(CLIENTS))
    federation, fitted = fit(after, FITS["pipeline"], path)
    expected, run = total(CLIENTS, FITS["pipeline"])
    assert bits(fitted) == bits(expected)
    assert federation.run.resumed == 1
    assert after.exchanges == run.rounds - 1


@pytest.mark.parametrize(
    "other",
    [StandardScaler(), make_pipeline(SimpleImputer(), StandardScaler())],
    ids=["another estimator", "another pipeline"],
)
def test_another_fit(other, tmp_path):
    stopped(tmp_path / "file")
    with pytest.raises(fedps.UsageError, match="belongs to a different fit"):
        fit(local(CLIENTS), other, tmp_path / "file")
    assert (tmp_path / "file").exists()


def test_no_checkpoint(tmp_path):
    path = tmp_path / "thesis.docx"
    path.write_bytes(b"years of work")
    with pytest.raises(fedps.UsageError, match="is not a checkpoint of fedps"):
        fit(local(CLIENTS), StandardScaler(), path)
    assert path.read_bytes() == b"years of work"


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(fedps.UsageError, match="cannot be written: No such file or directory"):
        fit(local(CLIENTS), StandardScaler(), tmp_path / "nowhere" / "file")


def test_a_client_that_is_not_there(tmp_path):
    stopped(tmp_path / "file")
    fewer = {name: table for name, table in CLIENTS.items() if name != "turku"}
    with pytest.raises(fedps.UsageError, match="a fit with client 'turku', not connected now"):
        fit(local(fewer), FITS["pipeline"], tmp_path / "file")


def test_a_client_that_is_new(tmp_path):
    path, more = tmp_path / "file", CLIENTS | {"vejle": CLIENTS["oslo"]}
    stopped(path)
    with pytest.raises(fedps.UsageError, match="belongs to a fit without client 'vejle'"):
        fit(local(more), FITS["pipeline"], path)
    federation, fitted = fit(local(more), FITS["pipeline"], path, quorum=4)
    assert bits(fitted) == bits(total(CLIENTS, FITS["pipeline"])[0])
    (left,) = federation.run.left_out
    assert left.reason == "client 'vejle' was not there when the fit began."


def test_what_is_no_file(tmp_path):
    """A device must not be replaced by a file, and nothing but our own errors is raised."""
    os.mkfifo(tmp_path / "pipe")
    for path, what in (
        (tmp_path / "pipe", "is not a checkpoint of fedps"),
        (tmp_path, "cannot be read: Is a directory"),
    ):
        with pytest.raises(fedps.UsageError, match=what):
            fit(local(CLIENTS), StandardScaler(), path)
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    (tmp_path / "file.new").mkdir()
    with pytest.raises(fedps.UsageError, match="cannot be written: Is a directory"):
        fit(local(CLIENTS), StandardScaler(), tmp_path / "file")


def test_rows_that_changed(tmp_path):
    stopped(tmp_path / "file")
    fewer = {name: table[:-1] for name, table in CLIENTS.items()}
    with pytest.raises(
        fedps.ClientError, match="has different rows or columns than when the fit began"
    ):
        fit(local(fewer), FITS["pipeline"], tmp_path / "file")


def test_nobody_else_may_read_it(tmp_path):
    stopped(tmp_path / "file")
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o600


def test_what_is_merged_holds_no_client_alone(tmp_path):
    """What is merged into one cannot be taken apart: no client's own smallest value is there."""
    path = tmp_path / "file"
    stopped(path, make_pipeline(MinMaxScaler(), StandardScaler()), rounds=1)
    data = path.read_bytes()
    lows = np.array([table.min().to_numpy() for table in CLIENTS.values()])
    for column in range(lows.shape[1]):
        others = np.delete(lows[:, column], lows[:, column].argmin())
        assert not any(low.tobytes() in data for low in others)


def test_split_by_columns_takes_one_in_process(tmp_path):
    whole = {"a": CLIENTS["oslo"][["a"]], "b": CLIENTS["oslo"][["b"]]}
    federation = fedps.Federation(whole, split="columns")
    fitted = federation.fit(StandardScaler(), checkpoint=tmp_path / "file")
    assert bits(fitted["a"]) == bits(federation.fit(StandardScaler())["a"])
    assert not (tmp_path / "file").exists()


# A process that is killed -------------------------------------------------------------------------

SERVER = """
import os, sys
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, PowerTransformer
import fedps
from tests.faults.faulty import Faulty, local
from tests.faults.tables import tables

class Killed(Faulty):
    def exchange(self, messages):
        for i, reply in enumerate(super().exchange(messages)):
            yield reply
            if self.exchanges == int(sys.argv[2]) and i == 1:
                os.kill(os.getpid(), 9)

estimator = make_pipeline(SimpleImputer(strategy="median"), PowerTransformer(), MinMaxScaler())
fedps.Federation(Killed(local(tables(7, 4)))).fit(estimator, checkpoint=sys.argv[1])
"""


def test_a_server_that_is_killed(tmp_path):
    path = tmp_path / "file"
    done = subprocess.run(
        [sys.executable, "-c", SERVER, str(path), "3"],
        timeout=120,
        check=False,
        capture_output=True,
    )
    assert done.returncode == -9, done.stderr
    after = Faulty(local(CLIENTS))
    federation, fitted = fit(after, FITS["pipeline"], path)
    expected, run = total(CLIENTS, FITS["pipeline"])
    assert bits(fitted) == bits(expected)
    assert federation.run.resumed == 2
    assert after.exchanges == run.rounds - 2
