"""PowerTransformer on row-partitioned tables.

- ``power_transformer``: the plan; ``power_column``: the state of one column
- ``power_table``: which lambdas are allowed, and the best from a table; ``lambda_search``: in rounds
- ``told_apart``: the best lambda whose output still tells cells apart
"""
