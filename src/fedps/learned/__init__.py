"""Fitted numbers without code: what a plan returns, what a client is told, what assembly reads.

For: one declared shape of learned numbers for each estimator, checked when a message is decoded.
May import: numpy and msgspec, and nothing of ours.
Its one rule: what is learned has a declared name. Names that no shape declares are refused.
"""

from __future__ import annotations

from fedps.learned.described import (
    BY_COLUMNS,
    COMPOUNDS,
    HOW_IT_RUNS,
    PIPELINE,
    UNION,
    Described,
    Place,
    branches_of,
    places_of,
)
from fedps.learned.learned import (
    COLUMNS,
    FROZEN,
    INSIDE,
    ROWS,
    Function,
    Learned,
    Parameters,
    model_of,
    path_of_model,
    read_for_columns,
    read_for_rows,
    read_numbers,
)
from fedps.learned.numbers import FrozenState, Nothing, Numbers, needed
from fedps.learned.per_client import Array, Kept, PerClient, PerRow, Stand, own

__all__ = [
    "BY_COLUMNS",
    "COLUMNS",
    "COMPOUNDS",
    "FROZEN",
    "HOW_IT_RUNS",
    "INSIDE",
    "PIPELINE",
    "ROWS",
    "UNION",
    "Array",
    "Described",
    "FrozenState",
    "Function",
    "Kept",
    "Learned",
    "Nothing",
    "Numbers",
    "Parameters",
    "PerClient",
    "PerRow",
    "Place",
    "Stand",
    "branches_of",
    "model_of",
    "needed",
    "own",
    "path_of_model",
    "places_of",
    "read_for_columns",
    "read_for_rows",
    "read_numbers",
]
