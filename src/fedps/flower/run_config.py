"""What a run config says: the pipeline or the look, how it is done, and where the result goes."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fedps.engines.client_settings import unknown_setting
from fedps.engines.job import TIMEOUT, FitJob
from fedps.engines.looks import read_look
from fedps.engines.predict import Prediction, read_predict
from fedps.errors import UsageError
from fedps.federation.faults.claimed_rows import MAX_ROWS
from fedps.federation.looks.look import Look
from fedps.files.looks import check_look_path
from fedps.files.pipelines import load_pipeline
from fedps.files.predictions import check_predictions_path
from fedps.files.reports import check_report_path
from fedps.files.saved_fits import check_can_be_saved, check_result_path

# Flower takes only settings that the app's pyproject.toml has, so each has a default there. Flower knows
# no null: 0 and "" stand for a setting that is not given.
DEFAULTS: dict[str, str | int | float] = {
    "pipeline": "prep.py:pipeline",  # a file of the app and a name in it
    "look": "",  # instead of a fit, as JSON: {"look": "describe", "by": "sex"}
    "predict": "",  # instead of a fit, as JSON: {"rows": "new", "to": "target", "parts": "risk.parts"}
    "clients": 0,  # how many take part
    "timeout": TIMEOUT,  # seconds that they have to connect, and to answer a round
    "quorum": 0,  # the fewest to go on with; 0: all are needed
    "max-rows": MAX_ROWS,  # the most that a client may claim to have
    "quantiles": "exact",  # or kll:200, req:12
    "frequent": "exact",  # or items:1000
    "sample-weight": "",  # a column of row weights
    "split": "rows",  # or columns: clients hold different columns of the same rows
    "key": "",  # with columns: what identifies rows
    "target": "",  # with columns: the label column
    "match": "same",  # with columns: or private, if clients do not know which rows they share
    "name": "",  # with columns: under which clients keep their parts
    "checkpoint": "",  # a file that records rounds
    "out": "",  # .skops for the fitted estimator, .parts with columns; of a look, .html, .json or .csv
    "report": "",  # .html, .json or .md
}
_KINDS = {str: "a string in quotes", int: "an integer", float: "a number"}


@dataclass(frozen=True)
class FlowerRun:
    """A fit or a look that is ready to run: what is fitted or looked at, how, and where the result goes.

    With a ``look`` or a ``prediction`` there is no estimator.
    """

    estimator: Any
    look: Look | None
    prediction: Prediction | None
    job: FitJob
    out: Path | None
    report: Path | None


def read_run_config(config: Mapping[str, Any]) -> FlowerRun:
    """Return the fit or the look that a run config describes. A mistake in it is a UsageError."""
    given = {**DEFAULTS, **config}
    for key, value in given.items():
        _check(key, value)
    if given["clients"] < 1:
        raise UsageError("the run config does not say how many take part: set clients, such as 3.")
    out, report = (Path(given[key]).absolute() if given[key] else None for key in ("out", "report"))
    check_report_path(report)
    if given["look"]:
        check_look_path(out)
        return FlowerRun(None, read_look(given["look"]), None, _job(given), out, report)
    if given["predict"]:
        check_predictions_path(out)
        return FlowerRun(None, None, read_predict(given["predict"]), _job(given), out, report)
    estimator = load_pipeline(_in_app(given["pipeline"]))
    if out is not None:
        check_result_path(out, given["split"])
        check_can_be_saved(estimator, split=given["split"])
    return FlowerRun(estimator, None, None, _job(given), out, report)


def _job(given: Mapping[str, Any]) -> FitJob:
    job = FitJob(
        given["clients"],
        given["timeout"],
        given["quorum"] or None,
        given["checkpoint"] or None,
        given["max-rows"],
        given["split"],
        given["key"] or None,
        given["target"] or None,
        given["match"],
        quantiles=given["quantiles"],
        frequent=given["frequent"],
        sample_weight=given["sample-weight"] or None,
        name=given["name"] or None,
    )
    job.check("nodes")
    return job


def _check(key: str, value: Any) -> None:
    """Refuse a setting that does not exist, or has another type than its default."""
    if key not in DEFAULTS:
        raise unknown_setting("the run config", key, DEFAULTS)
    kind = type(DEFAULTS[key])
    allowed = (int, float) if kind is float else (kind,)
    if isinstance(value, bool) or not isinstance(value, allowed):
        raise UsageError(f"{key!r} of the run config must be {_KINDS[kind]}; got {value!r}.")


def _in_app(where: str) -> str:
    """Return where a pipeline is, with the path of its file: Flower puts the app's folder first."""
    file, colon, name = where.rpartition(":")
    found = [Path(folder, file) for folder in sys.path if Path(folder, file).is_file()]
    return f"{found[0]}{colon}{name}" if file.endswith(".py") and found else where
