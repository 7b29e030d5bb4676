"""Declared: what may be asked at each place of a pipeline. Servers ask by it, clients answer by it."""

from __future__ import annotations

from types import SimpleNamespace

from fedps.learned import Described, Place, places_of
from fedps.questions.families import ACROSS, KEYS, ROWS
from fedps.questions.question import AnyStat, Of, Questions, Setting


class NotDeclared(Exception):  # noqa: N818 - a mistake in a plan, or a client that is asked too much
    """A plan asks something that is not among the estimator's questions."""


class Declared:
    """The questions of a pipeline, place by place.

    Parameters
    ----------
    pipeline : Described or None
        What is fitted. None: only schemas, and the keys of rows.
    setting : Setting
        What the user chose.
    """

    def __init__(self, pipeline: Described | None, setting: Setting) -> None:
        self.setting = setting
        self.places: list[Place] = [] if pipeline is None else places_of(pipeline)
        self._numbers = {place.path: place.number for place in self.places} or {(): 0}
        self._at: dict[int, Questions] = {}

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
            return KEYS
        described = self.places[place].described
        families = ACROSS if self.setting.across else ROWS
        estimator = SimpleNamespace(**described.params, described=described)
        return tuple(families[described.estimator](estimator, self.setting))

    def find(self, place: int, statistic: AnyStat, of: Of, *, some: bool) -> int:
        """Return the number of the question that a statistic asks; NotDeclared if there is none."""
        for number, question in enumerate(self.at(place)):
            if question.is_asked_by(statistic, of, some=some):
                return number
        name = self.places[place].described.estimator if self.places else "no estimator"
        raise NotDeclared(f"{name} does not declare {statistic} of {of}")
