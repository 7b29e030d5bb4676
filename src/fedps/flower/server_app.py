"""The ready-made ServerApp: fits the pipeline that the run config names, and saves the result.

Use it by name in the ``pyproject.toml`` of an app: ``serverapp = "fedps.flower.server_app:app"``.
``fedps flower app`` makes such an app; ``fedps.flower.job`` lists what its run config has.
"""

from __future__ import annotations

import logging
import sys

from flwr.app import Context
from flwr.serverapp import Grid, ServerApp

from fedps.cli.showing import write_report
from fedps.errors import FedPSError
from fedps.files.saved_fits import save_fitted
from fedps.flower.federation import Federation
from fedps.flower.job import Job, read_job


def main(grid: Grid, context: Context) -> None:
    """Fit, save and report, as the run config says."""
    _show_progress()
    try:
        _fit(grid, context)
    except FedPSError as error:
        # Flower writes it to the log of the run: where in FedPS it was raised helps nobody there.
        raise error.with_traceback(None) from None


def _fit(grid: Grid, context: Context) -> None:
    job = read_job(context.run_config)  # a mistake in it is found before anyone is asked
    federation = Federation(
        grid, clients=job.clients, timeout=job.timeout, quorum=job.quorum, progress=False
    )
    try:
        fitted = federation.fit(job.estimator, **job.options)
    finally:
        _report(job, federation)
    if job.out is not None:
        save_fitted(fitted, job.out)
        _say(f"fedps: the fitted {type(fitted).__name__} is in {job.out}")


def _report(job: Job, federation: Federation) -> None:
    """Show what the fit has cost and what left each client, also if it failed."""
    _say(str(federation.run))
    if job.report is not None:
        write_report(federation.run, job.report)
        _say(f"fedps: the report is in {job.report}")


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
app.main()(main)
