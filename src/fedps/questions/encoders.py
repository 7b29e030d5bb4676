"""What encoders may ask: categories, how often they occur, and the target beside them."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from msgspec import structs

from fedps.questions.frequent import frequent_values
from fedps.questions.question import FOLDS, TARGET, FitSetting, Question, Questions
from fedps.statistics import ByCategory, ByKnown, Categories, Known, Turns
from fedps.statistics.categories.sent_cells import as_sent

FOLDS_OF_NONE = 5  # with cv=None, as in scikit-learn


def plain(value: Any) -> Any:
    """Return a value of NumPy as one of Python, and what MessagePack has no type for as one that travels."""
    return as_sent(value.item() if isinstance(value, np.generic) else value)


def given_categories(encoder: Any) -> tuple[tuple[Any, ...], ...] | None:
    """Return the categories that the user gives, or None where they are to be found."""
    if isinstance(encoder.categories, str):
        return None
    return tuple(tuple(plain(value) for value in column) for column in encoder.categories)


def needs_counts(encoder: Any) -> bool:
    """Whether infrequent categories are put together."""
    return encoder.min_frequency is not None or encoder.max_categories is not None


def rare_is_unknown(encoder: Any) -> bool:
    """Whether unknown categories come out as infrequent ones do."""
    return bool(encoder.handle_unknown == "infrequent_if_exist")


def drops(encoder: Any) -> bool:
    """Whether the number of ones depends on counts: a ColumnTransformer wants to know it."""
    return getattr(encoder, "drop", None) is not None and encoder.sparse_output


def wanted_categories(encoder: Any) -> tuple[float | None, int | None]:
    """Return how often a frequent category occurs at least, and how many there are at most."""
    least = None if encoder.min_frequency is None else plain(encoder.min_frequency)
    return least, None if encoder.max_categories is None else encoder.max_categories - 1


def only_frequent(encoder: Any, setting: Any) -> bool:
    """Whether only the frequent categories are asked for; ``setting`` has the user's ``frequent``."""
    return needs_counts(encoder) and (rare_is_unknown(encoder) or setting.frequent is not None)


def known_of(encoder: Any) -> Known | None:
    """Return what is asked about given categories; None where nothing is."""
    given, strict = given_categories(encoder), encoder.handle_unknown == "error"
    if strict or needs_counts(encoder) or getattr(encoder, "sparse_output", False):
        return Known(given or (), strict=strict)
    return None


def categories_of(encoder: Any) -> Categories:
    """Return what is asked where all categories are needed."""
    return Categories(counts=needs_counts(encoder) or drops(encoder))


def category_encoder_questions(encoder: Any, setting: FitSetting) -> Questions:
    """Ask for the categories of each column, and their counts where the parameters need them."""
    if given_categories(encoder) is not None:
        known = known_of(encoder)
        return [] if known is None else [Question(known)]
    if only_frequent(encoder, setting):
        return frequent_values(setting, *wanted_categories(encoder))
    return [Question(categories_of(encoder))]


def kind_of_target(encoder: Any) -> Literal["any", "labels", "numbers"]:
    """Return what kind of target a TargetEncoder takes."""
    if encoder.target_type == "auto":
        return "any"
    return "numbers" if encoder.target_type == "continuous" else "labels"


def target_encoder_questions(encoder: Any, setting: FitSetting) -> Questions:
    """Ask for the target beside each category: of all rows, and in each fold where that is used."""
    given, kind = given_categories(encoder), kind_of_target(encoder)
    squares = isinstance(encoder.smooth, str)
    if not setting.outputs:
        if given is None:
            return [Question(ByCategory(kind, squares))]
        return [Question(ByKnown(given, kind, squares), ("others",))]
    turns = Question(Turns(kind), of=TARGET)
    chosen: tuple[str, ...] = ("target", "labels", "folds", "others")
    beside: list[Question] = []
    if given is None:
        beside = [Question(Categories())]
        chosen = ("categories", *chosen)
    in_folds = ByKnown(given or (), "labels", squares)
    folds = most_folds(encoder.cv)

    def few(asked: ByKnown) -> bool:
        named = (asked.labels or (), *asked.categories)
        once = all(len(set(names)) == len(names) for names in named)
        return once and (folds is None or asked.folds <= folds)

    # of the first category the counts follow from the others, unless some of these are left out
    if given is None:
        often = Question(in_folds, chosen, of=FOLDS, times=2, within=few, follows=_with_the_first)
        return [*beside, turns, often]
    rest = tuple(column[1:] for column in given)
    also = Question(ByKnown(rest, "labels", squares), chosen, of=FOLDS, within=few)
    return [*beside, turns, Question(in_folds, chosen, of=FOLDS, within=few), also]


def _with_the_first(asked: ByKnown, before: ByKnown | None) -> bool:
    """Whether the same is asked again, and of each column's first category, too."""
    if before is None:
        return True
    rest = tuple(column[1:] for column in asked.categories)
    return structs.replace(asked, categories=rest) == before


def most_folds(cv: Any) -> int | None:
    """Return how many folds there are; None where that follows from the rows, or from their list."""
    if isinstance(cv, dict):
        return cv.get("n_splits")
    return FOLDS_OF_NONE if cv is None else int(cv)


def labels(encoder: Any, setting: FitSetting) -> Questions:
    """Ask for the labels of the target."""
    return [Question(Categories(), of=TARGET)]


def label_sets(binarizer: Any, setting: FitSetting) -> Questions:
    """Ask for the labels in all label sets, unless they are given."""
    return [Question(Categories(sets=True), of=TARGET)] if binarizer.classes is None else []
