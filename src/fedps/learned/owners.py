"""What is learned with ``split="columns"``, for the clients that own the columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fedps.learned.numbers import Numbers
from fedps.learned.per_client import Array, Kept, PerClient, PerRow


class OwnColumnsNumbers(Numbers):
    """Which columns a client has, for parameters with an item for each column of all clients.

    ``own`` are their positions among all columns, ``listed`` the names of those parameters.
    """

    own: Array | PerClient[Array]
    listed: list[str]


class RoutedColumnsNumbers(Numbers):
    """Which of a client's columns each branch of a ColumnTransformer takes, by position."""

    columns: list[Array] | PerClient[list[Array]]


class PartNumbers(Numbers):
    """What a stand-in for an estimator is told; see :mod:`fedps.assembly.owners`."""

    @property
    def known_to_all(self) -> Mapping[str, Any]:
        """Fitted attributes of the whole model, which belong to no single client."""
        return {}


class NormalizerPartNumbers(PartNumbers):
    """The norm of each row over the columns of all clients."""

    norms: Array | PerRow


class KNNImputerPartNumbers(PartNumbers):
    """Where a client's missing cells are, and which rows fill each with what weight."""

    rows: Array | PerClient[Array]  # (cells,)
    columns: Array | PerClient[Array]  # (cells,)
    donors: Array | PerClient[Array]  # (cells, k), the nearest first; -1 is none
    donor_weights: Array | PerClient[Array]  # (cells, k); NaN where no donor has a distance


class IterativeImputerPartNumbers(PartNumbers):
    """What a client's missing cells become, column by column; none where no sweep was done."""

    imputed: Array | PerClient[Array]
    n_iter: int

    @property
    def known_to_all(self) -> Mapping[str, Any]:
        """The number of sweeps."""
        return {"n_iter_": self.n_iter}


class BayesianRidgePartNumbers(PartNumbers):
    """A client's coefficients, rotated or not, and what belongs to the whole model.

    ``sizes`` is the norm of a client's part of the predictions, by which it sees that its rows are
    those that the coefficients were learned from. ``middle`` is the intercept for columns less their
    means: what all parts of a prediction are added to; ``reach`` is the norm of the target less it.
    """

    coef: Array | PerClient[Array]
    sizes: Array | PerClient[Array]
    is_rotated: bool
    intercept: float
    alpha: float
    lambda_: float
    n_iter: int
    scores: Array
    middle: Kept[float] | None = None
    reach: Kept[float] | None = None
    attributes: Kept[dict[str, Any]] | None = None

    @property
    def known_to_all(self) -> Mapping[str, Any]:
        """Intercept, precisions, steps and scores."""
        return {} if self.attributes is None else self.attributes.value


class KNeighborsRegressorPartNumbers(PartNumbers):
    """How to measure distances in a client's columns.

    ``settings`` is the estimator with the user's parameters, ``rows`` how many rows it was fitted on
    and ``owner`` the number of the client that has the target: the server needs them to predict.
    """

    metric: str
    p: float
    column_weights: Array | PerClient[Array]
    settings: Kept[Any] | None = None
    rows: Kept[int] | None = None
    owner: Kept[int] | None = None
