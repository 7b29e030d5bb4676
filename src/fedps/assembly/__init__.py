"""Learned numbers become fitted scikit-learn objects, at the server and at clients.

For: the genuine object that pooled rows would have given, made by scikit-learn's own code.
May import: scikit-learn, learned and compounds. Never statistics, protocol or plans.
Its one rule: only this package knows private attributes of scikit-learn.

- ``build``: which recipe makes which estimator; ``compose``: Pipelines and other compounds
- ``classes``: the classes that a message may name; ``freeze``: fitted estimators as values
- ``unified_gaps``: rows with None and NaN as one missing value
- ``empty_output``: what a fitted estimator makes of no rows
- ``strict``: fitted estimators that notice what their rows contradict
- ``recipes/``: one file per family; ``dummy_rows/``: made-up rows to fit on
- ``owners/``: estimators at a client that holds some columns (``split="columns"``)
- ``federated/``: fitted estimators that know the clients' rows, or ask for them
"""

from __future__ import annotations

from fedps.assembly.build import (
    RECIPES,
    assemble,
    assemble_with_row,
    checking,
    collecting,
    is_row_aware,
    twin,
    unfitted,
)
from fedps.assembly.classes import CLASSES
from fedps.assembly.dummy_rows.dummy_row import dtype_in, dummy_row, like, pooled_dtypes
from fedps.assembly.dummy_rows.dummy_tables import copied_rows, dummy_table, first_cells
from fedps.assembly.empty_output import empty_output
from fedps.assembly.federated.asking import asking, asking_with_learned, only_asking
from fedps.assembly.federated.row_aware import rows_from
from fedps.assembly.freeze import freeze
from fedps.assembly.owners.prepare import prepared
from fedps.assembly.strict import Contradiction, hold_to_rows
from fedps.assembly.unified_gaps import take_any_gap, taking_na, with_gaps

__all__ = [
    "CLASSES",
    "RECIPES",
    "Contradiction",
    "asking",
    "asking_with_learned",
    "assemble",
    "assemble_with_row",
    "checking",
    "collecting",
    "copied_rows",
    "dtype_in",
    "dummy_row",
    "dummy_table",
    "empty_output",
    "first_cells",
    "freeze",
    "hold_to_rows",
    "is_row_aware",
    "like",
    "only_asking",
    "pooled_dtypes",
    "prepared",
    "rows_from",
    "take_any_gap",
    "taking_na",
    "twin",
    "unfitted",
    "with_gaps",
]
