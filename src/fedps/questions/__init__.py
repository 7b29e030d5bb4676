"""What each estimator may ask at its place in a pipeline: the one list that both sides go by.

For: plans ask by it, a client answers nothing else, ``explain`` and docs/privacy.md are made from it.
May import: ``statistics``, ``learned`` and ``errors``. Never scikit-learn.
Its one rule: what follows from an estimator's parameters is filled in here, from the parameters; only
what a search chooses as it goes is free, and bounded.
"""

from __future__ import annotations

from fedps.questions.declared import Declared, NotDeclared
from fedps.questions.question import (
    FOLDS,
    INPUT,
    MICROSECONDS,
    OUTPUT,
    QUERIES,
    SAMPLE,
    TARGET,
    TRIAL,
    WHOLE_TABLE,
    FitSetting,
    Of,
    Question,
    Questions,
    branch,
)

__all__ = [
    "FOLDS",
    "INPUT",
    "MICROSECONDS",
    "OUTPUT",
    "QUERIES",
    "SAMPLE",
    "TARGET",
    "TRIAL",
    "WHOLE_TABLE",
    "Declared",
    "FitSetting",
    "NotDeclared",
    "Of",
    "Question",
    "Questions",
    "branch",
]
