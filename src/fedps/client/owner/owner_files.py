"""OwnerFiles: where an owner of columns keeps its parts of fits, and what else its settings name."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from fedps.client.own_files import NotOwn
from fedps.client.owner.fit_folder import FitFolder
from fedps.client.owner.owner_fit import KeptFit
from fedps.client.owner.row_files import (
    packed_table,
    place_of,
    predicted_table,
    transformed_table,
    write_rows,
)
from fedps.client.tables.owned_table import OwnedTable
from fedps.errors import UsageError
from fedps.statistics import BadCells
from fedps.statistics.base import Array

log = logging.getLogger("fedps.client")


@dataclass(frozen=True)
class OwnerFiles:
    """Where an owner keeps what a server has it fit. A server chooses none of it.

    Parameters
    ----------
    fits : FitFolder
        Where its parts of fits are.
    open_new : callable, optional
        Opens the rows to predict.
    outputs : Path, optional
        Where its transformed rows are written: a file, or a folder of such.
    predictions : Path, optional
        Where predictions that are delivered to it are written: a file, or a folder of such.
    """

    fits: FitFolder
    open_new: Callable[[], OwnedTable] | None = None
    outputs: Path | None = None
    predictions: Path | None = None

    def check_fit(self, fit: str, *, outputs: bool) -> None:
        """Raise BadCells in the first round of a fit that could not be kept in the end."""
        self.fits.check_free(fit)
        if outputs and self.outputs is None:
            raise BadCells("no outputs")
        self._check_outputs(fit)

    def _check_outputs(self, fit: str) -> None:
        # what a process wrote before it died may be written again
        begun = self.outputs is None or self.fits.note(fit) is not None
        if self.outputs is not None and not begun and place_of(self.outputs, fit).exists():
            raise BadCells("outputs exist")

    def check_predictions(self) -> None:
        """Raise BadCells if predictions could not be written."""
        if self.predictions is None:
            raise BadCells("no predictions")
        if place_of(self.predictions, "") == self.predictions and self.predictions.exists():
            raise BadCells("predictions exist")

    def keep(self, fit: str, digest: str, make: Callable[[], KeptFit], table: OwnedTable) -> None:
        """Fit a part and keep it, with its transformed rows if they have a place.

        If this very fit is there already, nothing is done: engines may repeat messages.
        """
        with _written(), self.fits.lock():
            if self.fits.check_free(fit, digest):
                return
            self._check_outputs(fit)
            self.fits.begin(fit, digest)
            try:
                kept = make()
                self._write_outputs(fit, kept, table)
                self.fits.keep(fit, digest, kept.part)
            except BaseException:
                if self.outputs is not None:
                    place_of(self.outputs, fit).unlink(missing_ok=True)
                self.fits.give_up(fit)
                raise

    def _write_outputs(self, fit: str, kept: KeptFit, table: OwnedTable) -> None:
        if self.outputs is not None and kept.output is not None:
            place = place_of(self.outputs, fit)
            rows = transformed_table(kept.part, kept.output, table)
            write_rows(place, packed_table(rows, place), self.outputs)

    def keep_predictions(self, fit: str, predictions: Array, table: OwnedTable) -> None:
        """Write predictions; the same ones again are those of a repeated message."""
        if self.predictions is None:
            raise BadCells("no predictions")
        with _written():
            mark = blake2b(predictions.tobytes(), digest_size=4).hexdigest()
            place = place_of(self.predictions, f"{fit}-{mark}")
            data = packed_table(predicted_table(predictions, table), place)
            if place.exists():
                if place.read_bytes() == data:
                    return
                raise BadCells("predictions exist")
            write_rows(place, data, self.predictions)


@contextmanager
def _written() -> Iterator[None]:
    """Turn what goes wrong with files into a failure without their names."""
    try:
        yield
    except (OSError, NotOwn, UsageError):
        log.exception("what was fitted could not be kept")
        raise BadCells("not written") from None
