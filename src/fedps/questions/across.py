"""What may be asked with ``split="columns"``: most estimators are fitted by each owner, and ask nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

from fedps.questions.imputers import MOST_CHUNKS
from fedps.questions.markers import knn_marker_of, number_marker_of
from fedps.questions.question import QUERIES, WHOLE_TABLE, FitSetting, Question, Questions
from fedps.statistics import (
    ChangeNorms,
    CoarseDistances,
    DonorMeans,
    GapMask,
    IncompleteColumns,
    MaskedColumns,
    MaskedPartial,
    MaskedProducts,
    MaskKeys,
    MaskSeeds,
    PairDistances,
    Partial,
    PartialKeys,
    RowDistances,
    RowFactor,
    RowNorms,
    TargetRows,
)

_NO_ROWS = np.empty(0, dtype=np.int64)


def iterative_imputer_across(imputer: Any, setting: FitSetting) -> Questions:
    """Ask for complete columns, rotated, and for those with missing cells."""
    marker = number_marker_of(imputer)
    return [
        Question(RowFactor(True, marker)),
        Question(RowFactor(False, marker)),
        Question(IncompleteColumns(marker)),
    ]


def knn_imputer_across(imputer: Any, setting: FitSetting) -> Questions:
    """Ask which cells are missing, and how far rows with such cells are from others."""
    marker = knn_marker_of(imputer)
    pairs = PairDistances(_NO_ROWS, _NO_ROWS, marker)
    return [
        Question(GapMask(marker)),
        Question(RowDistances(_NO_ROWS, marker), ("rows",)),
        Question(CoarseDistances(_NO_ROWS, marker), ("rows",), times=MOST_CHUNKS),
        Question(pairs, ("rows", "others"), times=MOST_CHUNKS),
    ]


def normalizer_across(transformer: Any, setting: FitSetting) -> Questions:
    """Ask for the norm of each row in the columns of each owner."""
    return [Question(RowNorms(transformer.norm))]


def bayesian_ridge_across(ridge: Any, setting: FitSetting) -> Questions:
    """Ask for the products of columns and the target, under masks; then for parts of predictions.

    For more columns than rows, ask for the columns, rotated, and for the target.
    """
    some = ("start", "stop")
    return [
        Question(MaskKeys()),
        Question(MaskSeeds(), given=True),
        Question(MaskedColumns(), some, times=MOST_CHUNKS),
        Question(MaskedProducts(), given=True),
        Question(RowFactor(ridge.fit_intercept), some, times=MOST_CHUNKS),
        Question(TargetRows(), some, times=MOST_CHUNKS),
        Question(ChangeNorms(ridge.fit_intercept, 0), ("wanted",), given=True),
        *_parts_of_predictions(setting),
    ]


def _parts_of_predictions(setting: FitSetting) -> Questions:
    """Ask for the sums of all owners' parts of predictions, masked; one owner has no other to share a mask with."""
    if setting.clients < 2:
        return [Question(Partial(0, 0), ("start", "stop"), of=QUERIES, times=MOST_CHUNKS)]
    chosen = ("start", "stop", "exponent")
    return [
        Question(PartialKeys(), of=QUERIES),
        Question(MaskedPartial(0, 0, 0), chosen, of=QUERIES, times=MOST_CHUNKS, given=True),
    ]


def k_neighbors_regressor_across(regressor: Any, setting: FitSetting) -> Questions:
    """Ask for parts of distances to the rows to predict, and for the target of the nearest ones."""
    parts = [
        Question(Partial(0, 0, how=how), ("start", "stop", "across"), of=QUERIES, times=MOST_CHUNKS)
        for how in ("sum", "max")
    ]
    return [
        Question(RowDistances(_NO_ROWS, None)),
        Question(DonorMeans(0), ("wanted",), of=WHOLE_TABLE, times=MOST_CHUNKS, given=True),
        *parts,
    ]
