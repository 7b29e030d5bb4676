"""Job and FitJob: a look or a fit that an engine runs, in values that a config file can hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from fedps.engines.federation import check_cohort
from fedps.engines.looks import look_at
from fedps.engines.predict import Prediction
from fedps.errors import UsageError
from fedps.federation import Federation
from fedps.federation.faults.claimed_rows import MAX_ROWS
from fedps.federation.looks.look import Look
from fedps.federation.owners.predicting import Delivered
from fedps.files.looks import LookResult
from fedps.files.pipelines import load_pipeline
from fedps.files.sketches import read_sketch
from fedps.plans import check_supported
from fedps.report import Run
from fedps.statistics.base import Array

TIMEOUT = 600.0  # seconds, unless a job says otherwise

Connect = Callable[..., Federation]  # given who takes part by keywords
Report = Callable[[Run], None]
_Result = TypeVar("_Result")


@dataclass(frozen=True)
class Job:
    """Who takes part in a fit or a look, and for how long they are waited for.

    Parameters
    ----------
    clients : int or sequence of str
        How many clients take part; on NVFLARE also their names.
    timeout : float, default=600.0
        Seconds that clients have to answer a round.
    quorum : int, optional
        The fewest clients to go on with. Default: all are needed.
    checkpoint : str, optional
        A file of the server that records rounds, so that what stopped goes on.
    max_rows : int, default=2**31
        The most rows that a client may claim to have.
    split : {"rows", "columns"}, default="rows"
        Whether clients hold rows of the same columns, or columns of the same rows.
    key, target : str, optional
        With ``split="columns"``, what the key and the label column are called.
    match : {"same", "private"}, default="same"
        With ``split="columns"``, whether clients must have the same rows, or rows are matched.
    """

    clients: int | Sequence[str]
    timeout: float = TIMEOUT
    quorum: int | None = None
    checkpoint: str | None = None
    max_rows: int = MAX_ROWS
    split: str = "rows"
    key: str | None = None
    target: str | None = None
    match: str = "same"

    @property
    def _how(self) -> dict[str, Any]:
        return {
            "split": self.split,
            "key": self.key,
            "target": self.target,
            "match": self.match,
        }

    def check(self, members: str) -> None:
        """Raise UsageError for what cannot be right; ``members`` is "nodes" or "sites"."""
        check_cohort(members, self.clients, self.timeout, self.quorum, self.max_rows, **self._how)

    def look(
        self, connect: Connect, look: Look, report: Report, *, folder: Path | None = None
    ) -> LookResult:
        """Return what a look at the clients' data found; else as ``FitJob.fit``."""
        return self._run(connect, report, folder, lambda to, kept: look_at(to, look, kept))

    def predict(
        self, connect: Connect, prediction: Prediction, report: Report
    ) -> Array | Delivered:
        """Return predictions by parts that stay with their owners; else as ``FitJob.fit``."""
        return self._run(connect, report, None, lambda to, _: prediction.by(to))

    def _run(
        self,
        connect: Connect,
        report: Report,
        folder: Path | None,
        call: Callable[[Federation, Path | None], _Result],
    ) -> _Result:
        """Return what a call of the federation gives; it gets the path of the checkpoint, too."""
        federation = connect(
            clients=self.clients,
            timeout=self.timeout,
            quorum=self.quorum,
            max_rows=self.max_rows,
            progress=False,
            **self._how,
        )
        checkpoint = Path(folder or "", self.checkpoint) if self.checkpoint else None
        try:
            return call(federation, checkpoint)
        finally:
            if (run := _run_of(federation)) is not None:
                report(run)


@dataclass(frozen=True)
class FitJob(Job):
    """Who takes part in a fit, and how it is done.

    Parameters
    ----------
    clients, timeout, quorum, checkpoint, max_rows, split, key, target, match
        As for ``Job``.
    quantiles : str, default="exact"
        ``"exact"``, or a sketch such as ``"kll:200"`` or ``"req:12"``.
    frequent : str, default="exact"
        ``"exact"``, or a sketch such as ``"items:1000"``.
    sample_weight : str, optional
        A column of row weights.
    name : str, optional
        With ``split="columns"``, the name under which clients keep their parts.
    """

    quantiles: str = "exact"
    frequent: str = "exact"
    sample_weight: str | None = None
    name: str | None = None

    def check(self, members: str) -> None:
        """Raise UsageError for what cannot be right; ``members`` is "nodes" or "sites"."""
        super().check(members)
        self._sketches()

    def fit(
        self, connect: Connect, estimator: Any, report: Report, *, folder: Path | None = None
    ) -> Any:
        """Return the fitted estimator. What the fit cost is reported even if it fails.

        Parameters
        ----------
        connect : callable
            Returns the federation, given who takes part by keywords.
        estimator : estimator
            What is fitted.
        report : callable
            Called with the run.
        folder : path, optional
            Where a checkpoint with a relative path is. Default: the current folder.
        """
        how = {"sample_weight": self.sample_weight, "name": self.name, **self._sketches()}
        return self._run(
            connect, report, folder, lambda to, kept: to.fit(estimator, checkpoint=kept, **how)
        )

    def _sketches(self) -> dict[str, Any]:
        return {
            option: read_sketch(option, getattr(self, option))
            for option in ("quantiles", "frequent")
        }


def _run_of(federation: Federation) -> Run | None:
    try:
        return federation.run
    except UsageError:  # nothing began
        return None


def load_supported(pipeline: str) -> Any:
    """Return the estimator that a text such as ``prep.py:pipeline`` stands for, if it can be fitted."""
    estimator = load_pipeline(pipeline)
    check_supported(estimator)
    return estimator


def check_new(path: Path) -> None:
    """Refuse to write over a file or a folder that is not empty."""
    if path.is_dir() and not any(path.iterdir()):
        return
    if path.exists():
        raise UsageError(f"{str(path)!r} exists already. Choose another folder, or remove it.")
