"""IterativeImputer on row-partitioned tables.

- ``iterative_imputer``: the plan, which chooses between two ways
- ``at_once``: two rounds, and the server does all sweeps; ``sheet``: the few rows on which it does them
- ``by_steps``: a round per column and sweep, if clients may not show their patterns of missing cells
- ``setting``: the parameters; ``column_order``: the order of columns; ``regressions``: one imputation step
- ``estimators``: which regressions these may be; ``ard_math``, ``few_rows``: how some of them are found
"""
