"""Files of an owner's rows: transformed ones, and predictions; Parquet or CSV, by their endings."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import csv, parquet

from fedps.client.own_files import write_own
from fedps.client.tables.cells.native_table import column_at, names_of
from fedps.client.tables.files.paths import is_known, is_parquet
from fedps.client.tables.formula_cells import without_formulas
from fedps.client.tables.output_tables import as_arrow, output_names
from fedps.client.tables.owned_table import OwnedTable, as_keys
from fedps.statistics.base import Array


def place_of(named: Path, name: str) -> Path:
    """Return the file for some rows: the one that an owner named, or one in the folder that it named.

    >>> place_of(Path("out.csv"), "risk").name, place_of(Path("out"), "risk").name
    ('out.csv', 'risk.parquet')
    """
    return named if is_known(named) else named / f"{name}.parquet"


def transformed_table(part: Any, output: Any, table: OwnedTable) -> Any:
    """Return transformed rows as an Arrow table, with the key in front."""
    if part is None or not np.prod(output.shape[1:]):  # no columns are left
        found = pa.table({})
    else:
        of_target = hasattr(part, "classes_") and not hasattr(part, "n_features_in_")
        names = output_names(part, output, (table.target_name or "target") if of_target else None)
        found = pa.concat_tables(list(as_arrow(output, names)))
    return _with_key(found, table)


def predicted_table(predictions: Array, table: OwnedTable) -> Any:
    """Return predictions as an Arrow table, with the key in front."""
    return _with_key(pa.table({"prediction": predictions}), table)


def _with_key(found: Any, table: OwnedTable) -> Any:
    name = table.key_name
    if table.key is None or name is None or name in found.column_names:
        return found
    keys = pa.array(_keys(table, name))
    return found.add_column(0, name, keys) if found.column_names else pa.table({name: keys})


def _keys(table: OwnedTable, name: str) -> Any:
    """Return the cells of the key, as they are in the table if these are the same rows."""
    (chunk,) = table.chunks()
    names = list(names_of(chunk.source) or ())
    if name in names:
        own = column_at(chunk.source, names.index(name))
        keys = as_keys(own, name)
        if len(keys) == len(table.key) and bool((keys == table.key).all()):
            return own
    return table.key.tolist()


def packed_table(found: Any, path: Path) -> bytes:
    """Return an Arrow table as the bytes of a file."""
    sink = BytesIO()
    if is_parquet(path):
        parquet.write_table(found, sink)
        return sink.getvalue()
    safe, _ = without_formulas(found)
    zipped = pa.CompressedOutputStream(sink, "gzip") if path.name.lower().endswith(".gz") else None
    csv.write_csv(safe, zipped or sink)
    if zipped is not None:
        zipped.close()
    return sink.getvalue()


def write_rows(path: Path, data: bytes, named: Path) -> None:
    """Write a file that only its owner may read. The folder is made if it is the one that was named."""
    if path.parent == named:
        named.mkdir(mode=0o700, exist_ok=True)
    write_own(path, data, beside=f".{path.name}.new")
