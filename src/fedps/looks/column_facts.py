"""What is known of one column: at all clients together, and at each of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["numbers", "categories", "dates"]


@dataclass(frozen=True)
class Histogram:
    """How many cells lie between each two neighbouring edges; the last bar has both of its ends.

    ``off`` is by how many cells a bar may be wrong at most: 0 where all values are known. Where they are
    not, bars are read off bins with equal shares of the cells, so that a picture costs nothing more.
    """

    edges: tuple[float, ...]
    counts: tuple[float, ...]
    off: int = 0


@dataclass(frozen=True)
class Category:
    """A value and how many cells have it; at ``least`` so many where clients kept rare values back."""

    value: Any
    count: int


@dataclass(frozen=True)
class SiteFacts:
    """One column at one client.

    ``kept_back`` says why a client's own numbers are not there; they are None then, and it is "" otherwise.
    ``quantiles`` are None where they are not known exactly. ``counts`` are those of the bars of the column's
    histogram, or of its categories. ``difference`` is how far the client is from all others together: the
    standardised mean difference of numbers and dates, the total variation (0 to 1) of categories.
    """

    client: str
    rows: int
    count: int | None = None
    missing: int | None = None
    mean: float | None = None
    std: float | None = None
    minimum: float | None = None
    maximum: float | None = None
    quantiles: tuple[float | None, ...] = ()
    counts: tuple[float | None, ...] = ()
    difference: float | None = None
    kept_back: str = ""


@dataclass(frozen=True)
class ColumnFacts:
    """One column of all clients together.

    What a kind of column does not have is None; what a client's policy kept back is None as well, and
    ``marks`` then says why: it has the text to show instead, such as "< 5", by the name of the field.
    ``dtype`` is that of the first client. Dates are numbers of seconds since 1970, ``zone`` is their time
    zone. ``unique`` is None where not all values are known. ``top`` and ``freq`` are the most frequent
    category, the first in sorted order of several, and its number of cells. ``categories`` are the most frequent ones and ``others`` the
    number of cells that have another value. ``notes`` are sentences about what clients kept back.
    """

    name: Any
    kind: Kind
    dtype: str
    count: int
    missing: int
    unique: int | None = None
    mean: float | None = None
    std: float | None = None
    minimum: float | None = None
    quantiles: tuple[float | None, ...] = ()
    maximum: float | None = None
    skewness: float | None = None
    top: Any = None
    freq: int | None = None
    categories: tuple[Category, ...] = ()
    others: int = 0
    histogram: Histogram | None = None
    zone: str | None = None
    sites: tuple[SiteFacts, ...] = ()
    marks: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
