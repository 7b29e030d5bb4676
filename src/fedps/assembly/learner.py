"""Learner: stands in for an estimator whose numbers are known, inside scikit-learn's own fit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.base import BaseEstimator, TransformerMixin

from fedps.learned import Learned

# a fitted estimator, and what gives one row of its output
Built = tuple[Any, Callable[[], Any]]


class Learner(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Stands in for an estimator whose numbers are learned already, inside scikit-learn's own fit.

    After ``fit``, ``fitted`` is the genuine estimator; ``transform`` gives one row of its output.

    Parameters
    ----------
    estimator : estimator
        What it stands in for, not fitted.
    learned : Learned
        What was learned for it.
    build : callable
        Makes it fitted, given this object, a made-up row, and whether its output is wanted at once.
    """

    def __init__(
        self, estimator: Any, learned: Learned, build: Callable[[Learner, Any, bool], Built]
    ) -> None:
        self.estimator = estimator
        self.learned = learned
        self.build = build

    def __sklearn_clone__(self) -> Learner:
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "fitted")

    def fit(self, table: Any, y: Any = None, **_: Any) -> Learner:
        """Make the genuine fitted estimator."""
        self.fitted, self.output = self.build(self, table, False)
        return self

    def fit_transform(self, table: Any, y: Any = None, **_: Any) -> Any:
        """Make the fitted estimator and give one row of its output."""
        self.fitted, self.output = self.build(self, table, True)
        return self.output()

    def transform(self, table: Any) -> Any:
        """Give one row of output, whatever the table: made from a row that the estimator knows."""
        return self.output()

    def get_feature_names_out(self, names: Any = None) -> Any:
        """Give the fitted estimator's names."""
        return self.fitted.get_feature_names_out(names)
