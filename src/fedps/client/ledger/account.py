"""Account: what the answers in a ledger add up to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from fedps.client.ledger.entry import Charge
from fedps.protocol.messages import Refusal


class Spent(NamedTuple):
    """How many single values of a column were shown, and how many numbers about it were told."""

    values: int = 0
    numbers: int = 0


@dataclass(frozen=True)
class Account:
    """What all answers of a ledger add up to, refused and failed ones included.

    Parameters
    ----------
    fits : int
        The number of fits that were begun.
    by_column : mapping of str to Spent
        What was charged to each column. A charge that is known is not added again.
    is_known : callable
        Tells whether a key was charged.

    Examples
    --------
    >>> from fedps.client.ledger import Charge, Ledger
    >>> ledger = Ledger()
    >>> for _ in range(2):
    ...     ledger.note(
    ...         1, "Moments", ("age",), "AGGREGATE", b"", "sent", charges=[Charge("age", 0, 2, "3f2a")]
    ...     )
    ...     ledger.commit()
    >>> account = ledger.account()
    >>> account.spent("age"), account.knows("3f2a"), account.columns()
    (Spent(values=0, numbers=2), True, ['age'])
    """

    fits: int
    by_column: Mapping[str, Spent]
    is_known: Callable[[str], bool]

    def spent(self, column: str) -> Spent:
        """Return what was charged to a column."""
        return self.by_column.get(column, Spent())

    def knows(self, key: str) -> bool:
        """Return whether a key was charged, to any column."""
        return self.is_known(key)

    def columns(self) -> list[str]:
        """Return the columns that something was charged to."""
        return list(self.by_column)


# Gets the account, the charges that are new and the number of fits that begin; refuses or does not.
CommitCheck = Callable[[Account, Sequence[Charge], int], Refusal | None]
