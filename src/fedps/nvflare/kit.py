"""Startup kits: what NVFLARE gives each participant, and what FedPS needs in them."""

from __future__ import annotations

import fcntl
import json
import os
import sys
from pathlib import Path
from typing import Any, NoReturn

from nvflare.app_common.default_component_policy import DEFAULT_CLASS_ALLOW_LIST

from fedps.errors import UsageError

# what a job of FedPS uses, and no more: a kit runs only classes that its owner has allowed
ALLOWED = {
    "client": ("nvflare.collab.runtime.executor.CollabExecutor", "fedps.nvflare.client.Client"),
    "server": ("nvflare.collab.runtime.controller.CollabController", "fedps.nvflare.server.Server"),
}
LOCK = "fedps.lock"  # held by the process of the kit
ALLOW_LIST = "class_allow_list"
# How many seconds a server waits, after a fit, for a site that died to say how its part ended. NVFLARE
# waits for 900, and the job is not over before.
PATIENCE = {"NVFLARE_CLIENT_OUTCOME_WAIT_TIMEOUT": "15"}
FILES = {"client": "fed_client.json", "server": "fed_server.json", "admin": "fed_admin.json"}


class Kit:
    """The folder of a startup kit of some kind: a client's, a server's or an admin's."""

    def __init__(self, folder: str | Path, kind: str) -> None:
        self.folder = Path(folder).expanduser().absolute()
        self.kind = kind
        self.local = self.folder / "local"
        file = self.folder / "startup" / FILES[kind]
        if not file.is_file():
            raise UsageError(
                f"{str(folder)!r} is no {kind}'s startup kit: it has no startup/{FILES[kind]}. "
                "'nvflare provision' makes kits, one folder for each participant."
            )
        self.settings: dict[str, Any] = json.loads(file.read_text("utf-8"))

    @property
    def name(self) -> str:
        """The name in the certificate of a client or an admin."""
        if self.kind == "admin":
            return str(self.settings["admin"]["username"])
        return str(self.settings["client"]["fqsn"]).rpartition(".")[2]

    def allow_fedps(self) -> bool:
        """Let jobs use the classes of FedPS in this kit; whether that was not so before.

        NVFLARE has ``local/resources.json.default``, and reads ``local/resources.json`` instead if it
        is there.
        """
        own = self.local / "resources.json"
        source = own if own.is_file() else self.local / "resources.json.default"
        resources = json.loads(source.read_text("utf-8"))
        if not allow_fedps(resources, self.kind):
            return False
        own.write_text(json.dumps(resources, indent=2) + "\n", "utf-8")
        return True

    def refuse_code(self) -> None:
        """Let no job bring code of its own to this kit, whoever submits it.

        NVFLARE calls this the right ``byoc``. Jobs of ``fedps nvflare job`` bring none.
        """
        own = self.local / "authorization.json"
        source = own if own.is_file() else self.local / "authorization.json.default"
        rules = json.loads(source.read_text("utf-8"))
        roles: dict[str, Any] = rules["permissions"]
        rights = sorted(
            {right for granted in roles.values() if granted != "any" for right in granted}
        )
        for role, granted in roles.items():
            each = dict.fromkeys(rights, "any") if granted == "any" else granted
            roles[role] = {**each, "byoc": "none"}
        own.write_text(json.dumps(rules, indent=2) + "\n", "utf-8")

    def start(self) -> NoReturn:
        """Become the process of this kit, with the Python that runs now."""
        script = self.folder / "startup" / "sub_start.sh"
        if not script.is_file():
            raise UsageError(f"the kit has no {script.name}: is it one of NVFLARE 2.9?")
        self._hold()
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
        sys.stdout.flush()
        os.execve(  # noqa: S606 - a program of NVFLARE, named whole
            "/usr/bin/env",
            ["env", "bash", str(script), "--once"],
            {**PATIENCE, **os.environ, "PATH": path},
        )

    def _hold(self) -> None:
        """Make sure that no other process of this kit runs on this machine, as long as this one does.

        A second one would take the place of the first at the server, for good, and jobs would fail. The
        lock stays with this process whatever program it becomes, and ends with it.
        """
        descriptor = os.open(self.folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            os.close(descriptor)
            raise UsageError(
                f"the {self.kind} of {str(self.folder)!r} is running already. Stop it first."
            ) from None
        os.set_inheritable(descriptor, True)


def allow_fedps(resources: dict[str, Any], *kinds: str) -> bool:
    """Add the classes of FedPS to those that jobs may use; whether some were missing."""
    allowed = resources.setdefault(ALLOW_LIST, list(DEFAULT_CLASS_ALLOW_LIST))
    wanted = [name for kind in kinds for name in ALLOWED[kind]]
    missing = [] if "*" in allowed else [name for name in wanted if name not in allowed]
    allowed += missing
    return bool(missing)
