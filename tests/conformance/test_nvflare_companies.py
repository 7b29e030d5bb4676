"""docs/companies.md on NVFLARE's client and server, on a stand-in for NVFLARE: its commands, from keys to a prediction."""

from pathlib import Path
from unittest.mock import patch

import pytest
from click.testing import CliRunner

pytest.importorskip("nvflare", reason="needs NVFLARE")

from fedps.cli.commands import fedps_command
from fedps.nvflare import server
from fedps.nvflare.job_folder import read_job
from fedps.nvflare.job_results import PARTS
from fedps.nvflare.site_settings import read_site_file, write_site_file
from tests.conformance import companies, who_learns
from tests.conformance.nvflare_stand_in import stood_in


def command(words):
    done = CliRunner().invoke(fedps_command, words)
    assert done.exit_code == 0, done.output


def sites(folder):
    """Have the page's commands write the settings of each site into its kit, and put them where the stand-in looks."""
    for name in companies.KEYS:
        kit = folder / "kit" / name
        (kit / "startup").mkdir(parents=True)
        (kit / "local").mkdir()
        (kit / "startup" / "fed_client.json").write_text(f'{{"client": {{"fqsn": "{name}"}}}}')
        (kit / "local" / "resources.json.default").write_text("{}")
        (kit / "local" / "authorization.json.default").write_text('{"permissions": {}}')
        (words,) = companies.commands("nvflare", "client", f"kit/{name}")
        command([*(word for word in words if word != "--refuse-code"), "--check"])
        (folder / "sites" / name).mkdir(parents=True)
        settings = read_site_file(kit / "local" / "fedps.toml")
        write_site_file(folder / "sites" / name / "fedps.toml", settings)


@pytest.mark.slow
def test_the_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    companies.write_files(tmp_path)
    sites(tmp_path)
    (job,), (predict,) = (companies.commands("nvflare", word) for word in ("job", "predict"))
    command(job)
    ran = [Path(words[2]) for words in companies.commands("nvflare", "run")]
    assert ran == [Path("risk"), Path("july")]

    def run(folder):
        """Do what the server of a job does."""
        results = Path(f"{folder}-results")
        results.mkdir(exist_ok=True)
        made = server.Server(clients=3)
        made.job = read_job(folder)
        stand_in._here.name = "server"
        made._save(folder / "app" / "config", results, lambda _: None)
        return results

    def fit():
        Path("risk.parts").write_bytes((run(Path("risk")) / PARTS).read_bytes())

    def predict_july():
        command(predict)
        assert "delivered to client 'clinic'" in (run(Path("july")) / server.FOUND).read_text()

    there = stood_in(tmp_path / "sites", tuple(companies.KEYS))
    with (
        there as stand_in,
        patch.object(server, "collab", stand_in),
        who_learns.overheard() as heard,
    ):
        fitted = companies.follow(fit, predict_july, tmp_path)
    companies.check_predictions(tmp_path)
    who_learns.check_who_learns_what(tmp_path, heard, fitted)
