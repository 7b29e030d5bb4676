"""What may be asked while rows are matched, before there is a pipeline (``match="private"``)."""

from __future__ import annotations

from fedps.questions.question import FitSetting, Question, Questions
from fedps.statistics import BlindedAgain, BlindedKeys, MatchTable, ProvenKeys

MOST_PIECES = 4096  # messages in which the keys of an owner come


def match_questions(setting: FitSetting) -> Questions:
    """Ask for keys, blinded; to blind those of others; for what all have made of them; and say what was found."""
    return (
        Question(BlindedKeys(), ("start", "stop"), times=MOST_PIECES),
        Question(BlindedAgain(), times=MOST_PIECES * (setting.clients - 1), given=True),
        Question(MatchTable(), ("at", "start", "stop", "marks"), times=MOST_PIECES, given=True),
        Question(ProvenKeys(), times=MOST_PIECES, given=True),
    )
