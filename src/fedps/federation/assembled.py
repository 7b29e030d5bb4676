"""assembled: the fitted estimator, or why scikit-learn cannot be fitted to such columns; and a pooled row for it."""

from __future__ import annotations

import traceback
from contextlib import suppress
from typing import Any

from fedps.assembly import assemble, dtype_in, dummy_row, dummy_table, pooled_dtypes
from fedps.assembly.dummy_rows.dummy_cells import Flavour
from fedps.errors import FedPSError, UsageError
from fedps.learned import Learned
from fedps.plans import OF_TARGETS
from fedps.protocol.pooled import Pooled
from fedps.protocol.schemas import Schemas, positions_in
from fedps.statistics import Schema


def assembled(estimator: Any, learned: Learned, row: Any) -> Any:
    """Return the fitted estimator; ``row`` is a made-up row of the pooled table.

    What scikit-learn itself refuses is its own error, as from pooled rows. UsageError if something below
    it fails at such columns, or if that depends on cells that nobody sees here.
    """
    try:
        return assemble(estimator, learned, row)
    except (FedPSError, Warning):
        raise
    except Exception as error:  # of whatever a dtype, or a function, does there
        if row.shape[1] and str(error).startswith("Found array with 0 "):
            raise UsageError(
                f"no column is left inside of {type(estimator).__name__}: the steps before leave out all that "
                "they get, as imputers do with columns of nothing but missing values. Leave these out, or set "
                "keep_empty_features=True."
            ) from None
        own = _raised_by_scikit_learn(error)
        if own and not _depends_on_cells(estimator, learned, row):
            raise
        text = str(error).partition("\n")[0].rstrip(".")
        why = (
            "columns of objects, which may be text or numbers" if own else "columns of these dtypes"
        )
        raise UsageError(
            f"scikit-learn cannot fit {type(estimator).__name__} to {why}: {text}. It was tried on a made-up "
            "row. Convert the columns, for instance with dtypes={'age': 'float'}, or leave them out."
        ) from error


def _depends_on_cells(estimator: Any, learned: Learned, row: Any) -> bool:
    """Whether it works with other cells that columns of objects may have."""
    for flavour in Flavour:
        with suppress(Exception):  # whatever scikit-learn raises
            assemble(estimator, learned, dummy_table(row, 1, flavour=flavour))
            return True
    return False


def _raised_by_scikit_learn(error: BaseException) -> bool:
    frames = list(traceback.walk_tb(error.__traceback__))
    return str(frames[-1][0].f_globals.get("__name__", "")).startswith("sklearn.")


def pooled_row(
    pooled: Pooled, schemas: Schemas, estimator: Any, *, without: str | None = None
) -> Any:
    """Return one made-up row of the pooled table, or of the pooled target."""
    assert pooled.table is not None
    if isinstance(estimator, OF_TARGETS):
        schema = pooled.target or Schema("numpy", None, 1, ("|O",), pooled.table.rows)
        each = [list(both[1].dtypes) for both in schemas.values() if len(both) > 1 and both[1].rows]
        dtypes = pooled_dtypes(each, schema.container) if each else list(schema.dtypes)
        return dummy_row(schema.container, schema.names, schema.width, dtypes)
    table = pooled.table
    tables = [both[0] for both in schemas.values() if both[0].rows]
    dtypes = pooled_dtypes([_dtypes(t, table) for t in tables], table.container)
    names, width = table.names, table.width
    if without is not None and names is not None:
        kept = [i for i, name in enumerate(names) if name != without]
        dtypes = dtypes if len(dtypes) == 1 else [dtypes[i] for i in kept]
        names, width = tuple(names[i] for i in kept), len(kept)
    return dummy_row(table.container, names, width, dtypes)


def _dtypes(schema: Schema, like: Schema) -> list[str]:
    """Return a table's dtypes in the column order and the container of another table."""
    dtypes = list(schema.dtypes)
    if len(dtypes) > 1:
        dtypes = [dtypes[i] for i in positions_in(schema, like.names)]
    return [dtype_in(like.container, dtype, schema.container) for dtype in dtypes]
