"""The distinct values of columns, and how often they occur.

- ``categories``: all distinct values, with counts if requested (``Categories``)
- ``given_categories``: counts of given values (``Known``)
- ``frequent_items``: the most frequent values of columns with very many (``Heaviest``, ``FrequentItems``)
- ``table_sizes``: what a table of values takes in memory, which limits a message
"""
