"""Owners of columns on NVFLARE's client, on a stand-in for NVFLARE, and what their jobs consist of."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

pytest.importorskip("nvflare", reason="needs NVFLARE")

import fedps
from fedps.cli.commands import fedps_command
from fedps.nvflare.job_folder import holds_prediction, read_job
from fedps.nvflare.site_settings import read_site_file, write_site_file
from fedps.transports import nvflare
from tests.conformance import columns, matched
from tests.conformance.nvflare_stand_in import stood_in

SITES = [word for name in columns.CLIENTS for word in ("--site", name)]


def there(**options):
    how = {"progress": False, **columns.HOW, **options}
    return fedps.Federation(nvflare.NVFlareTransport(3, 60.0), **how)


def test_it_conforms_and_predicts(tmp_path):
    for name, own in columns.settings(tmp_path).items():
        (tmp_path / name).mkdir()
        write_site_file(tmp_path / name / "fedps.toml", own)
        assert read_site_file(tmp_path / name / "fedps.toml") == own
    expected = columns.here(tmp_path)
    columns.settings(tmp_path)
    with stood_in(tmp_path):
        federation = there()
        fitted = federation.fit(columns.model(), name=columns.FIT)
        assert columns.costs(federation) == expected["fit"]
        assert federation.predict(fitted).tobytes().hex() == expected["predictions"]
        assert columns.costs(federation) == expected["predict"]
        again = federation.fit(columns.simple())
        assert len(federation.predict(again, "new")) == columns.NEW
    assert columns.parts_of(tmp_path) == expected["parts"]


def test_rows_are_matched(tmp_path):
    for name, own in matched.settings(tmp_path).items():
        (tmp_path / name).mkdir()
        write_site_file(tmp_path / name / "fedps.toml", own)
    with stood_in(tmp_path):
        told = matched.story(there, tmp_path)
    matched.check(tmp_path, told, tmp_path)


def command(*words):
    return CliRunner().invoke(fedps_command, ["nvflare", *words])


def test_jobs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("prep.py").write_text(
        "from tests.conformance.columns import simple\n\npipeline = simple()\n"
    )
    words = ("--split", "columns", "--key", "customer", "--target", "risk", "--name", "risk")
    made = command("job", "fit", "--pipeline", "prep.py:pipeline", *SITES, *words)
    assert made.exit_code == 0, made.output
    job = read_job(Path("fit"))
    assert (job.split, job.key, job.target, job.name) == ("columns", "customer", "risk", "risk")
    wrong = command(
        "job", "other", "--pipeline", "prep.py:pipeline", *SITES, *words, "--quorum", "2"
    )
    assert wrong.exit_code == 2
    assert "quorum= cannot be used" in wrong.output
    assert not Path("other").exists()
    wrong = command("simulate", "fit", "--client", "a=a.csv", "--out", "prep.skops")
    assert "Use 'prep.parts'" in wrong.output


def test_a_job_that_predicts_has_no_code(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, own in columns.settings(tmp_path).items():
        (tmp_path / name).mkdir()
        write_site_file(tmp_path / name / "fedps.toml", own)
    with stood_in(tmp_path):
        fedps.save(there().fit(columns.simple()), "risk.parts")
    made = command("predict", "july", "risk.parts", *SITES, "--to", "target")
    assert made.exit_code == 0, made.output
    assert holds_prediction(Path("july"))
    config = Path("july/app/config")
    assert json.loads((config / "predict.json").read_text("utf-8")) == {
        "rows": "new", "to": "target", "parts": "fit.parts",
    }  # fmt: skip
    assert (config / "fit.parts").read_bytes() == Path("risk.parts").read_bytes()
    Path("bad.parts").write_text("{}")
    wrong = command("predict", "bad", "bad.parts", *SITES)
    assert wrong.exit_code == 2
    assert "is not a file of parts" in wrong.output


def test_a_site_keeps_the_settings_of_its_columns(tmp_path):
    own = columns.settings(tmp_path)["turku"]
    kit = tmp_path / "turku"
    (kit / "startup").mkdir(parents=True)
    (kit / "local").mkdir()
    (kit / "startup" / "fed_client.json").write_text('{"client": {"fqsn": "turku"}}')
    (kit / "local" / "resources.json.default").write_text("{}")
    words = [
        "--data",
        own.data,
        "--policy",
        str(own.policy),
        "--ledger",
        str(own.ledger),
        "--check",
    ]
    words += ["--split", "columns", "--key-column", "Kunde", "--new", own.new]
    words += ["--outputs", str(own.outputs), "--predictions", str(own.predictions)]
    done = command("client", str(kit), *words)
    assert done.exit_code == 0, done.output
    assert read_site_file(kit / "local" / "fedps.toml") == own
