"""NVFLARE as a job of FedPS sees it, in this process: a name, a folder and properties for each site."""

import os
import threading
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

from fedps.engines.client_settings import ClientSettings
from fedps.nvflare import asking_job, client, client_answer, site_settings
from fedps.transports import nvflare
from tests.conformance import scenario


class StandIn:
    """What a job reaches as ``collab``."""

    def __init__(self, folder, clients):
        self._here = threading.local()
        self._folder = folder
        self._properties = {}
        self.context = SimpleNamespace(is_aborted=lambda: False)
        self.fl_ctx = SimpleNamespace(get_job_id=lambda: "4711", get_prop=lambda _: None)
        self.clients = [self._proxy(name) for name in clients]

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


@contextmanager
def stood_in(folder, clients=scenario.CLIENTS):
    """Let jobs see a stand-in for NVFLARE, whose sites have their settings in folders of their names."""
    found = StandIn(folder, clients)
    with (
        patch.object(asking_job, "collab", found),
        patch.object(client, "collab", found),
        patch.object(client_answer, "collab", found),
        patch.object(nvflare, "collab", found),
        patch.object(client_answer, "_keep_log_here", lambda: None),
        patch.dict("os.environ"),
    ):
        os.environ.pop(site_settings.FILE_VARIABLE, None)
        yield found


def write_sites(folder, policies):
    """Write the settings of each site, and return their ledgers."""
    for name in scenario.CLIENTS:
        (folder / name).mkdir()
        settings = ClientSettings(
            str(folder / f"{name}.parquet"), None, policies[name], Path(f"../{name}.jsonl")
        )
        site_settings.write_site_file(folder / name / "fedps.toml", settings)
    return {name: folder / f"{name}.jsonl" for name in scenario.CLIENTS}
