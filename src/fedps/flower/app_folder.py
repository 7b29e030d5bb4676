"""make_app and others: the folder of a Flower app that fits a pipeline, looks or predicts. It needs no other code."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path

from fedps.engines.job import check_new, load_supported
from fedps.engines.looks import look_text
from fedps.errors import UsageError
from fedps.federation.looks.look import Look
from fedps.flower.run_config import DEFAULTS, read_run_config

_PROJECT = """\
# Made by `fedps flower {command}`. Start it with `fedps flower run {folder}`.

[project]
name = "{name}"
version = "1.0.0"
description = "Federated preprocessing: {what}"
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
    """Write an app that fits a pipeline; return its files. No file is overwritten.

    Parameters
    ----------
    folder : path
        Where the app is written.
    pipeline : str
        A file and a name in it, such as ``prep.py:pipeline``. It is loaded and checked first.
    settings : dict of str to str or number
        Settings of a run that differ from ``fedps.flower.run_config.DEFAULTS``.
    """
    file, _, name = pipeline.rpartition(":")
    load_supported(pipeline)
    if not file.endswith(".py"):
        raise UsageError(
            f"{pipeline!r} is not in a file: an app carries its pipeline along, so name one, such as "
            "prep.py:pipeline."
        )
    config = {**DEFAULTS, **settings, "pipeline": f"{Path(file).name}:{name}"}
    read_run_config({**config, "pipeline": pipeline, "out": "", "report": ""})
    written = [folder / "pyproject.toml", folder / Path(file).name]
    for path in written:
        if path.resolve() != Path(file).resolve():
            check_new(path)
    folder.mkdir(parents=True, exist_ok=True)
    if written[1].resolve() != Path(file).resolve():
        shutil.copyfile(file, written[1])
    _write_project(written[0], "app", f"fits {config['pipeline']}", config)
    return written


def make_look_app(
    folder: Path, look: Look, settings: Mapping[str, str | int | float]
) -> list[Path]:
    """Write an app that looks at the clients' data; return its files. The folder is new or empty.

    Parameters
    ----------
    folder : path
        Where the app is written.
    look : Look
        What is looked at.
    settings : dict of str to str or number
        As for ``make_app``.
    """
    config = {**DEFAULTS, **settings, "look": look_text(look)}
    read_run_config({**config, "out": "", "report": ""})
    check_new(folder)
    folder.mkdir(parents=True, exist_ok=True)
    project = folder / "pyproject.toml"
    _write_project(project, look.name, f"{look.name} of columns", config)
    return [project]


def make_predict_app(
    folder: Path, predict: str, settings: Mapping[str, str | int | float]
) -> list[Path]:
    """Write an app that predicts by parts that stay with their owners; return its files.

    Parameters
    ----------
    folder : path
        Where the app is written.
    predict : str
        What is predicted, as ``fedps.engines.predict`` writes it. Its file is on the machine of the SuperLink.
    settings : dict of str to str or number
        As for ``make_app``.
    """
    config = {**DEFAULTS, **settings, "split": "columns", "predict": predict}
    check_new(folder)
    folder.mkdir(parents=True, exist_ok=True)
    project = folder / "pyproject.toml"
    _write_project(project, "predict", "predictions by owners of columns", config)
    return [project]


def _write_project(
    path: Path, command: str, what: str, config: Mapping[str, str | int | float]
) -> None:
    """Write the description of an app; ``what`` says what it does, and ``command`` what made it."""
    folder = path.parent
    lines = "\n".join(
        f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in config.items()
    )
    name = _project_name(folder)
    filled = _PROJECT.format(folder=folder, command=command, name=name, what=what, config=lines)
    path.write_text(filled, "utf-8")


def _project_name(folder: Path) -> str:
    """Return the name of a folder, made a valid name of a project."""
    name = "".join(c if c.isascii() and c.isalnum() else "-" for c in folder.resolve().name.lower())
    return name.strip("-") or "preprocessing"
