"""What a look found, as values that JSON has."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np


def plain_value(value: Any) -> Any:
    """Return a value as JSON has it: NaN becomes None, infinity its name, all else that is odd its text.

    >>> plain_value({"vif": np.array([1.5, np.nan, np.inf])})
    {'vif': [1.5, None, 'Infinity']}
    """
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, np.generic | np.ndarray):
        # NaT and other dates keep their text
        return plain_value(
            value.astype(str).tolist() if value.dtype.kind in "mM" else value.tolist()
        )
    if isinstance(value, float):
        return _plain_float(value)
    if is_dataclass(value):
        return {field.name: plain_value(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain_value(item) for key, item in value.items()}
    if isinstance(value, tuple | list | set | frozenset):
        return [plain_value(item) for item in value]
    return str(value)


def _plain_float(value: float) -> float | str | None:
    if math.isnan(value):
        return None
    return value if math.isfinite(value) else ("Infinity" if value > 0 else "-Infinity")


def json_text(value: Any) -> str:
    """Return a value as JSON that every reader takes."""
    return json.dumps(plain_value(value), allow_nan=False)
