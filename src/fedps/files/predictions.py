"""Predictions in a file of the server's: one for each row, in the order of the rows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import csv, parquet

from fedps.errors import UsageError
from fedps.files.whole_files import check_folder, whole_file

PREDICTION_FORMATS = (".csv", ".parquet")


def check_predictions_path(path: Path | None, *, here: bool = True) -> None:
    """Raise UsageError for a file that predictions cannot be written to; None is no file.

    ``here`` says that it is on this machine.
    """
    if path is None:
        return
    if path.suffix.lower() not in PREDICTION_FORMATS:
        raise UsageError(f"--out {str(path)!r}: must end with {' or '.join(PREDICTION_FORMATS)}.")
    if here:
        check_folder(path)


def write_predictions(
    predictions: np.ndarray[tuple[int], np.dtype[np.float64]], path: Path
) -> None:
    """Write predictions as a table with one column."""
    table = pa.table({"prediction": predictions})
    with whole_file(path) as beside:
        write = csv.write_csv if path.suffix.lower() == ".csv" else parquet.write_table
        write(table, beside)
