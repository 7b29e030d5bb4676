"""Looks over a Flower grid in this process: those in process, to the bit, under the same rules."""

import json
import logging
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

import fedps

pytest.importorskip("flwr")

from flwr.app import Context, RecordDict

import fedps.flower
from fedps.cli.commands import fedps_command
from fedps.engines.looks import read_look
from fedps.flower import client_app, server_app
from fedps.flower.run_config import DEFAULTS
from tests.conformance import looks, owners, scenario
from tests.conformance.flower_grid import InProcessGrid, in_a_run


@pytest.fixture(autouse=True)
def _run():
    with in_a_run():
        yield


@pytest.fixture
def grid(tmp_path):
    tables, policies = scenario.write_tables(tmp_path), scenario.write_policies(tmp_path)
    return InProcessGrid(
        client_app.app,
        [
            {
                "name": name,
                "data": str(tables[name]),
                "policy": str(policies[name]),
                "ledger": str(tmp_path / f"{name}.jsonl"),
            }
            for name in scenario.CLIENTS
        ],
    )


def there(grid, **options):
    return fedps.flower.Federation(grid, clients=3, timeout=60.0, **options)


def test_looks_conform(grid, tmp_path):
    asking, expected = there(grid), looks.here(tmp_path)
    assert looks.described(asking) == looks.described(expected)
    assert looks.crossed(asking) == looks.crossed(expected)
    assert looks.correlated(asking) == looks.correlated(expected)
    assert asking.explain(fedps.Look.describe(by="smoker")).rounds == 2


def test_a_quorum_goes_on_without_a_client_that_refuses(grid, tmp_path):
    looks.be_strict(tmp_path / "turku.toml")
    with pytest.raises(fedps.Refused) as caught:
        looks.described(there(grid))
    assert str(caught.value) == looks.REFUSAL
    asking, expected = there(grid, quorum=2), looks.here(tmp_path, quorum=2)
    assert looks.described(asking)[0] == looks.described(expected)[0]
    assert [one.client for one in asking.run.left_out] == ["turku"]
    assert asking.run.clients == ("bergen", "oslo")


def test_owners_consent(grid, tmp_path):
    expected = looks.described(looks.here(tmp_path))[0]
    owners.let_owners_consent({name: tmp_path / f"{name}.toml" for name in scenario.CLIENTS})
    ledgers = {name: tmp_path / f"{name}.jsonl" for name in scenario.CLIENTS}
    asking = there(grid)
    owners.tell_of_a_look(lambda: looks.described(asking)[0], ledgers, expected, "Flower run 1")


@pytest.fixture
def quiet_log(monkeypatch):
    """The ready-made server writes its log to stdout, as long as the test runs."""
    log = logging.getLogger("fedps")
    monkeypatch.setattr(log, "handlers", [])
    monkeypatch.setattr(log, "propagate", log.propagate)
    monkeypatch.setattr(log, "level", log.level)


def serve(grid, **config):
    state = RecordDict()
    server_app._main(grid, Context(1, 1, {}, state, {"clients": 3, "timeout": 60.0, **config}))


@pytest.mark.usefixtures("quiet_log")
def test_the_ready_made_server_looks(grid, tmp_path, capsys):
    look = json.dumps({"look": "describe", "columns": looks.COLUMNS, **looks.DESCRIBED})
    files = {"out": str(tmp_path / "look.json"), "report": str(tmp_path / "run.json")}
    serve(grid, look=look, **files)
    found, (rounds, up, down) = looks.described(looks.here(tmp_path))
    assert (tmp_path / "look.json").read_text("utf-8") == found + "\n"
    run = json.loads((tmp_path / "run.json").read_text("utf-8"))
    assert (run["rounds"], run["bytes_up"], run["bytes_down"]) == (rounds, up, down)
    assert "what was found is in" in capsys.readouterr().out
    serve(grid, look='{"look": "corr", "columns": ["age", "bmi"]}')
    assert "Correlation of 2 columns" in capsys.readouterr().out


@pytest.mark.usefixtures("quiet_log")
@pytest.mark.parametrize(
    ("config", "text"),
    [
        ({"look": "describe"}, "is not a look"),
        ({"look": '{"look": "corr"}', "out": "look.skops"}, "must end with .html, .json, .csv"),
    ],
)
def test_a_mistake_is_found_before_anyone_is_asked(grid, config, text):
    with pytest.raises(fedps.UsageError, match=text):
        serve(grid, **config)
    assert not grid.sent


def command(*words):
    where = ("--superlink", "localhost:8000", "--insecure")
    return CliRunner().invoke(fedps_command, ["flower", *words, *where])


@pytest.fixture
def ran(monkeypatch):
    """What apps of looks have in their pyproject.toml, instead of running them."""
    found = []

    def run(arguments, *_, **__):
        files = sorted(Path(arguments[0]).iterdir())
        assert [file.name for file in files] == ["pyproject.toml"]  # no code
        found.append(tomllib.loads(files[0].read_text("utf-8"))["tool"]["flwr"]["app"]["config"])

    monkeypatch.setattr("fedps.cli.looks.flower_looks.run_to_its_end", run)
    return found


def test_a_command_makes_an_app_and_runs_it(ran, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ("--clients", "3", "--quorum", "2", "--out", "look.html")
    done = command("describe", *words, "--columns", 'åge,"it\'s"', "--by", "sex")
    assert done.exit_code == 0, done.output
    assert command("crosstab", "city", "smoker", "--clients", "3").exit_code == 0
    assert command("corr", "--clients", "3").exit_code == 0
    assert [read_look(config["look"]) for config in ran] == [
        fedps.Look.describe(["åge", "it's"], by="sex"),
        fedps.Look.crosstab("city", "smoker"),
        fedps.Look.corr(),
    ]
    assert ran[0] == {
        **DEFAULTS, "look": ran[0]["look"], "clients": 3, "quorum": 2, "out": str(tmp_path / "look.html"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("describe",), "does not say how many take part"),
        (("describe", "--clients", "3", "--out", "look.pdf"), "must end with .html, .json, .csv"),
        (("describe", "--clients", "3", "--quorum", "4"), "quorum must be a number of clients"),
        (("crosstab", "a", "a", "--clients", "3"), "crosstab needs two columns"),
    ],
)
def test_a_mistake_in_a_command(ran, words, text):
    done = command(*words)
    assert done.exit_code == 2, done.output
    assert text in " ".join(done.output.split())
    assert not ran
