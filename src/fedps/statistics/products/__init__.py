"""Inner products of columns, for regressions and correlations, with and without missing cells.

- ``gram``: of all columns and the target (``Gram``)
- ``co_moments``: of any two columns over the rows that have both (``CoMoments``), as ``co_moments_summary``
- ``pair_moments``: how these are found and put together; ``correlations``: what they say
- ``few_common_rows``: what a policy allows to show of them
- ``triangular_factors``: inner products as a triangle R, and why not as a Gram matrix
- ``missing_patterns``: of the rows with the same cells missing (``Patterns``)
- ``condensed_rows``: the few rows that replace all rows of such a pattern
- ``imputation``: regressions that fill in missing cells, step by step
- ``imputed_products``: of rows whose missing cells are imputed (``Completed``)
- ``imputation_change``: how far imputed cells moved, for the stopping rule (``Changes``)
"""
