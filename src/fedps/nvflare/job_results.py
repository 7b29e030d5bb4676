"""The results of a job: the fitted estimator or what a look found, the report, or the error that ended it."""

from __future__ import annotations

import shutil
from pathlib import Path

from fedps.errors import TransportError

RESULTS = "fedps"  # the folder of FedPS among the results of a job
FITTED, FOUND, ERROR, SHOWN = "prep.skops", "look.txt", "error.txt", "run.txt"
PARTS = "fit.parts"  # of a fit with split="columns"
PREDICTED = {".csv": "predictions.csv", ".parquet": "predictions.parquet"}
REPORTS = {".html": "run.html", ".json": "run.json", ".md": "run.md"}
LOOK_FILES = {".html": "look.html", ".json": "look.json", ".csv": "look.csv"}


class JobResults:
    """The folder with the results of one job; it need not exist."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def error(self) -> str:
        """Why the fit failed, as FedPS says it; empty if it did not fail or did not begin."""
        return self._text(ERROR)

    @property
    def shown(self) -> str:
        """What it cost and what left each client, as a table; empty if it did not begin."""
        return self._text(SHOWN)

    @property
    def found(self) -> str:
        """What a look found, as tables; empty for a fit, or if it failed."""
        return self._text(FOUND)

    def _text(self, name: str) -> str:
        file = self.folder / name
        return file.read_text("utf-8").strip() if file.is_file() else ""

    def collect(self, out: Path | None, report: Path | None) -> list[Path]:
        """Copy the fitted estimator, or what was found, and the report; return the files written."""
        wanted = []
        if out is not None:
            kind = out.suffix.lower()
            names = (LOOK_FILES.get(kind), PREDICTED.get(kind), {".parts": PARTS}.get(kind), FITTED)
            known = [name for name in names if name and (self.folder / name).is_file()]
            wanted += [(name, out) for name in known[:1]]
        if report is not None:
            wanted.append((REPORTS[report.suffix.lower()], report))
        there = [(self.folder / name, path) for name, path in wanted]
        there = [(source, path) for source, path in there if source.is_file()]
        for source, path in there:
            shutil.copyfile(source, path)
        return [path for _, path in there]

    def check(self, status: str, blame: str = "") -> None:
        """Raise the error that ended the job, if one did.

        ``status`` is how it ended, and ``blame`` which site caused that, both as NVFLARE says.
        """
        known = " ".join(filter(None, (self.error, blame)))
        if known:
            raise TransportError(f"the job failed: {known}")
        if not any((self.folder / name).is_file() for name in (FITTED, FOUND, PARTS)):
            raise TransportError(
                f"the job ended as {status} before FedPS could say why. The logs of the server and the "
                "sites (log.txt in their kits) do."
            )
