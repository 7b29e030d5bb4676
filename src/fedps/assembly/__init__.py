"""Learned numbers become fitted scikit-learn objects, on either side.

For: the genuine object that pooled rows would have given, made by scikit-learn's own code.
May import: scikit-learn and learned. Never statistics, protocol or plans.
Its one rule: only this package knows private attributes of scikit-learn.
"""

from __future__ import annotations

from fedps.assembly.build import RECIPES, assemble, assemble_with_row, checking
from fedps.assembly.dummy_rows.dummy_row import dummy_row, like, pooled_dtypes
from fedps.assembly.federated.cross_fitted import rows_from
from fedps.assembly.freeze import CLASSES, blank, freeze
from fedps.assembly.owners.prepare import prepared
from fedps.assembly.walk import asking, asking_with_learned, only_asking

__all__ = [
    "CLASSES",
    "RECIPES",
    "asking",
    "asking_with_learned",
    "assemble",
    "assemble_with_row",
    "blank",
    "checking",
    "dummy_row",
    "freeze",
    "like",
    "only_asking",
    "pooled_dtypes",
    "prepared",
    "rows_from",
]
