"""The distinct values of columns, and how often they occur.

- ``categories``: all distinct values, with counts if requested (``Categories``)
- ``given_categories``: counts of given values (``Known``)
- ``frequent_items``: the most frequent values of columns with very many (``Heaviest``, ``FrequentItems``)
- ``pair_counts``: of pairs of values of two columns (``PairCounts``), sent as ``pair_table``
- ``suppression``: which of these counts to hide, so that small ones do not follow from the others
- ``table_sizes``: what a table of values takes in memory, which limits a message
"""
