"""Federation on Flower: the same federation, over the nodes of a grid."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

from fedps.engines.federation import EngineFederation
from fedps.federation.faults.claimed_rows import MAX_ROWS
from fedps.report.progress import Show
from fedps.transports.flower import FlowerTransport


class Federation(EngineFederation):
    """The nodes of a Flower federation, for use inside a ServerApp's ``main``.

    Each node answers with ``fedps.flower.answer``. Its table, target, policy and ledger are its own
    settings, and its rows stay there, so ``transform`` happens there, too. Clients are known by the
    names that they tell, and "pooled" means their rows in the order of these names.

    Parameters
    ----------
    grid : flwr Grid
        As Flower passes it to ``main``.
    clients : int
        How many nodes take part. They are waited for; it is an error if more are connected.
    timeout : float, default=600.0
        Seconds that the nodes have to connect, and then to answer a round.
    quorum : int, optional
        The fewest nodes that a fit may go on with. If others are lost, it starts again without them,
        and ``run.left_out`` names them. Default: all are needed.
    max_rows : int, default=2**31
        As for ``fedps.Federation``: the most rows that a client may claim to have.
    progress : bool or callable, optional
        As for ``fedps.Federation``.
    split : {"rows", "columns"}, default="rows"
        Whether clients hold rows of the same columns, or columns of the same rows. Their settings say the
        same. With columns, the parts that are fitted stay with the clients.
    key, target : str, optional
        With ``split="columns"``, what the key and the label column are called here. Each client names its
        own, and exactly one has the target.
    match : {"same", "private"}, default="same"
        As for ``fedps.Federation``: whether clients must have the same rows in the same order, or rows are
        matched by keys that nobody shows.

    Examples
    --------
    A ServerApp that fits preprocessing before it trains::

        @app.main()
        def main(grid, context):
            federation = fedps.flower.Federation(grid, clients=3)
            fitted = federation.fit(StandardScaler())
    """

    def __init__(  # noqa: PLR0913 - each by its name
        self,
        grid: Any,
        clients: int,
        *,
        timeout: float = 600.0,
        quorum: int | None = None,
        max_rows: int = MAX_ROWS,
        progress: Show = None,
        split: Literal["rows", "columns"] = "rows",
        key: str | None = None,
        target: str | None = None,
        match: Literal["same", "private"] = "same",
    ) -> None:
        how = {"split": split, "key": key, "target": target, "match": match}
        connect = partial(FlowerTransport, grid)
        super().__init__(connect, "nodes", clients, timeout, quorum, progress, max_rows, **how)
