"""Prediction: predictions by parts that stay with their owners, in a job of an engine."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from fedps.errors import UsageError
from fedps.federation import Federation
from fedps.federation.owners.predicting import Delivered, read_to
from fedps.files.parts_files import PARTS_SUFFIX, load_parts
from fedps.protocol.owners.kept_parts import KeptParts
from fedps.report.rendering import count
from fedps.statistics.base import Array

_ROWS = ("own", "new")


@dataclass(frozen=True)
class Prediction:
    """What is predicted, by which fit, and who gets it.

    Parameters
    ----------
    parts : KeptParts
        What ``fit`` gave.
    rows : {"own", "new"}, default="new"
        The owners' own rows, or those that their settings name.
    to : {"server", "target"}, default="server"
        Who gets the predictions: the server, or the owner of the target.
    """

    parts: KeptParts
    rows: Literal["own", "new"] = "new"
    to: Literal["server", "target"] = "server"

    def by(self, federation: Federation) -> Array | Delivered:
        """Return the predictions, or to whom they were delivered."""
        queries = None if self.rows == "own" else self.rows
        return federation.predict(self.parts, queries, to=self.to)  # type: ignore[no-any-return]


def predict_text(rows: str, to: str, parts: Path | None = None) -> str:
    """Return which rows are predicted, and for whom, as JSON.

    >>> predict_text("new", "target", Path("risk.parts"))
    '{"rows": "new", "to": "target", "parts": "risk.parts"}'
    """
    if rows not in _ROWS:
        raise UsageError(f"rows are 'own' or 'new'; got {rows!r}.")
    given = {"rows": rows, "to": read_to(to)}
    return json.dumps(given if parts is None else {**given, "parts": str(parts)})


def read_predict(text: str, folder: Path | None = None) -> Prediction:
    """Return the prediction that a text stands for; UsageError for what is none.

    ``folder`` is where the file of the parts is, if the text has no path.
    """
    try:
        given: dict[str, Any] = json.loads(text)
        rows, to = given["rows"], given["to"]
        parts = Path(folder or "", given["parts"])
        predict_text(rows, to)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise UsageError(
            f'{text!r} is not a prediction. Write it as {{"rows": "new", "to": "server", "parts": "risk.parts"}}.'
        ) from None
    return Prediction(read_parts(parts), rows, to)


def read_parts(path: Path) -> KeptParts:
    """Return the parts in a file; UsageError if there is none."""
    if not path.is_file() or path.suffix.lower() != PARTS_SUFFIX:
        raise UsageError(f"there is no file {str(path)!r} of parts, such as risk.parts.")
    return load_parts(path)


def delivered_in_words(found: Delivered) -> str:
    """Return a sentence on what was delivered."""
    return (
        f"{count(found.rows, 'prediction')} were delivered to client {found.client!r}, which wrote them where "
        "its settings say."
    )
