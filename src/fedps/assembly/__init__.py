"""Learned numbers become fitted scikit-learn objects, on either side.

For: the genuine object that pooled rows would have given, made by scikit-learn's own code.
May import: scikit-learn and learned. Never statistics, protocol or plans.
Its one rule: only this package knows private attributes of scikit-learn.
"""

from __future__ import annotations

from fedps.assembly.blank import CLASSES, blank, freeze
from fedps.assembly.build import RECIPES, assemble, assemble_with_row, checking
from fedps.assembly.crossfit import rows_from
from fedps.assembly.inside import asking, only_asking
from fedps.assembly.prepared import prepared
from fedps.assembly.template import like, pooled_dtypes, template

__all__ = [
    "CLASSES",
    "RECIPES",
    "asking",
    "assemble",
    "assemble_with_row",
    "blank",
    "checking",
    "freeze",
    "like",
    "only_asking",
    "pooled_dtypes",
    "prepared",
    "rows_from",
    "template",
]
