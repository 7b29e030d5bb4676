"""Mistakes that everybody makes once: each error says who, which column, which rule and the way out.

The tables hold a name and a number that nobody else may see. They must not be in any error, nor in
the errors that it was raised from: an error is copied into logs, tickets and messages.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.preprocessing import StandardScaler

import fedps

NAME = "J. Smith"
NUMBER = 987654.321
SECRETS = (NAME, "Smith", "987654")


def table(**changes):
    """A client's table, with some columns replaced, or left out where None is given."""
    columns = {
        "age": [30.0, 40.0, NUMBER],
        "chol": [1.0, 2.0, 3.0],
        "city": ["oslo", "bergen", NAME],
        "income": ["low", "high", NAME],
    } | changes
    return pd.DataFrame({name: cells for name, cells in columns.items() if cells is not None})


def federation(*, target=None, policy=None, **changes):
    """Two clients; the changes are those of the second."""
    clients = {"oslo": table(), "bergen": table(**changes)}
    return fedps.Federation(clients, target=target, policy=policy)


def of_numbers(**changes):
    clients = {"oslo": table()[["age", "chol"]], "bergen": table(**changes)[["age", "chol"]]}
    return fedps.Federation(clients)


def on(columns, estimator=None):
    """A ColumnTransformer of one branch."""
    return make_column_transformer((estimator or StandardScaler(), columns))


@contextmanager
def told(kind: type[Exception], message: str) -> Iterator[None]:
    """Expect an error with exactly this text, and no secret in it or behind it."""
    with pytest.raises(kind) as caught:
        yield
    assert type(caught.value) is kind
    for error in everything_behind(caught.value):
        shown = f"{error} {error!r} {error.args} {getattr(error, '__notes__', '')}"
        assert not any(secret in shown for secret in SECRETS), type(error)
    assert without_round(caught.value) == message


def without_round(error: BaseException) -> str:
    """The text of an error; those that a client is the cause of end with the round."""
    number = getattr(error, "round", None)
    return str(error) if number is None else str(error).removesuffix(f" [round {number}]")


def everything_behind(error: BaseException | None) -> list[BaseException]:
    """The error, its causes and its contexts, suppressed ones included."""
    if error is None:
        return []
    behind = [*everything_behind(error.__cause__), *everything_behind(error.__context__)]
    return [error, *behind]
