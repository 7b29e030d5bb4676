"""StartupKit: the folder that NVFLARE gives each participant, and what FedPS changes in it."""

from __future__ import annotations

import fcntl
import json
import os
import sys
from pathlib import Path
from typing import Any, NoReturn

from nvflare.app_common.default_component_policy import DEFAULT_CLASS_ALLOW_LIST

from fedps.errors import UsageError

# the classes that a job of FedPS uses: a kit runs only what its owner has allowed
ALLOWED = {
    "client": ("nvflare.collab.runtime.executor.CollabExecutor", "fedps.nvflare.client.Client"),
    "server": ("nvflare.collab.runtime.controller.CollabController", "fedps.nvflare.server.Server"),
}
_LOCK = "fedps.lock"  # held by the process of the kit
_ALLOW_LIST = "class_allow_list"
# How many seconds a server waits, after a fit, for a site that died to say how its part ended. NVFLARE's
# default is 900, and the job does not end before.
_ENVIRONMENT = {"NVFLARE_CLIENT_OUTCOME_WAIT_TIMEOUT": "15"}
_FILES = {"client": "fed_client.json", "server": "fed_server.json", "admin": "fed_admin.json"}


class StartupKit:
    """A startup kit.

    Parameters
    ----------
    folder : path
        The folder of the kit.
    kind : {"client", "server", "admin"}
        Whose kit it must be.
    """

    def __init__(self, folder: str | Path, kind: str) -> None:
        self.folder = Path(folder).expanduser().absolute()
        self.kind = kind
        self.local = self.folder / "local"
        file = self.folder / "startup" / _FILES[kind]
        if not file.is_file():
            raise UsageError(
                f"{str(folder)!r} is not a startup kit of kind {kind!r}: it has no startup/{_FILES[kind]}. "
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
        """Let jobs use the classes of FedPS in this kit; return whether that changed something.

        NVFLARE reads ``local/resources.json.default``, or ``local/resources.json`` if that exists.
        """
        own = self.local / "resources.json"
        source = own if own.is_file() else self.local / "resources.json.default"
        resources = json.loads(source.read_text("utf-8"))
        if not allow_fedps(resources, self.kind):
            return False
        own.write_text(json.dumps(resources, indent=2) + "\n", "utf-8")
        return True

    def refuse_code(self) -> None:
        """Refuse jobs that bring code of their own, whoever submits them.

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
        """Replace this process by the one of the kit, with the same Python."""
        script = self.folder / "startup" / "sub_start.sh"
        if not script.is_file():
            raise UsageError(f"the kit has no {script.name}: is it one of NVFLARE 2.9?")
        self._hold()
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
        sys.stdout.flush()
        os.execve(  # noqa: S606 - a program of NVFLARE, named whole
            "/usr/bin/env",
            ["env", "bash", str(script), "--once"],
            {**_ENVIRONMENT, **os.environ, "PATH": path},
        )

    def _hold(self) -> None:
        """Lock the kit for as long as this process lives, whatever program it becomes.

        A second process of the same kit would replace the first at the server, and jobs would fail.
        """
        descriptor = os.open(self.folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            os.close(descriptor)
            raise UsageError(
                f"the {self.kind} of {str(self.folder)!r} is running already. Stop it first."
            ) from None
        os.set_inheritable(descriptor, True)


def allow_fedps(resources: dict[str, Any], *kinds: str) -> bool:
    """Add the classes of FedPS to those that jobs may use; return whether some were missing."""
    allowed = resources.setdefault(_ALLOW_LIST, list(DEFAULT_CLASS_ALLOW_LIST))
    wanted = [name for kind in kinds for name in ALLOWED[kind]]
    missing = [] if "*" in allowed else [name for name in wanted if name not in allowed]
    allowed += missing
    return bool(missing)
