"""FedPS over a Flower grid in this process: what goes over it, and what goes wrong on it."""

import json
import logging
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import fedps

pytest.importorskip("flwr")

from flwr.app import ConfigRecord, Context, Error, RecordDict
from flwr.clientapp import ClientApp

import fedps.flower
from fedps.engines.client_settings import ClientSettings
from fedps.files import load_fitted
from fedps.flower import client_app, server_app
from fedps.flower.node_config import read_node_config
from tests.conformance.flower_grid import FIRST_NODE, InProcessGrid, in_a_run

NAMES = ("oslo", "bergen", "turku")
PREP = make_pipeline(SimpleImputer(), StandardScaler())  # two rounds


@pytest.fixture(autouse=True)
def _run():
    with in_a_run():
        yield


@pytest.fixture
def tables(tmp_path):
    rng = np.random.default_rng(5)
    paths = {}
    for size, name in enumerate(NAMES, start=30):
        table = pd.DataFrame({"age": rng.normal(50, 9, size), "dose": rng.integers(0, 9, size)})
        table.loc[::7, "age"] = np.nan
        paths[name] = tmp_path / f"{name}.parquet"
        table.to_parquet(paths[name])
    return paths


def configs(tables, **more):
    """Return the node configs, with a ledger beside each table."""
    beside = {name: str(path.with_suffix(".jsonl")) for name, path in tables.items()}
    given = {"ledger": None, **more}
    return [
        {"name": name, "data": str(path), **given, "ledger": given["ledger"] or beside[name]}
        for name, path in tables.items()
    ]


def federation(grid, **options):
    return fedps.flower.Federation(grid, **{"clients": 3, "timeout": 5.0, **options})


def same(fitted, other):
    assert np.array_equal(fitted[0].statistics_, other[0].statistics_)
    assert np.array_equal(fitted[1].mean_, other[1].mean_)
    assert np.array_equal(fitted[1].scale_, other[1].scale_)


def in_process(tables, names=NAMES):
    own = fedps.Federation({name: str(tables[name]) for name in sorted(names)})
    return own.fit(PREP), own.run


def test_a_fit_is_that_in_process(tables):
    found = federation(InProcessGrid(client_app.app, configs(tables)))
    same(found.fit(PREP), in_process(tables)[0])
    expected = in_process(tables)[1]
    assert found.run.clients == tuple(sorted(NAMES))
    assert found.run.rounds == expected.rounds == 2
    assert found.run.bytes_up == expected.bytes_up
    assert found.run.bytes_down == expected.bytes_down


def test_a_federation_fits_again_by_name(tables):
    found = federation(InProcessGrid(client_app.app, configs(tables)))
    found.fit(StandardScaler())
    same(found.fit(PREP), in_process(tables)[0])
    title = "Federation of 3 clients, split='rows'"
    names = ["  bergen", "  oslo", "  turku"]
    assert repr(found).splitlines() == [title, "  client", "  ------", *names]


def test_nodes_are_waited_for(tables):
    grid = InProcessGrid(client_app.app, configs(tables), late=3)
    same(federation(grid).fit(PREP), in_process(tables)[0])
    assert grid.looks == 4


def test_too_few_nodes_are_an_error_in_time(tables):
    grid = InProcessGrid(client_app.app, configs(tables)[:2])
    started = time.monotonic()
    with pytest.raises(
        fedps.TransportError, match=r"2 nodes are connected after 0\.3 seconds.*3 were"
    ):
        federation(grid, timeout=0.3)
    assert time.monotonic() - started < 20


def test_a_quorum_goes_on_with_those_that_are_connected(tables, caplog):
    grid = InProcessGrid(client_app.app, configs(tables)[:2])
    with caplog.at_level(logging.WARNING, "fedps"):
        found = federation(grid, timeout=2.0, quorum=2)
    assert "2 of 3 clients are connected" in caplog.text
    same(found.fit(PREP), in_process(tables, NAMES[:2])[0])


def test_too_many_nodes_are_an_error(tables):
    grid = InProcessGrid(client_app.app, configs(tables))
    with pytest.raises(
        fedps.UsageError, match="3 nodes are connected, and clients=2. Say clients=3"
    ):
        federation(grid, clients=2, timeout=0.2)


def test_two_nodes_of_one_name_are_an_error(tables):
    twice = [{**config, "name": "oslo"} for config in configs(tables)]
    with pytest.raises(fedps.ClientError, match="both call themselves 'oslo'"):
        federation(InProcessGrid(client_app.app, twice)).fit(PREP)


@pytest.mark.parametrize(
    ("fault", "text"),
    [
        ("silence", "did not answer within 2 seconds"),
        (Error(5, "Node Unavailable"), "its SuperNode is gone"),
        (Error(2, "ValueError: could not convert 'J. Smith'"), "log of its SuperNode says why"),
        (Error(8, "ClientApp stopped responding."), "process of its ClientApp died"),
        (Error(77, "J. Smith"), "error code is 77"),
        (RecordDict(), "does not answer with fedps.flower.answer"),
        (RecordDict({"fedps": ConfigRecord({"reply": b""})}), "versions of fedps differ"),
        (RecordDict({"fedps": ConfigRecord({"reply": b"J. Smith"})}), "bergen"),
    ],
)
@pytest.mark.parametrize("at", [1, 2])
def test_a_lost_client_is_named_with_round_and_cause(tables, fault, text, at):
    def strike(name, number):
        return fault if name == "bergen" and number == at else None

    grid = InProcessGrid(client_app.app, configs(tables), fault=strike)
    who = f"node {FIRST_NODE + 1}" if at == 1 else "bergen"
    with pytest.raises(fedps.FedPSError) as caught:
        federation(grid, timeout=2.0 if isinstance(fault, str) else 60.0).fit(PREP)
    assert caught.value.clients == (who,)
    assert caught.value.round == at
    assert who in str(caught.value)
    assert (text if text != "bergen" else who) in str(caught.value)
    assert "Smith" not in str(caught.value)


@pytest.mark.parametrize("at", [1, 2])
def test_a_quorum_starts_again_on_the_survivors(tables, at):
    def strike(name, number):
        return Error(5, "") if name == "bergen" and number >= at else None

    found = federation(InProcessGrid(client_app.app, configs(tables), fault=strike), quorum=2)
    same(found.fit(PREP), in_process(tables, ("oslo", "turku"))[0])
    (left_out,) = found.run.left_out
    assert left_out.round == at
    assert "SuperNode is gone" in left_out.reason


def test_a_lost_client_is_not_forgotten_by_the_next_fit(tables):
    lost = [True]

    def strike(name, number):
        return Error(5, "") if name == "bergen" and lost else None

    found = federation(InProcessGrid(client_app.app, configs(tables), fault=strike))
    for _ in range(2):
        with pytest.raises(fedps.TransportError, match="SuperNode is gone"):
            found.fit(PREP)


def test_a_stopped_server_goes_on_from_its_checkpoint(tables, tmp_path):
    class Stopped(BaseException):
        pass

    def strike(name, number):
        if name == "bergen" and number == 2:
            raise Stopped

    path = tmp_path / "fit.checkpoint"
    with pytest.raises(Stopped):
        federation(InProcessGrid(client_app.app, configs(tables), fault=strike)).fit(
            PREP, checkpoint=path
        )
    grid = InProcessGrid(client_app.app, configs(tables))
    again = federation(grid)
    same(again.fit(PREP, checkpoint=path), in_process(tables)[0])
    assert again.run.resumed == 1
    assert len(grid.sent) == 3  # one round, not two
    assert not path.exists()


def test_a_policy_refuses(tables, tmp_path):
    policy = tmp_path / "policy.toml"
    policy.write_text('deny = ["dose"]\n')
    grid = InProcessGrid(client_app.app, configs(tables, policy=str(policy)))
    with pytest.raises(fedps.ClientError, match="'dose'"):
        federation(grid).fit(make_column_transformer((StandardScaler(), ["dose"])))


def test_the_default_policy_is_strict(tables):
    pd.DataFrame({"age": [1.0, 2.0], "dose": [1, 2]}).to_parquet(tables["oslo"])
    with pytest.raises(fedps.Refused, match="client 'oslo' refused.*10 rows"):
        federation(InProcessGrid(client_app.app, configs(tables))).fit(StandardScaler())


@pytest.mark.parametrize(
    "mistake",
    [{"data": "there-is-no.parquet"}, {"policy": "no.toml"}, {"target": "nope"}, {"polcy": "x"}],
)
def test_a_node_that_is_set_up_wrongly_says_so_without_details(tables, mistake, caplog):
    wrong = configs(tables)
    wrong[1] |= mistake
    with (
        caplog.at_level(logging.CRITICAL),
        pytest.raises(
            fedps.ClientError, match="client 'bergen' could not open its table"
        ) as caught,
    ):
        federation(InProcessGrid(client_app.app, wrong)).fit(PREP)
    assert next(iter(mistake.values())) not in str(caught.value)


def test_what_leaves_is_in_the_ledger(tables, tmp_path):
    ledger = tmp_path / "ledger.jsonl"
    grid = InProcessGrid(client_app.app, configs({"oslo": tables["oslo"]}, ledger=str(ledger)))
    federation(grid, clients=1).fit(PREP)
    lines = ledger.read_text().splitlines()
    assert [json.loads(line)["statistic"] for line in lines].count("Moments") == 2
    assert all('"peer":"Flower run 1"' in line for line in lines)


def test_fits_are_counted_by_the_ledger(tables, tmp_path, caplog):
    policy, ledger = tmp_path / "policy.toml", tmp_path / "ledger.jsonl"
    policy.write_text("max_fits = 2\n")
    oslo = {"oslo": tables["oslo"]}
    counted = configs(oslo, policy=str(policy), ledger=str(ledger))
    for _ in range(2):  # a federation each, as in two runs
        federation(InProcessGrid(client_app.app, counted), clients=1).fit(PREP)
    with pytest.raises(fedps.Refused, match="max_fits"):
        federation(InProcessGrid(client_app.app, counted), clients=1).fit(PREP)
    nobody = [{"name": "oslo", "data": str(oslo["oslo"]), "policy": str(policy)}]
    with (
        caplog.at_level(logging.CRITICAL, "fedps"),
        pytest.raises(fedps.ClientError, match="could not open its table, policy or ledger"),
    ):
        federation(InProcessGrid(client_app.app, nobody), clients=1).fit(PREP)


def test_an_app_of_ones_own_answers_about_any_table(tables):
    app = ClientApp()

    def preprocessing(message, context):
        table = pd.read_parquet(context.node_config["data"])
        return fedps.flower.answer(
            message,
            context,
            lambda: table,
            name=context.node_config["name"],
            ledger=context.node_config["ledger"],
        )

    app.query("fedps")(preprocessing)
    same(federation(InProcessGrid(app, configs(tables))).fit(PREP), in_process(tables)[0])


def test_a_node_without_a_name_goes_by_its_number(tables):
    nameless = [
        {"data": str(path), "ledger": str(path.with_suffix(".jsonl"))} for path in tables.values()
    ]
    found = federation(InProcessGrid(client_app.app, nameless))
    found.fit(PREP)
    assert found.run.clients == tuple(f"node {FIRST_NODE + i}" for i in range(3))


def test_what_a_node_was_told_long_ago_does_not_stop_it(tables, caplog):
    grid = InProcessGrid(client_app.app, configs(tables))
    for context in grid.contexts.values():
        context.state["fedps.journal"] = ConfigRecord({"rounds": [b"of another version"]})
    with caplog.at_level(logging.CRITICAL, "fedps"):
        same(federation(grid).fit(PREP), in_process(tables)[0])


def test_what_a_fit_would_ask_is_shown(tables):
    found = federation(InProcessGrid(client_app.app, configs(tables)))
    shown = found.explain(PREP)
    assert shown.rounds == 2
    assert shown.clients == tuple(sorted(NAMES))
    same(found.fit(PREP), in_process(tables)[0])


def test_rows_stay_with_the_clients(tables):
    found = federation(InProcessGrid(client_app.app, configs(tables)))
    with pytest.raises(fedps.NotFederated, match="transform them there"):
        found.transform(found.fit(PREP))


def test_an_imputer_that_asks_asks_over_the_grid(tables, tmp_path):
    policy = tmp_path / "open.toml"
    policy.write_text('preset = "open"\n')
    found = federation(InProcessGrid(client_app.app, configs(tables, policy=str(policy))))
    rows = pd.DataFrame({"age": [np.nan, 40.0], "dose": [3, 5]})
    here = fedps.Federation({name: str(tables[name]) for name in sorted(NAMES)})
    imputer = KNNImputer(n_neighbors=3)
    assert np.array_equal(found.fit(imputer).transform(rows), here.fit(imputer).transform(rows))


def test_a_changed_file_is_read_anew(tables):
    grid = InProcessGrid(client_app.app, configs(tables))
    found = federation(grid)
    found.fit(PREP)
    pd.DataFrame({"age": np.arange(50.0), "dose": np.arange(50)}).to_parquet(tables["oslo"])
    same(found.fit(PREP), in_process(tables)[0])


def test_the_ready_made_server_saves_and_reports(tables, tmp_path, monkeypatch, capsys):
    (tmp_path / "prep.py").write_text(
        "from tests.conformance.test_flower_grid import PREP as pipeline\n", "utf-8"
    )
    config = {"pipeline": "prep.py:pipeline", "clients": 3, "timeout": 5.0}
    files = {"out": str(tmp_path / "prep.skops"), "report": str(tmp_path / "run.json")}
    run = Context(
        run_id=1, node_id=1, node_config={}, state=RecordDict(), run_config={**config, **files}
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    log = logging.getLogger("fedps")
    monkeypatch.setattr(log, "handlers", [])
    monkeypatch.setattr(log, "propagate", log.propagate)
    monkeypatch.setattr(log, "level", log.level)
    server_app._main(InProcessGrid(client_app.app, configs(tables)), run)
    same(load_fitted(tmp_path / "prep.skops"), in_process(tables)[0])
    report = json.loads((tmp_path / "run.json").read_text("utf-8"))
    assert report["bytes_up"] == in_process(tables)[1].bytes_up
    assert "3 of 3 clients answered" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"clients": 0}, "clients is the number of nodes"),
        ({"clients": "3"}, "clients is the number of nodes"),
        ({"timeout": 0}, "timeout must be a number of seconds"),
        ({"timeout": None}, "timeout must be a number of seconds"),
        ({"quorum": 4}, "quorum must be a number of clients from 1 to 3"),
        ({"quorum": 0}, "quorum must be a number of clients"),
    ],
)
def test_options_are_checked_before_anyone_is_waited_for(options, text):
    grid = InProcessGrid(client_app.app, [])
    with pytest.raises(fedps.UsageError, match=text):
        federation(grid, **options)
    assert grid.looks == 0


def test_settings_of_a_node_are_checked():
    assert read_node_config({"data": "a.csv", "partition-id": 0}) == ClientSettings("a.csv")
    with pytest.raises(fedps.UsageError, match="where the data is"):
        read_node_config({"name": "oslo"})
    with pytest.raises(fedps.UsageError, match="Did you mean 'policy'"):
        read_node_config({"data": "a.csv", "polcy": "p.toml"})
    with pytest.raises(fedps.UsageError, match="must be a string in quotes"):
        read_node_config({"data": 5})
    assert Path(client_app.__file__).exists()
