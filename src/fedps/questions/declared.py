"""Declared: what may be asked at each place of a pipeline. Servers ask by it, clients answer by it."""

from __future__ import annotations

from types import SimpleNamespace

from fedps.learned import BY_COLUMNS, PIPELINE, Described, Place, branches_of, places_of
from fedps.questions.families import COLUMN_FAMILIES, EVERY_FAMILY, KEY_QUESTIONS
from fedps.questions.matching import match_questions
from fedps.questions.question import (
    INPUT,
    OUTPUT,
    TARGET,
    WHOLE_TABLE,
    AnyStat,
    FitSetting,
    Of,
    Questions,
)

Source = tuple[int, Of]  # a table: at which place, and what of it
OWN_TABLE: Source = (-1, INPUT)  # the client's own table


class NotDeclared(Exception):  # noqa: N818 - a mistake in a plan, or a client that is asked too much
    """A plan asks something that is not among the estimator's questions."""


class Declared:
    """The questions of a pipeline, place by place.

    Parameters
    ----------
    pipeline : Described or None
        What is fitted. None: only schemas, and the keys of rows.
    setting : FitSetting
        What the user chose.
    """

    def __init__(self, pipeline: Described | None, setting: FitSetting) -> None:
        self.setting = setting
        self.places: list[Place] = [] if pipeline is None else places_of(pipeline)
        self._numbers = {place.path: place.number for place in self.places} or {(): 0}
        self._at: dict[int, Questions] = {}
        self._inputs = _inputs(self.places)

    def number(self, path: tuple[int, ...]) -> int:
        """Return the number of the place at a path."""
        return self._numbers[path]

    def at(self, place: int) -> Questions:
        """Return the questions at a place."""
        if place not in self._at:
            self._at[place] = self._declare(place)
        return self._at[place]

    def _declare(self, place: int) -> Questions:
        if not self.places:
            if self.setting.matches:
                return match_questions(self.setting)
            return KEY_QUESTIONS if self.setting.across else ()
        described = self.places[place].described
        families = COLUMN_FAMILIES if self.setting.across else EVERY_FAMILY
        estimator = SimpleNamespace(**described.params, described=described)
        setting = self.setting._replace(outputs=self.setting.outputs or self._is_used(place))
        return tuple(families[described.estimator](estimator, setting))

    def _is_used(self, place: int) -> bool:
        """Whether later steps of the fit are fitted on what the estimator at a place makes of its rows."""
        here = self.places[place]
        while here.parent is not None:
            around = self.places[here.parent]
            steps = around.described.inner
            last = here.index == len(steps) - 1
            if around.described.estimator == PIPELINE and not last:
                return True
            if around.described.estimator == BY_COLUMNS and _is_counted(steps[here.index]):
                return True
            here = around
        return False

    def source(self, place: int, of: Of) -> Source:
        """Return the first table that is the same as one: several places may have the same input."""
        if of == TARGET:
            return 0, TARGET
        if of == WHOLE_TABLE or place < 0 or not self.places:
            return OWN_TABLE
        return self._inputs[place] if of == INPUT else (place, of)

    def find(self, place: int, statistic: AnyStat, of: Of, *, some: bool) -> int:
        """Return the number of the question that a statistic asks; NotDeclared if there is none."""
        for number, question in enumerate(self.at(place)):
            if question.is_asked_by(statistic, of, some=some):
                return number
        name = self.places[place].described.estimator if self.places else "no estimator"
        raise NotDeclared(f"{name} does not declare {statistic} of {of}")


def _inputs(places: list[Place]) -> list[Source]:
    """Return for each place where its input comes from.

    The first step of a Pipeline and all parts of a FeatureUnion get what their compound gets, later steps
    what the step before makes; branches that take the same columns get the same table.
    """
    found: list[Source] = []
    inside = {(place.parent, place.index): place.number for place in places}
    branches: dict[tuple[Source, ColumnList], Source] = {}
    for place in places:
        if place.parent is None:
            found.append(OWN_TABLE)
            continue
        around = places[place.parent].described
        if around.estimator == BY_COLUMNS:
            own = (place.number, INPUT)
            columns = _plain_columns(around, place.index)
            known = columns and branches.setdefault((found[place.parent], columns), own)
            found.append(known or own)
        elif around.estimator == PIPELINE and place.index:
            found.append((inside[place.parent, place.index - 1], OUTPUT))
        else:
            found.append(found[place.parent])
    return found


def _is_counted(branch: Described) -> bool:
    """Whether the cells of a branch may have to be counted, for which a KNNImputer must fill its gaps."""
    names = {place.described.estimator for place in places_of(branch)}
    return bool(branch.inner) and {"KNNImputer", "OneHotEncoder"} <= names


ColumnList = tuple[str | int, ...]


def _plain_columns(transformer: Described, index: int) -> ColumnList | None:
    """Return the columns that an estimator of a ColumnTransformer takes; None unless they are listed."""
    branches = [columns for _, kept, columns in branches_of(transformer) if kept is None]
    columns = branches[index]
    if transformer.steps[index].params.get("where") is not None:
        return None  # it has other rows than the others
    if isinstance(columns, list) and all(type(column) in (str, int) for column in columns):
        return tuple(columns)
    return None
