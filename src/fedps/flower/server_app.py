"""The ready-made ServerApp: fits the pipeline that the run config names, or looks as it says; saves the result.

Use it by name in the ``pyproject.toml`` of an app: ``serverapp = "fedps.flower.server_app:app"``.
``fedps flower app`` and ``fedps flower describe`` make such apps; ``fedps.flower.run_config`` lists the settings of a run.
"""

from __future__ import annotations

import logging
import sys
from functools import partial
from pathlib import Path

from flwr.app import Context
from flwr.serverapp import Grid, ServerApp

from fedps.engines.predict import delivered_in_words
from fedps.errors import FedPSError
from fedps.federation.owners.predicting import Delivered
from fedps.files.looks import LookResult, look_sections, write_look
from fedps.files.predictions import write_predictions
from fedps.files.reports import write_report
from fedps.files.saved_fits import save_fitted
from fedps.flower.federation import Federation
from fedps.flower.run_config import read_run_config
from fedps.protocol.owners.kept_parts import KeptParts
from fedps.report import Run
from fedps.report.rendering import as_text, count
from fedps.statistics.base import Array


def _main(grid: Grid, context: Context) -> None:
    """Fit, look or predict, save and report, as the run config says."""
    _show_progress()
    try:
        _run(grid, context)
    except FedPSError as error:
        # Flower writes it to the log of the run, where our traceback is of no use
        raise error.with_traceback(None) from None


def _run(grid: Grid, context: Context) -> None:
    wanted = read_run_config(context.run_config)  # a mistake in it is found before anyone is asked

    def report(run: Run) -> None:
        _say(run.to_text(full=True))
        if wanted.report is not None:
            write_report(run, wanted.report)
            _say(f"fedps: the report is in {wanted.report}")

    if wanted.look is not None:
        found = wanted.job.look(partial(Federation, grid), wanted.look, report)
        _save_look(found, wanted.out)
        return
    if wanted.prediction is not None:
        predicted = wanted.job.predict(partial(Federation, grid), wanted.prediction, report)
        _save_predictions(predicted, wanted.out)
        return
    fitted = wanted.job.fit(partial(Federation, grid), wanted.estimator, report)
    if isinstance(fitted, KeptParts):
        _say(f"fedps: {fitted!r}")
    if wanted.out is not None:
        save_fitted(fitted, wanted.out)
        name = fitted.name if isinstance(fitted, KeptParts) else type(fitted).__name__
        _say(f"fedps: the fitted {name} is in {wanted.out}")


def _save_predictions(found: Array | Delivered, out: Path | None) -> None:
    """Write predictions to a file, or else to the log of the run; or say who has them."""
    if isinstance(found, Delivered):
        _say(f"fedps: {delivered_in_words(found)}")
    elif out is None:
        _say("\n".join(map(str, found.tolist())))
    else:
        write_predictions(found, out)
        _say(f"fedps: {count(len(found), 'prediction')} are in {out}")


def _save_look(found: LookResult, out: Path | None) -> None:
    """Write what a look found to a file, or else to the log of the run."""
    if out is None:
        _say("\n\n".join(as_text(section) for section in look_sections(found)))
        return
    write_look(found, out)
    _say(f"fedps: what was found is in {out}")


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")  # Flower passes on what an app writes
    sys.stdout.flush()


def _show_progress() -> None:
    """Let the log of the run tell which round is under way."""
    log = logging.getLogger("fedps")
    handler = logging.StreamHandler(sys.stdout)
    handler.setFormatter(logging.Formatter("fedps: %(message)s"))
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    log.propagate = False


app = ServerApp()
app.main()(_main)
