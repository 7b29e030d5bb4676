"""A pipeline tried on one table, behind a policy: what leaves, which rules bite, what of a budget it uses."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from msgspec import structs

from fedps.cli.policy.watching_ledger import NotedAnswer, WatchingLedger
from fedps.client import Policy, Responder
from fedps.client.ledger import Account, Spent
from fedps.client.tables import Table
from fedps.errors import ClientError, UsageError
from fedps.federation import Federation
from fedps.report.asks import AskRow
from fedps.report.limitations import Limitation
from fedps.transports import LocalTransport


@dataclass(frozen=True)
class Tried:
    """What a trial fit came to.

    Attributes
    ----------
    answers : sequence of NotedAnswer
        What was sent or withheld.
    limitations : sequence of Limitation
        Where less was shown than was asked.
    used : dict of str to Spent
        What it was charged by column, without what the ledger has already.
    asks : sequence of AskRow
        What was asked, round by round.
    stopped : ClientError or None
        Why the fit ended before it was complete.
    """

    answers: Sequence[NotedAnswer]
    limitations: Sequence[Limitation]
    used: dict[str, Spent]
    asks: Sequence[AskRow] = ()
    stopped: ClientError | None = None


def try_pipeline(
    estimator: Any, table: Table, policy: Policy, name: str, before: Account | None = None
) -> Tried:
    """Fit an estimator on one table in this process, as a client with this policy answers.

    Parameters
    ----------
    estimator : estimator
        What is fitted.
    table : Table
        The client's table.
    policy : Policy
        What may leave. ``min_clients`` and ``max_fits`` are ignored: a trial has one client.
    name : str
        What errors call the client.
    before : Account, optional
        What the client's ledger adds up to. Default: nothing.
    """
    ledger = WatchingLedger(before)
    tried_under = structs.replace(policy, min_clients=0, max_fits=None)
    responder = Responder(name, table, tried_under, ledger=ledger)
    federation = Federation(LocalTransport({name: responder}), progress=False)
    stopped: ClientError | None = None
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            federation.fit(estimator)
        except ClientError as error:
            stopped = error
        except UsageError:
            raise
        except ValueError as error:  # from scikit-learn; its text can quote cells
            kind = type(error).__name__
            raise UsageError(f"the pipeline cannot be fitted on this table: {kind}.") from error
    run = federation.run
    return Tried(ledger.answers, run.limitations, ledger.used(), run.asks, stopped)
