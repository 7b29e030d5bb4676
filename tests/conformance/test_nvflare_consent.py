"""Consent by the owners on NVFLARE's client, as a job has it: on a stand-in for NVFLARE."""

import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("nvflare", reason="needs NVFLARE")

import fedps
from fedps.engines.client_settings import ClientSettings
from fedps.nvflare import asking_job, client, client_answer, site_settings
from fedps.transports import nvflare
from tests.conformance import owners, scenario


class StandIn:
    """NVFLARE as a job of FedPS sees it: a name, a folder and properties for each site."""

    def __init__(self, folder):
        self._here = threading.local()
        self._folder = folder
        self._properties = {}
        self.context = SimpleNamespace(is_aborted=lambda: False)
        self.fl_ctx = SimpleNamespace(get_job_id=lambda: "4711", get_prop=lambda _: None)
        self.clients = [self._proxy(name) for name in scenario.CLIENTS]

    @property
    def site_name(self):
        return self._here.name

    @property
    def workspace(self):
        home = str(self._folder / self.site_name)
        return SimpleNamespace(get_root_dir=lambda: home, get_site_config_dir=lambda: home)

    def get_app_prop(self, key):
        return self._properties.get((self.site_name, key))

    def set_app_prop(self, key, value):
        self._properties[self.site_name, key] = value

    def _proxy(self, name):
        def answer(message):
            self._here.name = name
            return client.Client()._answer(message)

        class Proxy:
            def __call__(self, timeout):
                return SimpleNamespace(fedps_answer=answer)

        proxy = Proxy()
        proxy.name = name
        return proxy


@pytest.fixture
def stand_in(tmp_path, monkeypatch):
    found = StandIn(tmp_path)
    for module in (asking_job, client, client_answer, nvflare):
        monkeypatch.setattr(module, "collab", found)
    monkeypatch.setattr(client_answer, "_keep_log_here", lambda: None)
    monkeypatch.delenv(site_settings.FILE_VARIABLE, raising=False)
    return found


def test_owners_consent(tmp_path, stand_in):
    expected = scenario.in_process(tmp_path).fitted
    policies = scenario.write_policies(tmp_path)
    owners.let_owners_consent(policies)
    ledgers = {name: tmp_path / f"{name}.jsonl" for name in scenario.CLIENTS}
    for name in scenario.CLIENTS:
        (tmp_path / name).mkdir()
        settings = ClientSettings(
            str(tmp_path / f"{name}.parquet"), None, policies[name], Path(f"../{name}.jsonl")
        )
        site_settings.write_site_file(tmp_path / name / "fedps.toml", settings)
    transport = nvflare.NVFlareTransport(3, 60.0)
    asking = fedps.Federation(transport, progress=False)
    owners.tell_the_story(asking.fit, ledgers, expected, "NVFLARE job 4711")
