"""ChunkTransformer: a fitted transformer, applied to some rows of a file at a time."""

from __future__ import annotations

import logging
from typing import Any

from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline

from fedps.assembly import rows_from
from fedps.client.answering import failure
from fedps.client.failure_reasons import reason
from fedps.client.tables import names_of, positions_of, take
from fedps.client.tables.output_tables import is_mixed
from fedps.client.tables.sources.arrow_frames import frame_library
from fedps.client.tables.table import Chunk
from fedps.errors import ClientError, UsageError, did_you_mean
from fedps.protocol.answers import Problem, describe_problem

log = logging.getLogger("fedps.client")


def transforms_target(estimator: Any) -> bool:
    """Whether a fitted estimator transforms a target, and not a table."""
    return not hasattr(estimator, "n_features_in_") and hasattr(estimator, "classes_")


def _needed_columns(estimator: Any) -> list[str] | None:
    """Return the columns that a fitted estimator needs; None if they have no names.

    A ColumnTransformer does not need those that it drops: new rows often have no labels.
    """
    known = getattr(estimator, "feature_names_in_", None)
    if known is None:
        return None
    first = estimator.steps[0][1] if isinstance(estimator, Pipeline) else estimator
    if isinstance(first, ColumnTransformer):
        used = [columns for _, part, columns in first.transformers_ if not _is_drop(part)]
        named = [[columns] if isinstance(columns, str) else list(columns) for columns in used]
        flat = [name for columns in named for name in columns]
        if all(isinstance(name, str) for name in flat):
            return [name for name in known if name in flat]
    return list(known)


def _is_drop(part: Any) -> bool:
    return isinstance(part, str) and part == "drop"


class ChunkTransformer:
    """Transforms some rows at a time; no error quotes a cell.

    Parameters
    ----------
    estimator : fitted transformer
        What transforms them.
    file : str
        The name of the file that the rows are from, for errors.
    """

    def __init__(self, estimator: Any, file: str) -> None:
        self._estimator = estimator
        self.file = file

    def __call__(self, chunk: Chunk) -> Any:
        """Return the output for some rows."""
        estimator = self._estimator
        rows = chunk.y if transforms_target(estimator) else self._columns(chunk.X)
        output = self._one(rows, chunk.start)
        if is_mixed(output):  # as frames, columns keep their types
            estimator.set_output(transform=frame_library())
            output = self._one(rows, chunk.start)
        return output

    def _columns(self, rows: Any) -> Any:
        """Return the columns that it was fitted on, in its order; those that it drops may be missing."""
        known = list(names_of(rows) or ())
        needed = _needed_columns(self._estimator)
        if needed is None:
            return rows
        for name in needed:
            if name not in known:
                hint = did_you_mean(name, known)
                raise UsageError(
                    f"{self.file} has no column {name!r}, which the transformer needs.{hint}"
                )
        there = [name for name in self._estimator.feature_names_in_ if name in known]
        return take(rows, positions_of(rows, there))

    def _one(self, rows: Any, start: int) -> Any:
        estimator = self._estimator
        try:
            return rows_from(estimator, start).transform(rows)
        except UsageError:  # of an owner's part, which knows the rows that it was fitted on
            raise
        except Exception as error:
            log.debug("transform failed on %s", self.file, exc_info=True)
            kind = type(error).__name__
            found = (
                None
                if transforms_target(estimator)
                else reason(estimator, rows, names_of(rows) or ())
            )
            if found is None:
                raise ClientError(
                    f"{self.file}: {type(estimator).__name__}.transform failed with {kind}. --debug "
                    "shows the reason, which can quote cells."
                ) from error
            problem = Problem(self.file, type(estimator).__name__, failure(found))
            text = str(describe_problem([self.file], problem, names_of(rows) or ()))
            own = text.removeprefix("client ").removeprefix(repr(self.file))
            raise ClientError(f"{self.file}{own}") from error
