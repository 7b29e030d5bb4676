"""Short rounds that would make a client compute very much: of questions, and of pipelines."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from msgspec import Raw
from sklearn.cluster import KMeans
from sklearn.experimental import enable_iterative_imputer  # noqa: F401 (brings the class in)
from sklearn.impute import IterativeImputer, KNNImputer
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsRegressor
from sklearn.preprocessing import (
    KBinsDiscretizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    SplineTransformer,
    TargetEncoder,
)

from fedps.client import Policy, Responder
from fedps.client.tables.owned_table import open_owned
from fedps.learned.encoders import CategoryEncoderNumbers, TargetEncoderNumbers
from fedps.learned.imputers import IterativeImputerNumbers
from fedps.learned.models import KMeansNumbers
from fedps.learned.quantiles import (
    KBinsDiscretizerNumbers,
    QuantileTransformerNumbers,
    SplineTransformerNumbers,
)
from fedps.protocol.codec import encode, encode_part
from fedps.protocol.messages import Ask
from fedps.questions import FOLDS, INPUT, QUERIES, SAMPLE
from fedps.statistics import (
    KLL,
    REQ,
    ByKnown,
    Clusters,
    CoarseDistances,
    Completed,
    Donors,
    Extremes,
    Farthest,
    FarthestRows,
    FrequentItems,
    Known,
    Missing,
    Neighbours,
    PairDistances,
    Partial,
    PickedRows,
    PowerSums,
    RowClusters,
    RowDistances,
    Spread,
    Within,
)
from fedps.statistics.products.imputation import Imputation
from fedps.statistics.ragged import Ragged
from fedps.statistics.sums.power_curves import Curve, PowerForm
from fedps.statistics.sums.power_sum_parts import Trial
from tests.scripts.asking import by_columns, conversation, described, in_order, request_of

ROWS = 20
CELLS = np.arange(2.0 * ROWS).reshape(ROWS, 2)
GAPPY = np.where(np.eye(ROWS, 2) > 0, np.nan, CELLS)
TARGET = np.arange(ROWS) + 0.5
GAPS = described("MissingIndicator", missing_values=np.nan)

Flood = tuple[Responder, bytes]


def as_data(estimator: Any) -> Any:
    return request_of(estimator).pipeline


def asks(
    estimator: Any,
    statistic: Any,
    of: Any = INPUT,
    *,
    among: Any = None,
    given: Any = None,
    **more: Any,
) -> Flood:
    """Return a client, and a round that asks it about an estimator."""
    columns = more.pop("columns", None)
    more = {"outputs": of == FOLDS, **more}  # there are folds where the output is used
    talk = conversation(estimator, more.pop("table", (CELLS, TARGET)), **more)
    if among is not None:
        talk.among((), 0, among)
    if given is not None:
        talk.give(given)
    asked = talk.question(statistic, (), of, columns, None if given is None else 1)
    return talk.responder, encode(talk.round(asked))


def behind(*steps: Any, told: Any = None) -> Flood:
    """Return a client, and a round that asks it about what comes out of some steps."""
    talk = conversation(in_order("Pipeline", *steps, GAPS), (CELLS, TARGET))
    for place in talk.declared.places:
        if told is not None and place.path[:1] == (0,) and not place.described.steps:
            talk.fitted(place.path, told)
    return talk.responder, encode(talk.round(talk.question(Missing(), (len(steps),))))


def across(estimator: Any, statistic: Any, of: Any = INPUT) -> Flood:
    """Return an owner of columns, and a round that asks it."""
    frame = pd.DataFrame(CELLS, columns=["a", "b"]).assign(y=TARGET)
    owner = Responder("oslo", open_owned(frame, target="y", key=None), Policy.open())
    talk = conversation(estimator, owner, across=True, fit="fit")
    return talk.responder, encode(talk.round(talk.question(statistic, (), of)))


def many_asks(number: int, *, different: bool) -> Flood:
    """Return a round with very many asks, of the same centres or of others."""
    means = KMeans(1, init=[[0.0, 0.0]], max_iter=10**5)
    talk = conversation(means, (CELLS, TARGET))
    first = talk.question(RowClusters(np.zeros((1, 2)), np.zeros(2)))

    def ask(i: int) -> Ask:
        free = (np.full((1, 2), float(i)), np.zeros(2))
        return Ask(first.place, first.question, Raw(encode_part(free)))

    every = [ask(i) if different else first for i in range(number)]
    return talk.responder, encode(talk.round(*every))


def many_places(kind: str, number: int, *, asked: bool) -> Flood:
    """Return a pipeline of very many steps."""
    talk = conversation(in_order(kind, *[GAPS] * number), (CELLS, TARGET))
    every = [talk.question(Missing(), (i,)) for i in range(number)] if asked else []
    return talk.responder, encode(talk.round(*every))


def nested(kind: str, depth: int, step: Any = GAPS) -> Flood:
    """Return a pipeline inside of pipelines."""
    for _ in range(depth):
        step = in_order(kind, step)
    talk = conversation(step, (CELLS, TARGET))
    return talk.responder, encode(talk.round(talk.question(Missing(), (0,) * depth)))


def often(number: int, times: int = 1) -> Flood:
    """Return a ColumnTransformer that takes a column over and over, and one of what it makes."""
    step = GAPS
    for _ in range(times):
        step = by_columns((step, [0] * number))
    talk = conversation(step, (CELLS, TARGET))
    return talk.responder, encode(talk.round(talk.question(Missing(), (0,) * times)))


def many_branches(number: int) -> Flood:
    """Return a ColumnTransformer of very many branches, each a choice of very many columns."""
    talk = conversation(by_columns(*[(GAPS, [0] * 1000)] * number), (CELLS, TARGET))
    every = [talk.question(Missing(), (i,)) for i in range(number)]
    return talk.responder, encode(talk.round(*every))


def imputed(steps: int) -> Flood:
    """Return very many regressions, one after the other, that end in the question."""
    none = np.empty(0)
    zeros = np.zeros(2)
    columns, weights = np.zeros(steps, dtype=np.int64), np.zeros((steps, 2))
    told = Imputation(np.nan, zeros, zeros, columns, weights, np.zeros(steps), none, none)
    estimator = IterativeImputer(max_iter=10**5)
    return asks(estimator, Completed(told, (-1,)), table=GAPPY)


def regressions(steps: int) -> IterativeImputerNumbers:
    return IterativeImputerNumbers(
        statistics=np.zeros(2),
        missing=np.array([1, 1]),
        rows=ROWS,
        columns=np.zeros(steps, dtype=np.int64),
        coef=np.zeros((steps, 1)),
        intercept=np.zeros(steps),
        n_iter=steps,
    )


def many_folds(number: int) -> Flood:
    """Return numbers for very many folds of a few rows."""
    told = TargetEncoderNumbers(
        fold_encodings=[np.zeros((number, 1))] * 2,
        fold_means=np.zeros(number),
        categories=[np.array([0.0])] * 2,
        encodings=[np.array([0.0])] * 2,
        mean=0.0,
        classes=None,
        target=["numpy float64"],
    )
    encoder = as_data(HALVES)
    talk = conversation(in_order("Pipeline", encoder, GAPS), (CELLS, TARGET))
    talk.among((0,), 0, ROWS).fitted((0,), told)
    return talk.responder, encode(talk.round(talk.question(Missing(), (1,))))


def spline(knots: int, degree: int) -> Any:
    return as_data(SplineTransformer(knots, degree=degree, knots="uniform"))


def bins(number: int, encode: str) -> Any:
    return as_data(KBinsDiscretizer(number, encode=encode, strategy="uniform", subsample=None))


def polynomial(degree: int) -> Any:
    return as_data(PolynomialFeatures(degree))


def folds(number: int, kind: str) -> ByKnown:
    return ByKnown(NO_CATEGORIES, kind, folds=number)


NO_CATEGORIES = ((), ())
CURVE = Curve(PowerForm.MIXED, 0.0, 1.0)
NONE, NOWHERE = np.zeros((0, 2)), np.zeros(2)
LOWER, UPPER = CELLS[0], CELLS[-1]
ENDS = SplineTransformerNumbers(lower=LOWER, upper=UPPER)
EDGES = KBinsDiscretizerNumbers(lower=LOWER, upper=UPPER)
HALVES = TargetEncoder(target_type="continuous", cv=KFold(2))
QUANTILES = {"subsample": 1000, "random_state": 0}
METRIC = ("euclidean", 2.0, np.empty(0))


def kmeans(clusters: int, **more: Any) -> KMeans:
    return KMeans(clusters, init="random", n_init=1, **more)


def neighbours(number: int) -> Flood:
    return asks(KNeighborsRegressor(1), Neighbours(np.zeros((number, 2)), 1, *METRIC))


def rows_of(number: int) -> np.ndarray:
    return np.zeros(number, dtype=np.int64)


# Numbers that a question leaves free.
QUESTIONS = {
    "intervals": lambda: asks(RobustScaler(), Within((np.zeros((2, 10**6)),) * 2)),
    "intervals within bounds": lambda: asks(
        QuantileTransformer(n_quantiles=10**5), Within((np.zeros((2, 2 * 10**5)),) * 2)
    ),
    "centres": lambda: asks(
        KBinsDiscretizer(10**7, strategy="kmeans"),
        Clusters(Ragged([np.zeros(3 * 10**6)]), np.zeros(1)),
        columns=(0,),
    ),
    "centres within bounds": lambda: asks(
        KBinsDiscretizer(10**5, strategy="kmeans"),
        Clusters(Ragged([np.zeros(10**5)]), np.zeros(1)),
        columns=(0,),
    ),
    "farthest within bounds": lambda: asks(
        KBinsDiscretizer(10**5, strategy="kmeans"), Farthest(np.zeros(10**5), 0.0, 10**5)
    ),
    "row centres within bounds": lambda: asks(
        kmeans(10**5), RowClusters(np.zeros((10**5, 2)), NOWHERE)
    ),
    "picked rows within bounds": lambda: asks(
        kmeans(10**5), PickedRows(NONE, NOWHERE, 10**5), given=np.zeros((10**5, 2))
    ),
    "donors within bounds": lambda: asks(
        KNNImputer(n_neighbors=10**5), Donors(np.full((10**5, 2), np.nan), 10**5)
    ),
    "steps within bounds": lambda: imputed(2 * 10**5),
    "equal asks within bounds": lambda: many_asks(16_000, different=False),
    "different asks within bounds": lambda: many_asks(16_000, different=True),
    "farthest": lambda: asks(
        KBinsDiscretizer(2**31, strategy="kmeans"), Farthest(np.zeros(10**5), 0.0, 2**31 - 1)
    ),
    "row centres": lambda: asks(kmeans(10**6), RowClusters(np.zeros((10**6, 2)), NOWHERE)),
    "farthest rows": lambda: asks(
        kmeans(10**5), FarthestRows(np.zeros((10**5, 2)), NOWHERE, 10**5)
    ),
    "picked rows": lambda: asks(
        kmeans(2**31 - 1), PickedRows(NONE, NOWHERE, 2**31 - 1), given=np.zeros(3)
    ),
    "donors": lambda: asks(
        KNNImputer(n_neighbors=2**20), Donors(np.full((10**5, 2), np.nan), 2**20)
    ),
    "many donors": lambda: asks(KNNImputer(), Donors(np.full((2**18, 2), np.nan), 1)),
    "neighbours": lambda: neighbours(10**6),
    "row distances": lambda: across(KNNImputer(), RowDistances(rows_of(10**6))),
    "coarse distances": lambda: across(KNNImputer(), CoarseDistances(rows_of(10**6))),
    "pairs": lambda: across(KNNImputer(), PairDistances(*[rows_of(3 * 10**6)] * 2)),
    "rows to predict": lambda: across(KNeighborsRegressor(), Partial(0, 2**40, 2**40), QUERIES),
    "exponents": lambda: asks(PowerTransformer(), PowerSums((Trial(CURVE, (1e300,) * 64),) * 2)),
    "categories": lambda: asks(
        OneHotEncoder(min_frequency=2, handle_unknown="infrequent_if_exist"),
        Known((tuple(range(10**6)),) * 2),
    ),
    "steps": lambda: imputed(2**20),
    "sums in folds": lambda: asks(HALVES, folds(2**31, "numbers"), FOLDS, among=ROWS),
    "counts in folds": lambda: asks(
        TargetEncoder(target_type="binary"), folds(2**31, "labels"), FOLDS, among=ROWS
    ),
    "equal asks": lambda: many_asks(40_000, different=False),
    "different asks": lambda: many_asks(20_000, different=True),
}

# What a pipeline says, and where a client is told to stand.
PIPELINES = {
    "rows of a sample": lambda: asks(
        QuantileTransformer(**QUANTILES), Spread(targets=1000), SAMPLE, among=2**26
    ),
    "rows of a sample of bins": lambda: asks(
        KBinsDiscretizer(strategy="uniform", **QUANTILES), Extremes(gaps=False), SAMPLE, among=2**26
    ),
    "a sample of very many": lambda: asks(
        QuantileTransformer(subsample=2**25, random_state=0),
        Spread(targets=1000),
        SAMPLE,
        among=2**26,
    ),
    "rows in folds": lambda: asks(HALVES, folds(2, "numbers"), FOLDS, among=2**26),
    "very many folds": lambda: asks(
        TargetEncoder(target_type="continuous", cv=KFold(10**6)),
        folds(2, "numbers"),
        FOLDS,
        among=2**22,
    ),
    "numbers for very many folds": lambda: many_folds(10**6),
    "as many rows of a sample as may be": lambda: asks(
        QuantileTransformer(**QUANTILES), Spread(targets=1000), SAMPLE, among=2**24
    ),
    "a sample of as many as may be": lambda: asks(
        QuantileTransformer(subsample=2**23, random_state=0),
        Spread(targets=1000),
        SAMPLE,
        among=2**24,
    ),
    "as many rows in folds as may be": lambda: asks(
        HALVES, folds(2, "numbers"), FOLDS, among=2**24
    ),
    "as many folds as may be": lambda: asks(
        TargetEncoder(target_type="continuous", cv=KFold(10**5)),
        folds(2, "numbers"),
        FOLDS,
        among=2**24,
    ),
    "as many clusters as may be": lambda: behind(
        as_data(kmeans(4096)),
        told=KMeansNumbers(
            centres=np.zeros((4096, 2)), inertia=0.0, steps=1, tolerance=0.0, runs=1
        ),
    ),
    "as many regressions as may be": lambda: behind(
        as_data(IterativeImputer(max_iter=10**5)),
        told=regressions(100_000),
    ),
    "bins": lambda: asks(QuantileTransformer(n_quantiles=2**31), Spread(targets=2**31)),
    "sketches": lambda: asks(RobustScaler(), KLL(k=65535, seed=1), quantiles=KLL(k=65535, seed=1)),
    "long sketches": lambda: asks(
        RobustScaler(), REQ(k=1024, seed=1), quantiles=REQ(k=1024, seed=1)
    ),
    "frequent items": lambda: asks(
        OneHotEncoder(max_categories=2), FrequentItems(k=10**5), frequent=FrequentItems(k=10**5)
    ),
    "given categories": lambda: asks(
        OrdinalEncoder(categories=[list(range(10**6))] * 2),
        Known((tuple(range(10**6)),) * 2, strict=True),
    ),
    "neighbours to look for": lambda: asks(KNNImputer(n_neighbors=10**9), Missing(every=True)),
    "knots": lambda: behind(spline(17_000, 3), told=ENDS),
    "steep splines": lambda: behind(spline(4096, 20), told=ENDS),
    "bins in columns": lambda: behind(bins(100_000, "onehot-dense"), told=EDGES),
    "bins in sparse columns": lambda: behind(bins(100_000, "onehot"), told=EDGES),
    "quantiles": lambda: behind(
        as_data(QuantileTransformer(n_quantiles=100_000, subsample=None)),
        told=QuantileTransformerNumbers(quantiles=np.linspace(LOWER, UPPER, 100_000), rows=10**6),
    ),
    "clusters": lambda: behind(
        as_data(kmeans(100_000)),
        told=KMeansNumbers(
            centres=np.zeros((100_000, 2)), inertia=0.0, steps=1, tolerance=0.0, runs=1
        ),
    ),
    "learned categories": lambda: behind(
        as_data(OneHotEncoder(sparse_output=False)),
        told=CategoryEncoderNumbers(rows=ROWS, categories=[np.arange(100_000.0)] * 2),
    ),
    "powers": lambda: behind(polynomial(20), polynomial(4)),
    "a union": lambda: behind(in_order("FeatureUnion", *[polynomial(20)] * 900), polynomial(1)),
    "a union of knots": lambda: behind(
        in_order("FeatureUnion", *[bins(100_000, "onehot-dense")] * 50), told=EDGES
    ),
    "regressions": lambda: behind(
        as_data(IterativeImputer(max_iter=10**5)),
        told=regressions(500_000),
    ),
    "places of a pipeline": lambda: many_places("Pipeline", 1000, asked=False),
    "places of a union": lambda: many_places("FeatureUnion", 999, asked=True),
    "pipelines inside": lambda: nested("Pipeline", 100),
    "unions inside": lambda: nested("FeatureUnion", 100),
    "a column": lambda: often(10**6),
    "a column of columns": lambda: often(10**5, 4),
    "branches": lambda: many_branches(900),
}


ROUNDS = {**QUESTIONS, **PIPELINES}
