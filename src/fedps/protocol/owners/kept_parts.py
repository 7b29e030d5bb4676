"""KeptParts: what a server has of a fit whose parts stay with their owners: enough to predict, and receipts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from msgspec import Struct

from fedps.errors import UsageError
from fedps.learned import (
    PIPELINE,
    Described,
    Function,
    Kept,
    Learned,
    Nothing,
    Parameters,
    PerClient,
    PerRow,
    model_of,
    owners,
)
from fedps.learned.owners import PartNumbers
from fedps.protocol.messages import Request
from fedps.protocol.owners.owned_parts import OwnedParts


@dataclass(frozen=True)
class Receipt:
    """That a client has fitted its part and keeps it.

    Attributes
    ----------
    client : str
        Who keeps it.
    fit : str
        The name of the fit, under which it is kept.
    columns : int
        How many columns the client has.
    """

    client: str
    fit: str
    columns: int

    def __repr__(self) -> str:
        return (
            f"{self._words} Its owner loads it there: fedps.load('LEDGER.fits/{self.fit}.skops')."
        )

    @property
    def _words(self) -> str:
        if not self.columns:
            return f"client {self.client!r} has no columns, and so no part of {self.fit!r}."
        return f"the part of client {self.client!r} in the fit {self.fit!r} stays there."

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise AttributeError(f"no {name!r} here: {self!r}")


class KeptParts(OwnedParts[str, Receipt]):
    """What ``fit`` returns over an engine with ``split="columns"``: each client's receipt, by its name.

    The parts stay with their owners. What belongs to the whole model, such as ``alpha_`` of a regression,
    is an attribute. ``federation.predict`` takes it, also after ``fedps.save`` and ``fedps.load``.

    Parameters
    ----------
    learned : Learned
        What the server learned.
    request : Request
        What was fitted, and the name under which the clients keep their parts.
    receipts : mapping of str to Receipt
        What the clients answered.
    """

    _functions: Mapping[int, str] = {}

    elsewhere = ", and that stays with its owner."

    def __init__(self, learned: Learned, request: Request, receipts: Mapping[str, Receipt]) -> None:
        super().__init__(dict(receipts), learned, request)

    @property
    def fit(self) -> str:
        """The name under which the clients keep their parts."""
        return str(self._request.fit)

    def __repr__(self) -> str:
        return f"{self.name} in parts, kept as {self.fit!r} by: {', '.join(self)}"

    def saved(self) -> SavedParts:
        """Return all that predicting needs, as plain data."""
        numbers = model_of(self._learned).numbers
        shape, kept = "", {}
        if isinstance(numbers, PartNumbers):
            shape, kept = type(numbers).__name__, dict(_plain(numbers))
        assert self._request.pipeline is not None
        if isinstance(_last(self._request.pipeline).params.get("weights"), Function):
            raise UsageError(
                f"{self.name} weighs neighbours by a function, which cannot be saved. Predict in the program "
                "that fitted it, or use weights='distance'."
            )
        columns = {client: receipt.columns for client, receipt in self.items()}
        return SavedParts(self._request, shape, Parameters(kept), columns)


class SavedParts(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """What is in a file of kept parts: no rows, and no part.

    ``shape`` names the numbers of the model in :mod:`fedps.learned.owners`, ``kept`` are those that a server
    needs, and ``columns`` says how many each client has.
    """

    request: Request
    shape: str
    kept: Parameters
    columns: dict[str, int]

    def restored(self) -> KeptParts:
        """Return what was saved; ValueError or TypeError if it does not fit together."""
        pipeline, fit = self.request.pipeline, self.request.fit
        if pipeline is None or fit is None:
            raise ValueError("has no pipeline")
        numbers: Any = Nothing()
        if self.shape:
            numbers = _numbers(getattr(owners, self.shape, None), self.kept, _last(pipeline))
        receipts = {client: Receipt(client, fit, own) for client, own in self.columns.items()}
        return KeptParts(_nested(pipeline, numbers), self.request, receipts)


def _plain(numbers: PartNumbers) -> Iterator[tuple[str, Any]]:
    """Yield the numbers that a server needs: not those of single clients, nor the estimator itself."""
    for field in numbers._fields:
        value = getattr(numbers, field.name)
        value = value.value if isinstance(value, Kept) else value
        if not isinstance(value, PerClient | PerRow) and not hasattr(value, "get_params"):
            yield field.name, value


def _numbers(shape: Any, kept: Mapping[str, Any], described: Described) -> PartNumbers:
    """Return numbers in their shape; what belongs to single clients is with them."""
    if not isinstance(shape, type) or not issubclass(shape, PartNumbers):
        raise TypeError("has numbers of an unknown shape")
    values: dict[str, Any] = {}
    for field in shape._fields:
        if field.name not in kept:  # the parameters of the estimator are the pipeline's
            settings = Kept(SimpleNamespace(**described.params))
            values[field.name] = settings if field.is_kept else PerClient(())
        else:
            value = kept[field.name]
            values[field.name] = Kept(value) if field.is_kept and value is not None else value
    return shape(**values)


def _last(pipeline: Described) -> Described:
    """Return the last step of a pipeline, or the estimator itself."""
    return _last(pipeline.inner[-1]) if pipeline.estimator == PIPELINE else pipeline


def _nested(pipeline: Described, numbers: Any) -> Learned:
    """Return the numbers of a model where it stands in its pipeline."""
    nothing = Parameters()
    if pipeline.estimator != PIPELINE:
        return Learned(pipeline.estimator, nothing, numbers)
    *before, last = pipeline.inner
    steps = [Learned(step.estimator, nothing, Nothing()) for step in before]
    return Learned(PIPELINE, nothing, Nothing(), (*steps, _nested(last, numbers)))
