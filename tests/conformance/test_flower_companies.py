"""docs/companies.md over a Flower grid in this process: its commands, from keys to a prediction."""

import logging
import shlex
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

pytest.importorskip("flwr")

from flwr.app import Context, RecordDict

import fedps
from fedps.cli.commands import fedps_command
from fedps.flower import client_app, server_app
from tests.conformance import companies, who_learns
from tests.conformance.flower_grid import InProcessGrid, in_a_run

WHERE = ("--superlink", "--root-certificates", "--key")
HERE = ("--superlink", "localhost:1", "--insecure")


@pytest.fixture(autouse=True)
def _quiet(monkeypatch):
    """The ready-made server writes its log to stdout, as long as the test runs."""
    log = logging.getLogger("fedps")
    monkeypatch.setattr(log, "handlers", [])
    monkeypatch.setattr(log, "propagate", log.propagate)
    monkeypatch.setattr(log, "level", log.level)


def command(words):
    done = CliRunner().invoke(fedps_command, words)
    assert done.exit_code == 0, done.output


def nodes(monkeypatch):
    """Return the node configs of the clients that the page starts."""
    began = []
    monkeypatch.setattr("fedps.cli.flower.flower_programs.become", lambda *a: began.append(a[1]))
    for words in companies.commands("flower", "client"):
        command([*companies.without(words, *WHERE), *HERE])
    texts = [words[words.index("--node-config") + 1] for words in began]
    return [dict(pair.split("=", 1) for pair in shlex.split(text)) for text in texts]


def runs(monkeypatch, grid):
    """Have commands run their apps over a grid, without Flower's own programs; return a list for their errors."""
    errors = []

    def run(arguments, *_, **__):
        app = tomllib.loads(Path(arguments[0], "pyproject.toml").read_text("utf-8"))
        config = app["tool"]["flwr"]["app"]["config"]
        if "--run-config" in arguments:
            given = arguments[arguments.index("--run-config") + 1]
            config |= dict(pair.split("=", 1) for pair in shlex.split(given))
        try:
            server_app._main(grid, Context(1, 1, {}, RecordDict(), config))
        except fedps.FedPSError as error:
            errors.append(error)
            raise

    monkeypatch.setattr("fedps.cli.flower.run_to_its_end", run)
    monkeypatch.setattr("fedps.cli.columns.flower_predict.run_to_its_end", run)
    return errors


@pytest.mark.slow
def test_the_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("FLWR_HOME", str(tmp_path / "flwr"))
    companies.write_files(tmp_path)
    grid = InProcessGrid(client_app.app, nodes(monkeypatch))
    errors = runs(monkeypatch, grid)
    (app,), (run,), (predict,) = (
        companies.commands("flower", word) for word in ("app", "run", "predict")
    )
    command(app)

    def invoke(words):
        done = CliRunner().invoke(fedps_command, [*companies.without(words, *WHERE), *HERE])
        if errors:
            raise errors.pop()
        assert done.exit_code == 0, done.output

    with in_a_run(), who_learns.overheard() as heard:
        fitted = companies.follow(lambda: invoke(run), lambda: invoke(predict), tmp_path)
    companies.check_predictions(tmp_path)
    who_learns.check_who_learns_what(tmp_path, heard, fitted)
