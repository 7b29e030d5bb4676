"""FitJob: the description of a fit that an engine runs, in values that a config file can hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fedps.engines.federation import check_cohort
from fedps.errors import UsageError
from fedps.federation import Federation
from fedps.federation.faults.claimed_rows import MAX_ROWS
from fedps.files.pipelines import load_pipeline
from fedps.files.sketches import read_sketch
from fedps.plans import check_supported
from fedps.report import Run

TIMEOUT = 600.0  # seconds, unless a job says otherwise


@dataclass(frozen=True)
class FitJob:
    """Who takes part in a fit, and how it is done.

    Parameters
    ----------
    clients : int or sequence of str
        How many clients take part; on NVFLARE also their names.
    timeout : float, default=600.0
        Seconds that clients have to answer a round.
    quorum : int, optional
        The fewest clients that the fit may go on with. Default: all are needed.
    quantiles : str, default="exact"
        ``"exact"``, or a sketch such as ``"kll:200"`` or ``"req:12"``.
    frequent : str, default="exact"
        ``"exact"``, or a sketch such as ``"items:1000"``.
    sample_weight : str, optional
        A column of row weights.
    checkpoint : str, optional
        A file of the server that records rounds, so that a fit that stopped goes on.
    max_rows : int, default=2**31
        The most rows that a client may claim to have.
    """

    clients: int | Sequence[str]
    timeout: float = TIMEOUT
    quorum: int | None = None
    quantiles: str = "exact"
    frequent: str = "exact"
    sample_weight: str | None = None
    checkpoint: str | None = None
    max_rows: int = MAX_ROWS

    def check(self, members: str) -> None:
        """Raise UsageError for what cannot be right; ``members`` is "nodes" or "sites"."""
        check_cohort(members, self.clients, self.timeout, self.quorum, self.max_rows)
        self._sketches()

    def fit(
        self,
        connect: Callable[..., Federation],
        estimator: Any,
        report: Callable[[Run], None],
        *,
        folder: Path | None = None,
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
        federation = connect(
            clients=self.clients,
            timeout=self.timeout,
            quorum=self.quorum,
            max_rows=self.max_rows,
            progress=False,
        )
        checkpoint = Path(folder or "", self.checkpoint) if self.checkpoint else None
        try:
            return federation.fit(
                estimator,
                sample_weight=self.sample_weight,
                checkpoint=checkpoint,
                **self._sketches(),
            )
        finally:
            if (run := _run_of(federation)) is not None:
                report(run)

    def _sketches(self) -> dict[str, Any]:
        return {
            option: read_sketch(option, getattr(self, option))
            for option in ("quantiles", "frequent")
        }


def _run_of(federation: Federation) -> Run | None:
    try:
        return federation.run
    except UsageError:  # the fit did not begin
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
