"""row_by_row: how a user says that a function works on each row alone."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import numpy as np

from fedps.errors import UsageError

_F = TypeVar("_F", bound=Callable[..., Any])
MARK = "row_by_row"


def row_by_row(function: _F) -> _F:
    """Declare that a function works row by row, for a ``FunctionTransformer`` across clients.

    Each row of the output then depends on the same row of the input alone, whatever other rows there are,
    and in whatever order. FedPS finds that out by trying, and needs this word only where it cannot: for
    functions that fail on made-up cells.

    Parameters
    ----------
    function : callable
        The function. It gets an attribute ``row_by_row = True``, and is otherwise as it was.

    Returns
    -------
    callable
        The same function, so that this is a decorator as well.

    Examples
    --------
    >>> import fedps
    >>> @fedps.row_by_row
    ... def year_of(codes):
    ...     return codes.map(lambda code: int(code.split("/")[1]))
    >>> year_of.row_by_row
    True
    """
    if not callable(function):
        raise UsageError(f"row_by_row takes a function, not {type(function).__name__}.")
    try:
        setattr(function, MARK, True)
    except (AttributeError, TypeError):
        raise UsageError(
            f"row_by_row: {name_of(function)} cannot be marked, as it is not written in Python. Call it in a "
            "function of your own, and mark that."
        ) from None
    return function


def says_row_by_row(function: Any) -> bool:
    """Whether a user says that a function works row by row."""
    return getattr(function, MARK, False) is True


def works_by_cell(function: Any, arguments: Any = None) -> bool:
    """Whether a function works row by row by what it is: none at all, or one of NumPy's for each cell."""
    return function is None or (isinstance(function, np.ufunc) and not arguments)


def name_of(function: Any) -> str:
    """Return what to call a function in an error.

    >>> name_of(partial(np.clip, min=0))
    'clip'
    """
    while isinstance(function, partial):
        function = function.func
    return str(getattr(function, "__name__", type(function).__name__))
