"""How many rows of all clients may be drawn from: each side draws from all of them, at a cost that grows with them."""

from __future__ import annotations

from collections.abc import Sequence

from fedps.errors import ClientError

MOST_POOLED_ROWS = 2**24  # for any client: up to 300 MB
POOLED_PER_ROW = 64  # of the client's own, if that is more


class TooManyRows(ClientError):  # noqa: N818 - named like the other errors
    """There are more rows than can be drawn from.

    Parameters
    ----------
    rows, most : int
        How many rows there are, and how many may be.
    instead : str
        What to do about it, such as "Set subsample=None".
    """

    def __init__(self, rows: int, most: int, instead: str) -> None:
        self.rows, self.most, self.instead = rows, most, instead
        super().__init__(
            f"there are {rows} rows, and a draw is made from at most {most}. {instead}."
        )

    def of(self, client: str, own: int) -> TooManyRows:
        """Return the error as one about a client, which says that it has ``own`` of the rows."""
        text = (
            f"client {client!r} claims {own} of {self.rows} rows, and here a draw is made from at most "
            f"{self.most}. {self.instead}, or leave the client out."
        )
        self.args = (text,)
        return self.about(client)


def most_pooled(rows: int) -> int:
    """Return from how many rows a client with some rows of its own draws.

    >>> most_pooled(100), most_pooled(10**6)
    (16777216, 64000000)
    """
    return max(MOST_POOLED_ROWS, POOLED_PER_ROW * rows)


def check_pooled(heights: Sequence[int], instead: str) -> None:
    """Raise TooManyRows unless each client, given its own rows, draws from the rows of all of them."""
    rows, most = sum(heights), most_pooled(min(heights, default=0))
    if rows > most:
        raise TooManyRows(rows, most, instead)
