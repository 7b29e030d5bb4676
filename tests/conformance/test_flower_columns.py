"""Owners of columns over a Flower grid in this process: the scenario, the ready-made app, and its commands."""

import json
import logging
import re
import tomllib
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import fedps

pytest.importorskip("flwr")

from flwr.app import Context, Error, RecordDict

import fedps.flower
from fedps.cli.commands import fedps_command
from fedps.flower import client_app, server_app
from fedps.flower.node_config import node_config, read_node_config
from tests.conformance import columns, matched, owners
from tests.conformance.flower_grid import InProcessGrid, in_a_run


@pytest.fixture(autouse=True)
def _run():
    with in_a_run():
        yield


def grid_of(folder, **more):
    configs = [node_config(name, own) for name, own in columns.settings(folder).items()]
    return InProcessGrid(client_app.app, configs[::-1], **more)


def there(grid, **options):
    how = {"clients": 3, "timeout": 60.0, **columns.HOW, **options}
    return fedps.flower.Federation(grid, **how)


def test_it_conforms(tmp_path):
    told = columns.story(there(grid_of(tmp_path)), tmp_path)
    (tmp_path / "here").mkdir()
    expected = columns.here(tmp_path / "here")
    parts = expected.pop("parts")
    assert told == expected
    assert columns.parts_of(tmp_path) == parts


def test_rows_are_matched(tmp_path):
    configs = [node_config(name, own) for name, own in matched.settings(tmp_path).items()]
    grid = InProcessGrid(client_app.app, configs)
    matched.check(tmp_path, matched.story(partial(there, grid), tmp_path), tmp_path)


def test_settings_of_a_node_come_back(tmp_path):
    for name, own in columns.settings(tmp_path).items():
        config = node_config(name, own)
        assert config["split"] == "columns"
        assert read_node_config(config) == own


def test_a_lost_owner_is_named_and_there_is_no_quorum(tmp_path):
    def strike(name, number):
        return Error(5, "") if name == "oslo" and number == 2 else None

    with pytest.raises(
        fedps.TransportError, match="SuperNode is gone.*there is no quorum"
    ) as caught:
        there(grid_of(tmp_path, fault=strike)).fit(columns.simple())
    assert caught.value.clients == ("oslo",)
    grid = InProcessGrid(client_app.app, [])
    with pytest.raises(fedps.UsageError, match="quorum= cannot be used"):
        there(grid, quorum=2)
    assert grid.looks == 0


def test_looks_at_owners(tmp_path):
    found = there(grid_of(tmp_path)).describe(["age", "spent"])
    assert len(found.columns) == 2


def test_owners_consent(tmp_path):
    grid = grid_of(tmp_path)
    policies = {name: tmp_path / f"{name}-columns.toml" for name in columns.CLIENTS}
    ledgers = {name: tmp_path / f"{name}-columns.jsonl" for name in columns.CLIENTS}
    owners.let_owners_consent(policies)
    federation = there(grid)
    with pytest.raises(fedps.Refused) as caught:
        federation.fit(columns.simple())
    found = re.findall(r"client '(\w+)' answers only .*? waits there as '(\w+)'", str(caught.value))
    names = dict(found)  # each owner decides about its own columns
    assert len(set(names.values())) == 3
    text = " ".join(owners.command("show", ledgers["oslo"], names["oslo"]).split())
    assert "all single rows of the columns here, after a rotation" in text
    assert "learn to predict the target by a linear model" in text
    assert "income" in text
    assert "spent" not in text  # which is another owner's
    assert "there is no column" not in text
    other = " ".join(owners.command("show", ledgers["turku"], names["turku"]).split())
    assert "This fit would fail here" not in other
    for client, name in names.items():
        owners.decide("approve", {client: ledgers[client]}, name)
    fitted = federation.fit(columns.simple())
    assert len(federation.predict(fitted)) == columns.ROWS  # which the owners saw, too


@pytest.fixture
def quiet_log(monkeypatch):
    """The ready-made server writes its log to stdout, as long as the test runs."""
    log = logging.getLogger("fedps")
    monkeypatch.setattr(log, "handlers", [])
    monkeypatch.setattr(log, "propagate", log.propagate)
    monkeypatch.setattr(log, "level", log.level)


def serve(grid, **config):
    given = {"clients": 3, "timeout": 60.0, **columns.HOW, **config}
    server_app._main(grid, Context(1, 1, {}, RecordDict(), given))


@pytest.mark.usefixtures("quiet_log")
def test_the_ready_made_server_fits_and_predicts(tmp_path, capsys, monkeypatch):
    (tmp_path / "prep.py").write_text("from tests.conformance.columns import simple as pipeline\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    grid, parts = grid_of(tmp_path), tmp_path / "risk.parts"
    serve(grid, pipeline="prep.py:pipeline", out=str(parts), name="risk")
    assert "kept as 'risk' by: bergen, oslo, turku" in capsys.readouterr().out
    what = {"rows": "new", "to": "server", "parts": str(parts)}
    serve(grid, predict=json.dumps(what), out=str(tmp_path / "new.csv"))
    found = pd.read_csv(tmp_path / "new.csv")["prediction"]
    expected = there(grid).predict(fedps.load(parts), "new")
    np.testing.assert_array_equal(found, expected)
    serve(grid, predict=json.dumps({**what, "to": "target"}))
    assert "5 predictions were delivered to client 'oslo'" in capsys.readouterr().out
    with pytest.raises(fedps.UsageError, match="Use 'risk.parts'"):
        serve(grid, pipeline="prep.py:pipeline", out=str(tmp_path / "risk.skops"))
    with pytest.raises(fedps.UsageError, match="there is no file"):
        serve(grid, predict=json.dumps({**what, "parts": "none.parts"}))
    with pytest.raises(fedps.UsageError, match="is not a prediction"):
        serve(grid, predict="new")


def test_commands(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "prep.py").write_text(
        "from tests.conformance.columns import simple\n\npipeline = simple()\n"
    )
    words = ("--split", "columns", "--key", "customer", "--target", "risk", "--name", "risk")
    made = CliRunner().invoke(
        fedps_command,
        ["flower", "app", "app", "--pipeline", "prep.py:pipeline", "--clients", "3", *words],
    )
    assert made.exit_code == 0, made.output
    app = tomllib.loads(Path("app/pyproject.toml").read_text("utf-8"))["tool"]["flwr"]["app"]
    assert {key: app["config"][key] for key in ("split", "key", "target", "name")} == {
        "split": "columns", "key": "customer", "target": "risk", "name": "risk",
    }  # fmt: skip
    ran = []
    monkeypatch.setattr(
        "fedps.cli.columns.flower_predict.run_to_its_end",
        lambda arguments, *_, **__: ran.append(
            tomllib.loads(Path(arguments[0], "pyproject.toml").read_text("utf-8"))
        ),
    )
    where = ("--superlink", "localhost:8000", "--insecure", "--clients", "3")
    done = CliRunner().invoke(
        fedps_command, ["flower", "predict", "risk.parts", *where, "--to", "target"]
    )
    assert done.exit_code == 0, done.output
    config = ran[0]["tool"]["flwr"]["app"]["config"]
    assert json.loads(config["predict"]) == {
        "rows": "new", "to": "target", "parts": str(tmp_path / "risk.parts"),
    }  # fmt: skip
    assert config["split"] == "columns"


def test_a_client_is_started_with_its_columns(tmp_path, monkeypatch):
    own = columns.settings(tmp_path)["oslo"]
    began = []
    monkeypatch.setattr("fedps.cli.flower.flower_programs.become", lambda *a: began.append(a))
    words = [
        "--name",
        "oslo",
        "--data",
        own.data,
        "--policy",
        str(own.policy),
        "--ledger",
        str(own.ledger),
    ]
    words += [
        "--split",
        "columns",
        "--key-column",
        "customer",
        "--target",
        "risk",
        "--new",
        own.new,
    ]
    words += ["--outputs", str(own.outputs), "--predictions", str(own.predictions)]
    where = ["--superlink", "localhost:1", "--insecure"]
    done = CliRunner().invoke(fedps_command, ["flower", "client", *words, *where])
    assert done.exit_code == 0, done.output
    assert "key='customer'" in " ".join(began[0][1])
    assert "oslo' has 60 rows of 2 columns" in done.output
