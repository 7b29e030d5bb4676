"""make_job: the folder of a job that fits a pipeline. It needs no code, and takes none along.

The pipeline travels as a skops file: parameters, no code. So a site can refuse jobs that bring code
(NVFLARE's right ``byoc``), and no job gets past its policy.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from fedps.cli.reading import read_sketch
from fedps.errors import UsageError
from fedps.files.pipelines import load_pipeline
from fedps.files.saved_fits import check_can_be_saved, load_fitted, save_fitted
from fedps.nvflare.federation import check_job
from fedps.nvflare.server import PIPELINE
from fedps.plans import check_supported

CONFIG = Path("app", "config")
CALLS = 100  # NVFLARE makes so many calls at once, unless it is told otherwise


def make_job(
    folder: Path, pipeline: str, clients: int | Sequence[str], **options: Any
) -> list[Path]:
    """Write a job into a new folder; return the files.

    ``pipeline`` is such as ``prep.py:pipeline``, ``clients`` the number of sites or their names,
    ``options`` those of ``fedps.nvflare.server.Server``.
    """
    given = {name: value for name, value in options.items() if value is not None}
    check_job(clients, given.get("timeout", 600.0), given.get("quorum"))
    for option in ("quantiles", "frequent"):
        read_sketch(option, given.get(option, "exact"))
    estimator = load_pipeline(pipeline)
    check_supported(estimator)
    check_can_be_saved(estimator)
    if not re.fullmatch(r"[A-Za-z0-9._-]+", folder.name):
        raise UsageError(
            f"NVFLARE does not take {folder.name!r} as the name of a job: use letters, digits, dots, "
            "underscores and hyphens."
        )
    if folder.exists() and any(folder.iterdir()):
        raise UsageError(f"{str(folder)!r} is there already. Give another folder, or remove it.")
    packed = _packed(estimator)
    config = folder / CONFIG
    config.mkdir(parents=True)
    written = _write(folder, clients, given)
    (config / PIPELINE).write_bytes(packed)
    return [*written, config / PIPELINE]


def _packed(estimator: Any) -> bytes:
    """Return an estimator as a skops file that a server would open: it opens none with code."""
    with TemporaryDirectory(prefix="fedps-") as folder:
        file = Path(folder, PIPELINE)
        save_fitted(estimator, file)
        try:
            load_fitted(file)
        except UsageError as error:
            what = str(error).partition(" If you know")[0].removeprefix(PIPELINE)
            raise UsageError(
                f"the pipeline{what} A job takes no code along: use scikit-learn's own classes, or write "
                "a job of your own with fedps.nvflare.Federation."
            ) from None
        return file.read_bytes()


def _write(folder: Path, clients: int | Sequence[str], options: Mapping[str, Any]) -> list[Path]:
    names = None if isinstance(clients, int) else list(clients)
    count = clients if isinstance(clients, int) else len(clients)
    calls = max(CALLS, count)
    quorum = options.get("quorum")
    meta = {
        "name": folder.name,
        "resource_spec": {},
        "min_clients": quorum or count,
        "deploy_map": {"app": ["@ALL"] if names is None else ["server", *names]},
        **({} if names is None or quorum else {"mandatory_clients": names}),
    }
    server = {
        "format_version": 2,
        "workflows": [
            _part("controller", _SERVER, server_obj_id="fedps", max_outbound_call_threads=calls)
        ],
        "components": [
            _part("fedps", "fedps.nvflare.server.Server", clients=names or count, **options)
        ],
        "task_data_filters": [],
        "task_result_filters": [],
    }
    client = {
        "format_version": 2,
        "executors": [{"tasks": ["*"], "executor": _part(None, _CLIENT, client_obj_id="fedps")}],
        "components": [_part("fedps", "fedps.nvflare.client.Client")],
        "task_data_filters": [],
        "task_result_filters": [],
    }
    files = {
        folder / "meta.json": meta,
        folder / CONFIG / "config_fed_server.json": server,
        folder / CONFIG / "config_fed_client.json": client,
    }
    for path, content in files.items():
        path.write_text(json.dumps(content, indent=2) + "\n", "utf-8")
    return list(files)


_SERVER = "nvflare.collab.runtime.controller.CollabController"
_CLIENT = "nvflare.collab.runtime.executor.CollabExecutor"


def _part(id: str | None, path: str, **args: Any) -> dict[str, Any]:
    """Return what a configuration says of one object."""
    named = {} if id is None else {"id": id}
    return {**named, "path": path, "args": args}


def clients_of(folder: Path) -> int | list[str]:
    """Return who takes part in a job: a number of sites, or their names."""
    clients: int | list[str] = _arguments(folder)["clients"]
    return clients


def quorum_of(folder: Path) -> int | None:
    """Return the fewest clients that a job may go on with, if it may do so."""
    quorum: int | None = _arguments(folder).get("quorum")
    return quorum


def _arguments(folder: Path) -> dict[str, Any]:
    """Return what a job tells its server."""
    file = folder / CONFIG / "config_fed_server.json"
    try:
        (server,) = json.loads(file.read_text("utf-8"))["components"]
        arguments: dict[str, Any] = server["args"]
        check_job(arguments["clients"], arguments.get("timeout", 600.0), arguments.get("quorum"))
    except (OSError, ValueError, KeyError, TypeError):
        raise UsageError(
            f"{str(folder)!r} is no job of 'fedps nvflare job': {file.name} is not there, or not as it "
            "was written."
        ) from None
    return arguments
