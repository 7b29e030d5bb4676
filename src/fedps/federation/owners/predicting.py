"""Predictions with ``split="columns"`` where the parts stay with their owners."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from msgspec import structs

from fedps.errors import Disagreement, UsageError
from fedps.federation.owners.alignment import Alignment, Exchange, check_keys
from fedps.federation.owners.private_match import match_privately
from fedps.learned import Learned, PerClient, model_of, path_of_model
from fedps.plans import plan_to_predict
from fedps.protocol.coordinator import Coordinator
from fedps.protocol.messages import Predict, Request
from fedps.protocol.owners.kept_parts import KeptParts
from fedps.protocol.plan import Needed, Plan, View, ask, hand_over
from fedps.protocol.pooled import Pooled
from fedps.protocol.schemas.owned_columns import OwnedColumns
from fedps.statistics import RowKeys
from fedps.statistics.base import Array

SERVER, TARGET, NEW = "server", "target", "new"
MOST_DELIVERED = 2_000_000  # predictions of 8 bytes, in one message
NO_MODEL = (
    "with split='columns', predict needs what fit returned for a model, such as BayesianRidge or "
    "KNeighborsRegressor."
)


@dataclass(frozen=True)
class Delivered:
    """That predictions were delivered to the owner of the target, who wrote them to a file.

    Attributes
    ----------
    client : str
        Who has them.
    rows : int
        How many there are.
    """

    client: str
    rows: int


def read_to(to: Any) -> str:
    """Return who gets the predictions; UsageError for what is not known."""
    if to not in (SERVER, TARGET):
        raise UsageError(f"to is 'server' or 'target', who gets the predictions; got {to!r}.")
    return str(to)


class PredictThere:
    """Predicts rows of which each owner has its own columns, by the parts that the owners keep.

    Parameters
    ----------
    aligned : Alignment
        The owners.
    key : str or None
        The column by which rows are compared.
    exchange : callable
        Carries a plan to its end.
    """

    def __init__(self, aligned: Alignment, key: str | None, exchange: Exchange) -> None:
        self._aligned = aligned
        self._key = key
        self._exchange = exchange

    def predict(self, fitted: KeptParts, queries: Any, to: str) -> Array | Delivered:
        """Return the predictions, or that they were delivered."""
        which = Predict(_rows(queries), to == TARGET)
        self._check(fitted)
        if which.rows == NEW:
            which = structs.replace(which, match=self._align_new_rows())
        view = self._aligned.view()
        learned = fitted._learned  # noqa: SLF001 - what only servers need
        plan = _predicted(learned, view.queries(path_of_model(learned), which), which)
        request = fitted._request  # noqa: SLF001
        coordinator = self._aligned.coordinator(plan, view, request, {})
        self._exchange(coordinator)
        found: Array = coordinator.outcome
        if not which.to_target:
            return found
        at = view.pooled.target_at
        assert at is not None
        return Delivered(self._aligned.clients[at], len(found))

    def _check(self, fitted: KeptParts) -> None:
        if set(fitted) != set(self._aligned.clients):
            raise UsageError(
                f"the parts of {fitted.fit!r} are kept by {', '.join(map(repr, fitted))}; this federation is "
                f"of {', '.join(map(repr, self._aligned.clients))}. Predict with the clients that fitted it."
            )

    def _align_new_rows(self) -> str | None:
        """Return the name of the match of new rows, where rows are matched.

        Otherwise, Disagreement unless all owners of columns have the same new rows in the same order.
        """
        owners = [name for name, both in self._aligned.schemas.items() if both[0].width]
        new = Predict("new")
        try:
            if self._aligned.match is not None:
                return match_privately(owners, self._exchange, new)[0]
            plan = ask(RowKeys(), View(needs=Needed(predict=new)))
            request = Request(None, across=True)
            known = Coordinator(plan, owners, Pooled(), request=request, columns=OwnedColumns())
            self._exchange(known)
            check_keys(dict(zip(known.clients, known.outcome, strict=True)), self._key)
        except Disagreement as error:
            error.args = (f"of the rows to predict: {error}",)
            raise
        return None


def _rows(queries: Any) -> Any:
    if queries is None:
        return "own"
    if isinstance(queries, str) and queries == NEW:
        return NEW
    raise UsageError(
        "over an engine the rows to predict are with their owners: give 'new' for those that the clients' "
        'settings name (new = "file"), or nothing for the clients\' own rows.'
    )


def _predicted(learned: Learned, view: View, which: Predict) -> Plan[Array]:
    plan = plan_to_predict(model_of(learned), view)
    if plan is None:
        raise UsageError(NO_MODEL)
    found: Array = yield from plan
    if which.to_target:
        if len(found) > MOST_DELIVERED:
            raise UsageError(
                f"{len(found):,} predictions do not fit in the one message in which the owner of the target "
                f"gets them: it has room for {MOST_DELIVERED:,}. Predict fewer rows at a time."
            )
        nothing = np.empty(0)
        at, clients = view.pooled.target_at, range(view.pooled.clients)
        each = tuple(np.ascontiguousarray(found) if i == at else nothing for i in clients)
        yield from hand_over(PerClient(each), view)
    return found
