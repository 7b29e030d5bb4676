"""Making the folder of a Flower app that needs no code but the pipeline."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path

from fedps.errors import UsageError
from fedps.files.pipelines import load_pipeline
from fedps.flower.job import DEFAULTS, read_job
from fedps.plans import check_supported

PROJECT = """\
# Made by `fedps flower app`. Start it with `fedps flower run {folder}`.

[project]
name = "{name}"
version = "1.0.0"
description = "Federated preprocessing: fits {pipeline}"
license = "Apache-2.0"
dependencies = []  # fedps[flower] is installed at the nodes and beside the SuperLink

[tool.flwr.app]
publisher = "fedps"

[tool.flwr.app.components]
serverapp = "fedps.flower.server_app:app"
clientapp = "fedps.flower.client_app:app"

# The settings of a run; `fedps flower run` and `flwr run --run-config` can change each.
[tool.flwr.app.config]
{config}
"""


def make_app(folder: Path, pipeline: str, settings: Mapping[str, str | int | float]) -> list[Path]:
    """Write an app that fits a pipeline; return its files. Nothing there is overwritten.

    The pipeline is fitted by whoever runs the app, so it is read and checked here first.
    """
    file, _, name = pipeline.rpartition(":")
    check_supported(load_pipeline(pipeline))
    if not file.endswith(".py"):
        raise UsageError(
            f"{pipeline!r} is not in a file: an app carries its pipeline along, so name one, such as "
            "prep.py:pipeline."
        )
    config = {**DEFAULTS, **settings, "pipeline": f"{Path(file).name}:{name}"}
    read_job({**config, "pipeline": pipeline, "out": "", "report": ""})
    written = [folder / "pyproject.toml", folder / Path(file).name]
    for path in written:
        if path.exists() and path.resolve() != Path(file).resolve():
            raise UsageError(
                f"{str(path)!r} is there already. Choose another folder, or remove it."
            )
    folder.mkdir(parents=True, exist_ok=True)
    if written[1].resolve() != Path(file).resolve():
        shutil.copyfile(file, written[1])
    lines = "\n".join(f"{key} = {json.dumps(value)}" for key, value in config.items())
    project = PROJECT.format(
        folder=folder, name=_project_name(folder), pipeline=config["pipeline"], config=lines
    )
    written[0].write_text(project, "utf-8")
    return written


def _project_name(folder: Path) -> str:
    """Return a folder's name as a project may be called."""
    name = "".join(c if c.isascii() and c.isalnum() else "-" for c in folder.resolve().name.lower())
    return name.strip("-") or "preprocessing"
