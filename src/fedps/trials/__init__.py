"""Functions of the user, tried on made-up tables before a client is asked for more than its schema.

For: no function that a client runs on its own rows gives another result than on the rows of all.
May import: scikit-learn, numpy, assembly (made-up tables), compounds and errors. It runs at the server only.
Its one rule: what is tried is called on made-up cells only.

- ``try_functions``: finds the functions in an estimator, and the made-up table that reaches each
- ``selector_trial``: a function that chooses columns may depend on names and dtypes only
- ``function_trial``: a function of rows must work row by row; ``same_output``: whether two outputs are equal
- ``refusals``: what is said about functions of rows that do not
- ``try_units``: whether it matters in which unit a client counts times
- ``through_steps``: made-up rows on their way through an estimator
- ``row_by_row``: how a user says that one does
"""

from __future__ import annotations

from fedps.trials.row_by_row import row_by_row
from fedps.trials.try_functions import must_be_tried, try_functions, try_selectors, try_weights
from fedps.trials.try_units import Effect, UnitMatters, effect_of_units, same_times

__all__ = [
    "Effect",
    "UnitMatters",
    "effect_of_units",
    "must_be_tried",
    "row_by_row",
    "same_times",
    "try_functions",
    "try_selectors",
    "try_weights",
]
