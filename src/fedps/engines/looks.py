"""A look in a job of an engine: as text that a file holds, and carried out by a federation."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fedps.errors import UsageError
from fedps.federation import Federation
from fedps.federation.looks.look import Look
from fedps.files.looks import LookResult

_MADE_BY: dict[str, Callable[..., Look]] = {
    "describe": Look.describe,
    "crosstab": Look.crosstab,
    "corr": Look.corr,
}


def look_at(federation: Federation, look: Look, checkpoint: Path | None = None) -> LookResult:
    """Return what a look at the clients of a federation finds."""
    if look.name == "crosstab":
        row, column = look.columns or ()
        return federation.crosstab(row, column, checkpoint=checkpoint)
    if look.name == "corr":
        return federation.corr(look.columns, checkpoint=checkpoint)
    return federation.describe(
        look.columns,
        by=look.by,
        percentiles=look.percentiles,
        correlation=look.correlation,
        checkpoint=checkpoint,
    )


def look_text(look: Look) -> str:
    """Return a look as JSON.

    >>> look_text(Look.corr(["age", "bmi"]))
    '{"look": "corr", "columns": ["age", "bmi"]}'
    """
    given: dict[str, Any] = {"look": look.name, "columns": look.columns}
    if look.name == "crosstab":
        row, column = look.columns or ()
        given = {"look": look.name, "row": row, "column": column}
    if look.name == "describe":
        given |= {
            "by": look.by,
            "percentiles": look.percentiles,
            "correlation": look.correlation,
        }
    return json.dumps(given, ensure_ascii=False)


def read_look(text: str) -> Look:
    """Return the look that a text stands for; UsageError for what is none.

    >>> read_look('{"look": "describe", "by": "sex"}').by
    'sex'
    """
    try:
        given = json.loads(text)
        return _MADE_BY[given.pop("look")](**given)
    except UsageError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError):
        raise UsageError(
            f'{text!r} is not a look. Write it as {{"look": "describe", "by": "sex"}}, with what describe or '
            "corr takes."
        ) from None
