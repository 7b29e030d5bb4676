"""The ready-made server of a job: fits the pipeline that came with it, and saves the result.

The pipeline is the file ``pipeline.skops`` next to the job's configuration: an estimator as data, no
code. The result goes to the folder ``fedps`` of the job's results, which are downloaded with the job.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

from nvflare.collab import collab

from fedps.engines.job import FitJob
from fedps.errors import FedPSError
from fedps.files.reports import write_report
from fedps.files.saved_fits import load_fitted, save_fitted
from fedps.nvflare.federation import Federation
from fedps.nvflare.job_results import ERROR, FITTED, REPORTS, RESULTS, SHOWN
from fedps.report import Run

PIPELINE = "pipeline.skops"

log = logging.getLogger("fedps.nvflare")


class Server:
    """Runs one fit.

    Parameters
    ----------
    clients : int or list of str
        How many sites take part, or their names.
    **options
        The other settings of ``fedps.engines.job.FitJob``. A checkpoint is in the server's own kit.
    """

    def __init__(self, clients: int | list[str], **options: Any) -> None:
        self.job = FitJob(clients, **options)

    def _fit(self) -> str:
        """Fit, save and report; an error is saved, too, and ends the job."""
        job = collab.fl_ctx.get_job_id()
        results = Path(collab.workspace.get_result_root(job), RESULTS)
        results.mkdir(parents=True, exist_ok=True)

        def report(run: Run) -> None:
            for name in REPORTS.values():
                write_report(run, results / name)
            Path(results, SHOWN).write_text(f"{run.to_text(full=True)}\n", "utf-8")

        try:
            estimator = load_fitted(Path(collab.workspace.get_app_config_dir(job), PIPELINE))
            # checkpoints are in the server's own kit, which outlives the job
            kit = Path(collab.workspace.get_root_dir())
            fitted = self.job.fit(Federation, estimator, report, folder=kit)
            save_fitted(fitted, results / FITTED)
        except FedPSError as error:
            Path(results, ERROR).write_text(f"{error}\n", "utf-8")
            raise
        log.info("the fitted %s is in %s", type(fitted).__name__, results / FITTED)
        return str(results)

    fit = collab.main(_fit)
