"""Fitted estimators that know the rows of the clients, or still ask for them.

- ``neighbours``: KNNImputer and KNeighborsRegressor, which ask the clients when they are used
- ``asking``: the parts of a fitted estimator that ask
- ``row_aware``: tells an estimator which rows it transforms; ``cross_fitted``, ``chunked_imputer``:
  those that need it, a TargetEncoder and an IterativeImputer
"""
