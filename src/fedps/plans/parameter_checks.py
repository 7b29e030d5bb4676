"""validate: scikit-learn's own checks of parameters, before anything is asked."""

from __future__ import annotations

from typing import Any

import sklearn
from sklearn.base import clone
from sklearn.preprocessing import MinMaxScaler, OrdinalEncoder

from fedps.errors import UsageError


def validate(estimator: Any) -> None:
    """Raise what scikit-learn's fit raises for parameters that are wrong on any rows."""
    # of the class: what is frozen passes the question on to what is inside
    if hasattr(type(estimator), "_parameter_constraints"):  # LabelEncoder has no parameters
        try:
            estimator._validate_params()  # noqa: SLF001 - what its own fit begins with
        except ValueError as error:
            if not sklearn.get_config()["skip_parameter_validation"]:
                raise
            raise UsageError(
                f"{error} Clients check the parameters that they are sent, so that "
                "skip_parameter_validation changes nothing."
            ) from None
    # parameters that do not go together are found by their fits only
    if isinstance(estimator, MinMaxScaler):
        clone(estimator).fit([[0.0]])
    if isinstance(estimator, OrdinalEncoder):
        clone(estimator).set_params(categories="auto").fit([[0.0]])
