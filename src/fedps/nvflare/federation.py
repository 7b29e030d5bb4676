"""Federation on NVFLARE: the same federation, over the sites of a job."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from fedps.engines.federation import EngineFederation
from fedps.federation.faults.claimed_rows import MAX_ROWS
from fedps.report.progress import Show
from fedps.transports.nvflare import NVFlareTransport


class Federation(EngineFederation):
    """The sites of an NVFLARE job, for use inside its ``@collab.main``.

    Each site answers with ``fedps.nvflare.answer``. Its table, target, policy and ledger are its own
    settings, and its rows stay there, so ``transform`` happens there, too. Clients have the names of
    their sites, and "pooled" means their rows in the order of these names.

    Parameters
    ----------
    clients : int or sequence of str
        How many sites take part, or their names. NVFLARE decides who is in a job when the job begins:
        its ``min_clients`` is only the fewest to begin with, so this is checked here.
    timeout : float, default=600.0
        Seconds that a site has to answer a round.
    quorum : int, optional
        The fewest sites that a fit may go on with. If others are lost, it starts again without them,
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
    A job that fits preprocessing before it trains::

        class Server:
            @collab.main
            def run(self):
                federation = fedps.nvflare.Federation(clients=3)
                fitted = federation.fit(StandardScaler())
    """

    def __init__(  # noqa: PLR0913 - each by its name
        self,
        clients: int | Sequence[str],
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
        super().__init__(
            NVFlareTransport, "sites", clients, timeout, quorum, progress, max_rows, **how
        )
