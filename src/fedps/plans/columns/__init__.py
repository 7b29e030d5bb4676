"""One plan per scikit-learn family, for ``split="columns"``: each client holds some columns.

An owner of a column is the client that holds it. Most estimators work column by column: their owners
fit them alone, and only what mixes columns of several owners has to ask.

- ``by_owner``: estimators that need no asking, and rules for those that one owner must fit
- ``column_transformer``: branches at the owners of their columns
- ``nearest_rows``, ``donor_rows``: distances over the columns of all owners, and the rows they choose
- the others: one estimator each
"""
