"""Transformers that learn nothing but the form of their input."""

from __future__ import annotations

from typing import Any

from fedps.learned import Facts


def stateless(transformer: Any, learned: Facts, table: Any) -> Any:
    """Fit on a made-up row."""
    transformer.fit(table)
    return table
