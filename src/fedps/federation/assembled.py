"""assembled: the fitted estimator, or why scikit-learn cannot be fitted to such columns."""

from __future__ import annotations

import traceback
from contextlib import suppress
from typing import Any

from fedps.assembly import assemble, dummy_table
from fedps.assembly.dummy_rows.dummy_cells import Flavour
from fedps.errors import FedPSError, UsageError
from fedps.learned import Learned


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
