"""The ready-made server of a job: fits the pipeline that came with it, and saves the result.

The pipeline is the file ``pipeline.skops`` beside the job's configuration: an estimator as data, no
code. What the fit gives goes into the folder ``fedps`` of the job's results, which come with the job
when it is downloaded.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

from nvflare.collab import collab

from fedps.cli.reading import read_sketch
from fedps.cli.showing import write_report
from fedps.errors import FedPSError, UsageError
from fedps.files.saved_fits import load_fitted, save_fitted
from fedps.nvflare.federation import Federation

PIPELINE = "pipeline.skops"
RESULTS = "fedps"
FITTED, ERROR, SHOWN = "prep.skops", "error.txt", "run.txt"
REPORTS = {".html": "run.html", ".json": "run.json", ".md": "run.md"}

log = logging.getLogger("fedps.nvflare")


class Server:
    """Runs one fit. Its arguments are those of the job's configuration."""

    def __init__(
        self,
        clients: int | list[str],
        timeout: float = 600.0,
        quorum: int | None = None,
        quantiles: str = "exact",
        frequent: str = "exact",
        sample_weight: str | None = None,
        checkpoint: str | None = None,
    ) -> None:
        self.clients = clients
        self.timeout = timeout
        self.quorum = quorum
        self.quantiles = quantiles
        self.frequent = frequent
        self.sample_weight = sample_weight
        self.checkpoint = checkpoint

    def _fit(self) -> str:
        """Fit, save and report; an error is saved, too, and ends the job."""
        job = collab.fl_ctx.get_job_id()
        results = Path(collab.workspace.get_result_root(job), RESULTS)
        results.mkdir(parents=True, exist_ok=True)
        try:
            estimator = load_fitted(Path(collab.workspace.get_app_config_dir(job), PIPELINE))
            fitted = self._fitted(estimator, results)
            save_fitted(fitted, results / FITTED)
        except FedPSError as error:
            Path(results, ERROR).write_text(f"{error}\n", "utf-8")
            raise
        log.info("the fitted %s is in %s", type(fitted).__name__, results / FITTED)
        return str(results)

    def _fitted(self, estimator: Any, results: Path) -> Any:
        federation = Federation(
            self.clients, timeout=self.timeout, quorum=self.quorum, progress=False
        )
        try:
            return federation.fit(
                estimator,
                sample_weight=self.sample_weight,
                quantiles=read_sketch("quantiles", self.quantiles),
                frequent=read_sketch("frequent", self.frequent),
                checkpoint=self._checkpoint(),
            )
        finally:
            _report(federation, results)

    def _checkpoint(self) -> Path | None:
        """Return where the checkpoint is: it outlives the job, so it is in the server's own folder."""
        if self.checkpoint is None:
            return None
        return Path(collab.workspace.get_root_dir(), self.checkpoint)

    fit = collab.main(_fit)


def _report(federation: Federation, results: Path) -> None:
    """Write what the fit has cost and what left each client, also if it failed."""
    try:
        run = federation.run
    except UsageError:  # it did not even begin
        return
    for name in REPORTS.values():
        write_report(run, results / name)
    Path(results, SHOWN).write_text(f"{run}\n", "utf-8")
