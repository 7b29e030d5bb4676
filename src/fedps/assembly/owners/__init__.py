"""Estimators for a client that holds some of the columns (``split="columns"``).

- ``prepare``: makes an estimator ready for the columns of one owner
- ``owner_base``, ``stand_ins``: what these share, and which estimators have one
- the others: one estimator each
"""
