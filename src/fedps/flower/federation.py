"""Federation on Flower: the same federation, over the nodes of a grid."""

from __future__ import annotations

from typing import Any

from fedps.errors import UsageError
from fedps.federation.federation import Federation as AnyFederation
from fedps.federation.options import check_timeout, read_quorum
from fedps.report.progress import Show
from fedps.transports.flower import FlowerTransport


class Federation(AnyFederation):
    """The nodes of a Flower federation, for use inside a ServerApp's ``main``.

    Each node answers with ``fedps.flower.answer``. Its table, target, policy and ledger are its own
    business; so are its rows, which is why ``transform`` happens there, too. Clients are known by the
    names that they tell, and "pooled" means their rows in the order of these names.

    Parameters
    ----------
    grid : flwr Grid
        As Flower gives it to ``main``.
    clients : int
        How many nodes take part. They are waited for; when more are connected, that is an error.
    timeout : float, default=600.0
        Seconds that the nodes have to connect, and then to answer a round.
    quorum : int, optional
        The fewest clients a fit may go on with. When others are lost, it starts again on those that
        are left, and ``run.left_out`` names the others. Without it, a lost client ends the fit.
    progress : bool or function, optional
        As for ``fedps.Federation``.

    Examples
    --------
    A ServerApp that fits preprocessing before it trains::

        @app.main()
        def main(grid, context):
            federation = fedps.flower.Federation(grid, clients=3)
            fitted = federation.fit(StandardScaler())
    """

    def __init__(
        self,
        grid: Any,
        clients: int,
        *,
        timeout: float = 600.0,
        quorum: int | None = None,
        progress: Show = None,
    ) -> None:
        _check(clients, timeout, quorum)
        transport = FlowerTransport(grid, clients, timeout, quorum)
        super().__init__(transport, quorum=quorum, progress=progress)


def _check(clients: Any, timeout: Any, quorum: Any) -> None:
    """Refuse numbers that make no sense, before anyone is waited for."""
    if type(clients) is not int or clients < 1:
        raise UsageError(f"clients is the number of nodes that take part; got {clients!r}.")
    check_timeout(timeout)
    read_quorum(quorum, clients)
