"""Told: what a server has told in one fit. Everything is told once, and read by the pipeline."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar

from fedps.client.hearing import Hearing
from fedps.client.places.asked import Refuse
from fedps.client.places.drawn_rows import SAMPLING
from fedps.client.work_limits import MOST_ELSE
from fedps.draws.folds import LISTED, number_of_folds
from fedps.learned import Described, Numbers, Place, read_numbers
from fedps.learned.encoders import TargetEncoderNumbers
from fedps.learned.imputers import IterativeImputerNumbers
from fedps.learned.models import KMeansNumbers
from fedps.protocol.messages import Among, Beside, Fitted, Given, Keep, Order, Predict
from fedps.statistics import BadCells, Schema
from fedps.statistics.base import Array

_Made = TypeVar("_Made")

# they may be told before anything was asked, and nobody knows the number of rows then: it is 0
NOTHING_ASKED = ("ColumnTransformer", "OneHotEncoder", "OrdinalEncoder")


class Told:
    """What a server has told in one fit.

    Parameters
    ----------
    places : sequence of Place
        The places of the pipeline.
    schema : Schema
        The client's table, without columns that are kept back.
    across : bool
        Whether clients hold different columns of the same rows.
    """

    def __init__(self, places: Sequence[Place], schema: Schema, *, across: bool) -> None:
        self._places = places
        self._schema = schema
        self._across = across
        self.order: tuple[str, ...] | None = None
        self.beside: Beside | None = None
        self.numbers: dict[int, Numbers] = {}
        self.trials: dict[int, Numbers] = {}
        self.given: dict[int, Array] = {}
        self._among: dict[int, Among] = {}
        self._hearings: list[Hearing] = []

    def hear(self, heard: Hearing) -> None:
        """Note what a round tells; Refuse what contradicts the table, or what was told before."""
        self._hearings.append(heard)
        self.given = {}  # arrays are for one round
        for tell in heard.round.tells:
            if isinstance(tell, Order):
                self._hear_order(tell)
            elif isinstance(tell, Given):
                self.given[tell.number] = tell.array
            elif isinstance(tell, Among):
                self._once(self._among, tell.place, tell)
            elif isinstance(tell, Fitted):
                known = self.trials if tell.trial else self.numbers
                self._once(known, tell.place, tell)
                known[tell.place] = self._read(tell)
            elif not self._across:
                raise BadCells("split")
            elif not isinstance(tell, Keep | Predict):
                self._hear_beside(tell)

    def among(self, place: int) -> Among:
        """Return where the client's rows stand among all, for the estimator at a place."""
        if place not in self._among:
            raise BadCells("journal")
        return self._among[place]

    def once(self, about: Hashable, make: Callable[[], _Made]) -> _Made:
        """Return what was made for the first client that was told the same, and has columns that look the same."""
        own = self._schema
        look = (own.container, own.names, own.width, own.dtypes)
        told = tuple(heard.message for heard in self._hearings)
        return self._hearings[-1].once((about, look, told), make)

    def _once(self, known: dict[int, Any], place: int, told: Any) -> None:
        """Note something about a place, which is told once."""
        if place >= len(self._places):
            raise Refuse("consent", "knows no such place in the pipeline")
        if place in known:
            raise Refuse("consent", "is told once what was learned at a place, and was told again")
        known[place] = told

    def _hear_order(self, order: Order) -> None:
        own = self._schema.names
        if own is None or sorted(own) != sorted(order.names) or self.order is not None:
            raise Refuse("consent", "has other columns than the server puts into an order")
        self.order = order.names

    def _hear_beside(self, beside: Beside) -> None:
        fits = beside.first + self._schema.width <= beside.columns
        if self.beside is not None or not fits:
            raise Refuse("consent", "has other columns than the server puts side by side")
        self.beside = beside

    def _read(self, tell: Fitted) -> Numbers:
        """Return what was learned at a place, in the shape that its estimator has."""
        name = self._places[tell.place].described.estimator
        if tell.trial and name != "PowerTransformer":
            raise Refuse("consent", "has no numbers to try there")
        try:
            numbers = read_numbers(name, tell.numbers, across=self._across)
        except (ValueError, TypeError):
            raise BadCells("estimator", what=name) from None
        if not self._across:
            self._check_numbers(self._places[tell.place].described, numbers)
        return numbers

    def _check_numbers(self, described: Described, numbers: Numbers) -> None:
        """Refuse fewer rows than the client has, and more numbers than the estimator can have learned."""
        name = described.estimator
        rows: Any = getattr(numbers, "rows", None)
        unknown = rows is None or (rows == 0 and name in NOTHING_ASKED)
        if name not in SAMPLING and not unknown and rows < self._schema.rows:
            text = f"has more rows than the server says {name} was fitted on"
            raise Refuse("consent", text)
        many = False
        if isinstance(numbers, KMeansNumbers):
            many = len(numbers.centres) != int(described.params["n_clusters"])
        elif isinstance(numbers, IterativeImputerNumbers):
            many = len(numbers.columns) > MOST_ELSE
        elif isinstance(numbers, TargetEncoderNumbers) and numbers.fold_means is not None:
            listed = described.params["cv"] == {"splitter": LISTED}
            most = MOST_ELSE if listed else number_of_folds(described.params, MOST_ELSE)
            many = len(numbers.fold_means) > most
        if many:
            raise Refuse("consent", f"takes as many numbers as {name} learns, and not more")
