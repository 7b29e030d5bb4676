"""The ready-made server of a job: fits the pipeline that came with it, or looks; and saves the result.

The pipeline is the file ``pipeline.skops`` next to the job's configuration: an estimator as data, no
code. A look is the file ``look.json`` there, a prediction ``predict.json`` and the parts beside it. The result goes to the folder ``fedps`` of the job's results, which are downloaded with the job.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

from nvflare.collab import collab

from fedps.engines.job import FitJob, Report
from fedps.engines.looks import read_look
from fedps.engines.predict import delivered_in_words, read_predict
from fedps.errors import FedPSError
from fedps.federation.owners.predicting import Delivered
from fedps.files.looks import look_sections, write_look
from fedps.files.predictions import write_predictions
from fedps.files.reports import write_report
from fedps.files.saved_fits import load_fitted, save_fitted
from fedps.nvflare.federation import Federation
from fedps.nvflare.job_results import (
    ERROR,
    FITTED,
    FOUND,
    LOOK_FILES,
    PARTS,
    PREDICTED,
    REPORTS,
    RESULTS,
    SHOWN,
)
from fedps.report import Run
from fedps.report.rendering import as_text, count
from fedps.statistics.base import Array

PIPELINE, LOOK, PREDICT = "pipeline.skops", "look.json", "predict.json"

log = logging.getLogger("fedps.nvflare")


class Server:
    """Runs one fit, or one look.

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
        """Fit or look, save and report; an error is saved, too, and ends the job."""
        job = collab.fl_ctx.get_job_id()
        results = Path(collab.workspace.get_result_root(job), RESULTS)
        results.mkdir(parents=True, exist_ok=True)

        def report(run: Run) -> None:
            for name in REPORTS.values():
                write_report(run, results / name)
            Path(results, SHOWN).write_text(f"{run.to_text(full=True)}\n", "utf-8")

        try:
            self._save(Path(collab.workspace.get_app_config_dir(job)), results, report)
        except FedPSError as error:
            Path(results, ERROR).write_text(f"{error}\n", "utf-8")
            raise
        log.info("the results are in %s", results)
        return str(results)

    def _save(self, config: Path, results: Path, report: Report) -> None:
        """Do what the files of the job say, and write what came of it."""
        # checkpoints are in the server's own kit, which outlives the job
        kit = Path(collab.workspace.get_root_dir())
        if (config / LOOK).is_file():
            look = read_look((config / LOOK).read_text("utf-8"))
            found = self.job.look(Federation, look, report, folder=kit)
            for name in LOOK_FILES.values():
                write_look(found, results / name)
            tables = (as_text(section) for section in look_sections(found))
            Path(results, FOUND).write_text("\n\n".join(tables) + "\n", "utf-8")
        elif (config / PREDICT).is_file():
            prediction = read_predict((config / PREDICT).read_text("utf-8"), config)
            predicted = self.job.predict(Federation, prediction, report)
            Path(results, FOUND).write_text(f"{_save_predictions(predicted, results)}\n", "utf-8")
        else:
            estimator = load_fitted(config / PIPELINE)
            fitted = self.job.fit(Federation, estimator, report, folder=kit)
            save_fitted(fitted, results / (PARTS if self.job.split == "columns" else FITTED))

    fit = collab.main(_fit)


def _save_predictions(found: Array | Delivered, results: Path) -> str:
    """Write predictions to files, if the server has them; return a sentence on them."""
    if isinstance(found, Delivered):
        return delivered_in_words(found)
    for name in PREDICTED.values():
        write_predictions(found, results / name)
    return f"{count(len(found), 'prediction')}; --out writes them to a file."
