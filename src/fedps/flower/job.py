"""What a run config says: the pipeline, who takes part, and where the result goes."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fedps.cli.reading import read_sketch
from fedps.cli.showing import report_path
from fedps.errors import UsageError, unknown_setting
from fedps.files.pipelines import load_pipeline
from fedps.files.saved_fits import check_can_be_saved, checked_path

# Flower takes only settings that the app's pyproject.toml has: these, each with what it is when it is
# not given.
DEFAULTS: dict[str, str | int | float] = {
    "pipeline": "prep.py:pipeline",  # a file of the app and a name in it
    "clients": 0,  # how many take part
    "timeout": 600.0,  # seconds that they have to connect, and to answer a round
    "quorum": 0,  # the fewest to go on with; 0: all are needed
    "quantiles": "exact",  # or kll:200, req:12
    "frequent": "exact",  # or items:1000
    "sample-weight": "",  # a column of row weights
    "checkpoint": "",  # a file, to go on after a crash
    "out": "",  # the skops file for the fitted estimator
    "report": "",  # .html, .json or .md
}


@dataclass(frozen=True)
class Job:
    """A fit, ready to run."""

    estimator: Any
    clients: int
    timeout: float
    quorum: int | None
    options: dict[str, Any]
    out: Path | None
    report: Path | None


def read_job(config: Mapping[str, Any]) -> Job:
    """Return the fit that a run config describes. A mistake in it is a UsageError."""
    given = {**DEFAULTS, **config}
    for key, value in given.items():
        _check(key, value)
    if given["clients"] < 1:
        raise UsageError("the run config does not say how many take part: set clients, such as 3.")
    estimator = load_pipeline(_in_app(given["pipeline"]))
    out = Path(given["out"]).absolute() if given["out"] else None
    if out is not None:
        checked_path(out)
        check_can_be_saved(estimator, split="rows")
    options = {
        "sample_weight": given["sample-weight"] or None,
        "quantiles": read_sketch("quantiles", given["quantiles"]),
        "frequent": read_sketch("frequent", given["frequent"]),
        "checkpoint": given["checkpoint"] or None,
    }
    return Job(
        estimator,
        given["clients"],
        given["timeout"],
        given["quorum"] or None,
        options,
        out,
        report_path(Path(given["report"]).absolute() if given["report"] else None),
    )


def _check(key: str, value: Any) -> None:
    """Refuse a setting that is not known, or not of the kind of its default."""
    if key not in DEFAULTS:
        raise unknown_setting("the run config", key, DEFAULTS)
    kind = type(DEFAULTS[key])
    allowed = (int, float) if kind is float else (kind,)
    if isinstance(value, bool) or not isinstance(value, allowed):
        wanted = {str: "a text in quotes", int: "a whole number", float: "a number"}[kind]
        raise UsageError(f"{key!r} of the run config is {wanted}; got {value!r}.")


def _in_app(where: str) -> str:
    """Return where a pipeline is, with the path of its file: Flower puts the app's folder first."""
    file, colon, name = where.rpartition(":")
    found = [Path(folder, file) for folder in sys.path if Path(folder, file).is_file()]
    return f"{found[0]}{colon}{name}" if file.endswith(".py") and found else where
