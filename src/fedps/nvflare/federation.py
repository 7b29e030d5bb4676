"""Federation on NVFLARE: the same federation, over the sites of a job."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fedps.errors import UsageError
from fedps.federation.federation import Federation as AnyFederation
from fedps.federation.options import check_timeout, read_quorum
from fedps.report.progress import Show
from fedps.transports.nvflare import NVFlareTransport


class Federation(AnyFederation):
    """The sites of an NVFLARE job, for use inside its ``@collab.main``.

    Each site answers with ``fedps.nvflare.answer``. Its table, target, policy and ledger are its own
    business; so are its rows, which is why ``transform`` happens there, too. Clients have the names of
    their sites, and "pooled" means their rows in the order of these names.

    Parameters
    ----------
    clients : int or sequence of str
        How many sites take part, or their names. NVFLARE decides who is in a job when the job begins:
        its ``min_clients`` is only the fewest to begin with, so this is checked here.
    timeout : float, default=600.0
        Seconds that a site has to answer a round.
    quorum : int, optional
        The fewest clients a fit may go on with. When others are lost, it starts again on those that
        are left, and ``run.left_out`` names the others. Without it, a lost client ends the fit.
    progress : bool or function, optional
        As for ``fedps.Federation``.

    Examples
    --------
    A job that fits preprocessing before it trains::

        class Server:
            @collab.main
            def run(self):
                federation = fedps.nvflare.Federation(clients=3)
                fitted = federation.fit(StandardScaler())
    """

    def __init__(
        self,
        clients: int | Sequence[str],
        *,
        timeout: float = 600.0,
        quorum: int | None = None,
        progress: Show = None,
    ) -> None:
        check_job(clients, timeout, quorum)
        transport = NVFlareTransport(clients, timeout, quorum)
        super().__init__(transport, quorum=quorum, progress=progress)


def check_job(clients: Any, timeout: Any, quorum: Any) -> None:
    """Refuse a cohort, a timeout or a quorum that makes no sense, before anyone is asked."""
    if isinstance(clients, Sequence) and not isinstance(clients, str):
        for name in clients:
            if not isinstance(name, str) or not name:
                raise UsageError(f"clients are the names of sites, as text; got {name!r}.")
            if clients.count(name) > 1:
                raise UsageError(f"the site {name!r} is there twice.")
        count = len(clients)
    else:
        count = clients
    if type(count) is not int or count < 1:
        raise UsageError(
            f"clients is the number of sites that take part, or their names; got {clients!r}."
        )
    check_timeout(timeout)
    read_quorum(quorum, count)
