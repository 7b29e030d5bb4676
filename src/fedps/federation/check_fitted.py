"""What may be asked of an estimator that a user calls fitted."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from fedps.errors import UsageError


def check_can(fitted: Any, method: str) -> None:
    """Raise UsageError, with the way out, unless this is fitted and has the method."""
    name = type(fitted).__name__
    if not isinstance(fitted, BaseEstimator):
        raise UsageError(f"{method} needs a fitted estimator, not {name}.")
    try:
        check_is_fitted(fitted)
    except (ValueError, TypeError):
        raise UsageError(
            f"this {name} is not fitted. fit returns the fitted one and leaves its argument as "
            f"it was: fitted = federation.fit(...), then federation.{method}(fitted)."
        ) from None
    if not hasattr(fitted, method):
        other = next((o for o in ("transform", "predict") if hasattr(fitted, o)), None)
        hint = f" Use federation.{other}(fitted)." if other else ""
        raise UsageError(f"{name} has no {method}.{hint}")
