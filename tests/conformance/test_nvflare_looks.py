"""Looks on NVFLARE's client, on a stand-in for NVFLARE, and what jobs that look consist of."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

pytest.importorskip("nvflare", reason="needs NVFLARE")

import fedps
from fedps.cli.commands import fedps_command
from fedps.engines.looks import read_look
from fedps.nvflare.job_folder import holds_look, read_job
from fedps.transports import nvflare
from tests.conformance import looks, owners, scenario
from tests.conformance.nvflare_stand_in import stood_in, write_sites

SITES = [word for name in scenario.CLIENTS for word in ("--site", name)]


def there(**options):
    return fedps.Federation(nvflare.NVFlareTransport(3, 60.0), progress=False, **options)


def test_looks_conform(tmp_path):
    expected = looks.here(tmp_path)
    write_sites(tmp_path, scenario.write_policies(tmp_path))
    with stood_in(tmp_path):
        asking = there()
        assert looks.described(asking) == looks.described(expected)
        assert looks.crossed(asking) == looks.crossed(expected)
        assert looks.correlated(asking) == looks.correlated(expected)


def test_a_quorum_goes_on_without_a_client_that_refuses(tmp_path):
    expected = looks.here(tmp_path, quorum=2)
    policies = scenario.write_policies(tmp_path)
    looks.be_strict(policies["turku"])
    write_sites(tmp_path, policies)
    with stood_in(tmp_path):
        with pytest.raises(fedps.Refused) as caught:
            looks.described(there())
        assert str(caught.value) == looks.REFUSAL
        asking = there(quorum=2)
        assert looks.described(asking)[0] == looks.described(expected)[0]
        assert [one.client for one in asking.run.left_out] == ["turku"]


def test_owners_consent(tmp_path):
    expected = looks.described(looks.here(tmp_path))[0]
    policies = scenario.write_policies(tmp_path)
    owners.let_owners_consent(policies)
    ledgers = write_sites(tmp_path, policies)
    with stood_in(tmp_path):
        asking = there()
        owners.tell_of_a_look(
            lambda: looks.described(asking)[0], ledgers, expected, "NVFLARE job 4711"
        )


def fedps_nvflare(*words):
    return CliRunner().invoke(fedps_command, ["nvflare", *words])


def test_a_job_that_looks_has_no_code(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = fedps_nvflare("describe", "look", *SITES, *looks.DESCRIBE_WORDS, "--quorum", "2")
    assert made.exit_code == 0, made.output
    files = [path for path in Path("look").rglob("*") if path.is_file()]
    assert {path.suffix for path in files} == {".json"}
    assert holds_look(Path("look"))
    job = read_job(Path("look"))
    assert (job.clients, job.quorum) == (list(scenario.CLIENTS), 2)
    kept = read_look(Path("look/app/config/look.json").read_text("utf-8"))
    assert kept == fedps.Look.describe(looks.COLUMNS, **looks.DESCRIBED)
    meta = json.loads(Path("look/meta.json").read_text("utf-8"))
    assert meta["min_clients"] == 2
    assert fedps_nvflare("crosstab", "cross", "city", "smoker", "--clients", "3").exit_code == 0
    assert read_look(Path("cross/app/config/look.json").read_text("utf-8")).columns == (
        "city",
        "smoker",
    )


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("describe", "look"), "say who takes part"),
        (("describe", "a b", *SITES), "NVFLARE does not take 'a b' as the name of a job"),
        (("describe", "look", *SITES, "--percentiles", "7"), "percentiles are shares from 0 to 1"),
        (("crosstab", "look", "city", "city", *SITES), "crosstab needs two columns"),
        (("corr", "look", *SITES, "--quorum", "4"), "quorum must be a number of clients from 1 to"),
    ],
)
def test_mistakes(tmp_path, monkeypatch, words, text):
    monkeypatch.chdir(tmp_path)
    result = fedps_nvflare(*words)
    assert result.exit_code == 2, result.output
    assert text in result.output
    assert not list(tmp_path.iterdir())


def test_results_of_a_look_are_no_skops_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert fedps_nvflare("corr", "look", "--clients", "1").exit_code == 0
    result = fedps_nvflare("simulate", "look", "--client", "a=a.csv", "--out", "prep.skops")
    assert result.exit_code == 2
    assert "must end with .html, .json, .csv" in result.output
