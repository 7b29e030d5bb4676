"""make_job and others: the folder of a job that fits a pipeline, looks or predicts. It takes no code along.

The pipeline travels as a skops file of parameters, a look as JSON. So a site can refuse jobs that bring code (NVFLARE's
right ``byoc``), and no job gets past its policy.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from fedps.engines.job import FitJob, Job, check_new, load_supported
from fedps.engines.looks import look_text
from fedps.engines.predict import predict_text, read_parts
from fedps.errors import UsageError
from fedps.federation.looks.look import Look
from fedps.files.saved_fits import check_can_be_saved, load_fitted, save_fitted
from fedps.nvflare.job_results import PARTS
from fedps.nvflare.server import LOOK, PIPELINE, PREDICT

_CONFIG = Path("app", "config")
_CALLS = 100  # how many calls NVFLARE makes at once by default


def make_job(
    folder: Path, pipeline: str, clients: int | Sequence[str], **options: Any
) -> list[Path]:
    """Write a job to a new folder; return the files.

    Parameters
    ----------
    folder : path
        Where the job is written. Its name is the name of the job.
    pipeline : str
        What is fitted, such as ``prep.py:pipeline``.
    clients : int or sequence of str
        How many sites take part, or their names.
    **options
        The other settings of ``fedps.engines.job.FitJob``; None is the default.
    """
    given = _given(options)
    job = FitJob(clients, **given)
    job.check("sites")
    estimator = load_supported(pipeline)
    check_can_be_saved(estimator, split=job.split)
    return _write(folder, job, given, {PIPELINE: _packed(estimator)})


def make_look_job(
    folder: Path, look: Look, clients: int | Sequence[str], **options: Any
) -> list[Path]:
    """Write a job that looks at the clients' data to a new folder; return the files.

    Parameters
    ----------
    folder, clients
        As for ``make_job``.
    look : Look
        What is looked at.
    **options
        The other settings of ``fedps.engines.job.Job``; None is the default.
    """
    given = _given(options)
    job = Job(clients, **given)
    job.check("sites")
    return _write(folder, job, given, {LOOK: f"{look_text(look)}\n".encode()})


def make_predict_job(
    folder: Path, parts: Path, clients: int | Sequence[str], rows: str, to: str, **options: Any
) -> list[Path]:
    """Write a job that predicts by parts that stay with their owners; return the files.

    Parameters
    ----------
    folder, clients
        As for ``make_job``.
    parts : path
        The file that the fit gave, which travels along; it has no part in it.
    rows, to : str
        Which rows are predicted, and for whom: see ``fedps.engines.predict.Prediction``.
    **options
        The other settings of ``fedps.engines.job.Job``; None is the default.
    """
    given = {**_given(options), "split": "columns"}
    job = Job(clients, **given)
    job.check("sites")
    read_parts(parts)
    what = predict_text(rows, to, Path(PARTS))
    return _write(folder, job, given, {PREDICT: what.encode(), PARTS: parts.read_bytes()})


def holds_look(folder: Path) -> bool:
    """Whether the job in a folder looks, and fits nothing."""
    return (folder / _CONFIG / LOOK).is_file()


def holds_prediction(folder: Path) -> bool:
    """Whether the job in a folder predicts, and fits nothing."""
    return (folder / _CONFIG / PREDICT).is_file()


def _given(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def _packed(estimator: Any) -> bytes:
    """Return an estimator as a skops file that the server will open: one that needs no code."""
    with TemporaryDirectory(prefix="fedps-") as folder:
        file = Path(folder, PIPELINE)
        save_fitted(estimator, file)
        try:
            load_fitted(file)
        except UsageError as error:
            what = str(error).partition(" If you know")[0].removeprefix(PIPELINE)
            raise UsageError(
                f"the pipeline{what} A job takes no code along: use classes of scikit-learn, or write a "
                "job of your own with fedps.nvflare.Federation."
            ) from None
        return file.read_bytes()


def _write(
    folder: Path, job: Job, options: Mapping[str, Any], content: Mapping[str, bytes]
) -> list[Path]:
    """Write a job, and beside its configuration files with what is to be done."""
    if not re.fullmatch(r"[A-Za-z0-9._-]+", folder.name):
        raise UsageError(
            f"NVFLARE does not take {folder.name!r} as the name of a job: use letters, digits, dots, "
            "underscores and hyphens."
        )
    check_new(folder)
    config = folder / _CONFIG
    config.mkdir(parents=True)
    files = _configs(folder, job, options)
    for path, part in files.items():
        path.write_text(json.dumps(part, indent=2) + "\n", "utf-8")
    for name, data in content.items():
        (config / name).write_bytes(data)
    return [*files, *(config / name for name in content)]


def _configs(folder: Path, job: Job, options: Mapping[str, Any]) -> dict[Path, Any]:
    """Return the files of a job's configuration, and what is in them."""
    names = None if isinstance(job.clients, int) else list(job.clients)
    count = job.clients if isinstance(job.clients, int) else len(job.clients)
    calls = max(_CALLS, count)
    meta = {
        "name": folder.name,
        "resource_spec": {},
        "min_clients": job.quorum or count,
        "deploy_map": {"app": ["@ALL"] if names is None else ["server", *names]},
        **({} if names is None or job.quorum else {"mandatory_clients": names}),
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
    return {
        folder / "meta.json": meta,
        folder / _CONFIG / "config_fed_server.json": server,
        folder / _CONFIG / "config_fed_client.json": client,
    }


_SERVER = "nvflare.collab.runtime.controller.CollabController"
_CLIENT = "nvflare.collab.runtime.executor.CollabExecutor"


def _part(id: str | None, path: str, **args: Any) -> dict[str, Any]:
    """Return what a configuration says of one object."""
    named = {} if id is None else {"id": id}
    return {**named, "path": path, "args": args}


def read_job(folder: Path) -> FitJob:
    """Return who takes part in the job in a folder, and how it is done."""
    file = folder / _CONFIG / "config_fed_server.json"
    try:
        (server,) = json.loads(file.read_text("utf-8"))["components"]
        job = FitJob(**server["args"])
        job.check("sites")
    except (OSError, ValueError, KeyError, TypeError):
        raise UsageError(
            f"{str(folder)!r} is not a job of 'fedps nvflare job': {file.name} does not exist, or was "
            "changed."
        ) from None
    return job
