"""What honest plans ask of a pipeline, as a client sees it: the forms of questions, and how much is free in them.

It knows nothing of what ``fedps.questions`` declares. Which fields a search chooses, and how much and how
often, is written here by hand, from what scikit-learn's parameters mean.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from math import log
from typing import Any, NamedTuple

import numpy as np
from msgspec import Struct, structs

from fedps.learned import Function, Numbers, places_of
from fedps.protocol.codec import encode_part
from fedps.statistics.ragged import Ragged
from tests.attacks.approved import ROWS

# what a search chooses as it goes; all else of a statistic follows from the pipeline
FREE: dict[str, tuple[str, ...]] = {
    "ByKnown": ("categories", "target", "labels", "folds", "others"),
    "Changes": ("imputation", "sweep", "skipped"),
    "Clusters": ("centres", "means"),
    "Completed": ("imputation", "groups"),
    "Donors": ("queries", "k"),
    "Farthest": ("centres", "mean", "wanted"),
    "FarthestRows": ("centres", "mean", "wanted"),
    "Heaviest": ("at_least",),
    "Incomplete": ("ignored",),
    "KLL": ("seed",),
    "Known": ("categories",),
    "Neighbours": ("queries", "k"),
    "PickedRows": ("centres", "mean", "wanted"),
    "Potentials": ("centres", "candidates", "mean"),
    "PowerSums": ("trials",),
    "REQ": ("seed",),
    "RowClusters": ("centres", "mean"),
    "Within": ("intervals",),
}


# Answers about some columns are parts of the one about all; a wide table is asked about in such parts.
IN_PARTS = ("Spread", "Within")


class Form(NamedTuple):
    """What a question is, whatever its free numbers are."""

    place: int
    kind: str
    of: Any
    fixed: Any
    some: bool
    given: bool


def form_of(wanted: Any) -> Form:
    """Return the form of a question that a client computes an answer to."""
    statistic, key, given, *_ = wanted
    kind = type(statistic).__name__
    free = FREE.get(kind, ())
    fixed = {name: v for name, v in structs.asdict(statistic).items() if name not in free}
    some = key.columns is not None or kind in IN_PARTS
    return Form(key.place, kind, key.of, plain(fixed), some, given is not None)


def free_of(wanted: Any) -> bytes:
    """Return what a server chose, as bytes."""
    free = FREE.get(type(wanted.statistic).__name__, ())
    return encode_part([getattr(wanted.statistic, name) for name in free])


def plain(value: Any) -> Any:
    """Return a value as something that is equal only to its like: NaN to NaN, and 1 not to True."""
    if isinstance(value, np.ndarray):
        return ("array", value.dtype.str, value.shape, plain(value.ravel().tolist()))
    if isinstance(value, np.random.RandomState):
        return ("state", encode_part(value))
    if isinstance(value, Struct):
        return (type(value).__name__, plain(structs.asdict(value)))
    if isinstance(value, Function):
        return ("function", value.name)
    if isinstance(value, Mapping | Numbers):
        return frozenset((name, plain(item)) for name, item in value.items())
    if isinstance(value, list | tuple):
        return tuple(plain(item) for item in value)
    return (type(value).__name__, repr(value))


# How much is free ---------------------------------------------------------------------------------


def percentiles(params: Mapping[str, Any]) -> int:
    """Return how many percentiles of a column an estimator needs at most."""
    if "n_quantiles" in params:
        return int(params["n_quantiles"])
    if "n_knots" in params:
        return int(params["n_knots"])
    if "n_bins" in params:
        return int(params["n_bins"]) + 1
    return 3 if "with_scaling" in params else 1


def runs(params: Mapping[str, Any]) -> int:
    """Return how often k-means is run."""
    if "init" not in params:  # the user gives the centres
        return 1
    return int(params["n_init"])


def most_times(kind: str, params: Mapping[str, Any], width: int) -> int:
    """Return how often an honest fit asks something at most, with different free numbers."""
    if kind in ("RowClusters", "FarthestRows"):
        return runs(params) * (params["max_iter"] + 1)
    if kind in ("PickedRows", "Potentials"):
        return runs(params) * params["n_clusters"] + 1
    if kind == "Completed":  # a regression for each column and sweep
        return (params["max_iter"] + 1) * width
    if kind == "Changes":
        return int(params["max_iter"]) + 1
    # a column that waits for its farthest cells takes its steps later than others
    many = {"Clusters": 600, "Farthest": 300, "PowerSums": 32, "Incomplete": 2, "ByKnown": 2}
    # rows with gaps, or to predict, come in chunks
    return {**many, "Donors": 10_000, "Neighbours": 10_000}.get(kind, 1)


def is_few(statistic: Any, params: Mapping[str, Any], width: int) -> bool:
    """Whether the free numbers are no more than an honest search needs."""
    check = BOUNDS.get(type(statistic).__name__)
    return check is None or bool(check(statistic, params, width))


def few_intervals(asked: Any, params: Any, width: int) -> bool:
    most = 2 + 2 * percentiles(params)
    shapes = all(pairs.ndim == 2 and pairs.shape[1] <= most for pairs in asked.intervals)
    return shapes and len(asked.intervals) == width


def few_values(asked: Any, params: Any, width: int) -> bool:
    most = int(np.max(params["n_bins"]))
    if isinstance(asked.centres, Ragged):
        return len(asked.centres) <= width and all(c.size <= most for c in asked.centres)
    return asked.centres.size <= most and asked.wanted <= most


def few_rows(asked: Any, params: Any, width: int) -> bool:
    clusters = int(params["n_clusters"])
    tried = max(clusters, 2 + int(log(clusters)))
    tables = (asked.centres, getattr(asked, "candidates", asked.centres))
    fits = all(t.ndim == 2 and t.shape[1] == width for t in tables if t.size)
    wanted = getattr(asked, "wanted", 1) <= max(clusters * runs(params), tried)
    return fits and wanted and len(tables[0]) <= clusters and len(tables[1]) <= tried


def few_trials(asked: Any, params: Any, width: int) -> bool:
    return len(asked.trials) == width and all(len(t.ts) <= 11 for t in asked.trials)


def few_neighbours(asked: Any, params: Any, width: int) -> bool:
    return asked.k <= params["n_neighbors"] and asked.queries.shape[1:] in ((width,), (0,))


def few_steps(asked: Any, params: Any, width: int) -> bool:
    steps = asked.imputation
    sweeps = len(steps.columns) // getattr(asked, "sweep", width)
    groups = getattr(asked, "groups", ())
    bounds = [(steps.lower, params["min_value"]), (steps.upper, params["max_value"])]
    told = all(not len(own) or (own == np.asarray(bound)).all() for own, bound in bounds)
    nan = np.isnan([steps.missing, params["missing_values"]]).all()
    marked = nan or steps.missing == params["missing_values"]
    distinct = len(set(groups)) == len(groups)
    return marked and told and distinct and sweeps <= params["max_iter"]


def few_categories(asked: Any, params: Any, width: int) -> bool:
    given = params.get("categories", "auto")
    if not isinstance(given, str):
        own = [tuple(column) for column in given]
        rest = [column[1:] for column in own]
        if list(asked.categories) not in (own, rest):
            return False
    named = (getattr(asked, "labels", None) or (), *asked.categories)
    if hasattr(asked, "folds") and any(len(set(names)) < len(names) for names in named):
        return False
    if hasattr(asked, "folds"):
        cv = params["cv"]["n_splits"] if isinstance(params["cv"], dict) else params["cv"]
        return len(asked.categories) == width and asked.folds <= cv
    return len(asked.categories) == width


BOUNDS: dict[str, Any] = {
    "ByKnown": few_categories,
    "Changes": few_steps,
    "Clusters": few_values,
    "Completed": few_steps,
    "Donors": few_neighbours,
    "Farthest": few_values,
    "FarthestRows": few_rows,
    "Heaviest": lambda asked, params, width: asked.at_least >= 0,
    "Incomplete": lambda asked, params, width: len(asked.ignored or ()) <= width,
    "Known": few_categories,
    "Neighbours": few_neighbours,
    "PickedRows": few_rows,
    "Potentials": few_rows,
    "PowerSums": few_trials,
    "RowClusters": few_rows,
    "Within": few_intervals,
}


def tells_nothing(summary: Any) -> bool:
    """Whether an answer follows from the table's shape, or from what else is answered.

    All cells of a dense table are stored. That all numbers are finite shows in the next step's sums.
    """
    if type(summary).__name__ == "StoredSummary":
        return summary.cells % ROWS == 0
    return type(summary).__name__ == "FiniteSummary"


# A fit ---------------------------------------------------------------------------------------------


class Judge:
    """Says of the answers of one fit what an honest plan could not have asked.

    Parameters
    ----------
    request : Request
        What the fit is about.
    forms : set of Form or None
        Of all that honest plans ask of it. None: they are being collected.
    """

    def __init__(self, request: Any, forms: set[Form] | None = None) -> None:
        self.request = request
        self.params = [place.described.params for place in places_of(request.pipeline)]
        self.forms = forms
        self._times: dict[Form, set[Any]] = defaultdict(set)

    def judge(self, wanted: Any, answer: Any, width: int) -> str | None:
        """Return what is wrong with a question that a client computed an answer to; None if nothing is."""
        form = form_of(wanted)
        if answer.problem is not None or tells_nothing(answer.summary):
            return None
        if self.forms is not None and form not in self.forms:
            form = form._replace(some=True)  # all columns are some
            if form not in self.forms:
                return f"no honest plan asks {form}"
        params, statistic = self.params[form.place], wanted.statistic
        if not is_few(statistic, params, width):
            return f"{form.kind} has more than place {form.place} may choose: {statistic}"[:600]
        columns = wanted.key.columns or tuple(range(width))
        self._times[form].add((columns, free_of(wanted), wanted.given))
        most = most_times(form.kind, params, width)
        if self._most_often(form) > most:
            return f"{form.kind} was answered more than {most} times"
        return None

    def _most_often(self, form: Form) -> int:
        """Return how often one column was asked about."""
        asked = self._times[form]
        if not form.some or form.kind == "Completed":
            return len(asked)
        each = Counter(column for columns, *_ in asked for column in columns)
        return max(each.values(), default=0)
