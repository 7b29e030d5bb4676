"""The target, and how it is distributed over the categories of columns.

- ``target_by_category``: for all categories (``ByCategory``)
- ``target_by_given_category``: for given categories, also per fold (``ByKnown``)
- ``category_by_label``: the table of categories and labels that both send, and how two are merged
- ``target_cells``: reading the target at a client, and what a plan receives
- ``labels``: labels in the order of their first appearance, for stratified folds (``Turns``)
- ``numeric_target``: a target that must be numbers
"""
