"""What a server says first: what the fit is about, and questions."""

from __future__ import annotations

from fedps.learned import Described
from fedps.plans.describe import describe
from fedps.protocol.codec import decode, decode_part, encode
from fedps.protocol.messages import Ask, Failure, Refusal, Reply, Request, Round
from fedps.protocol.packing.arrays import Budget
from fedps.protocol.pooled import Pooled


def opening(estimator, *places, number=1, weight=None):
    """Return the round that begins a fit, and asks the first question at each of some places."""
    pipeline = estimator if isinstance(estimator, Described) else describe(estimator, Pooled())
    request = Request(pipeline, weight=weight)
    return Round(number, (), tuple(Ask(place, 0) for place in places), request=request)


def talk(responder, round_):
    """Return a client's whole reply to a round."""
    return decode(responder.answer(encode(round_)), Reply, "client 'oslo'")


def answer(responder, round_):
    """Return a client's answer to the one question of a round, or why there is none."""
    reply = talk(responder, round_)
    if reply.problem is not None:
        return reply.problem
    (ask,), (raw,) = round_.asks, reply.answers
    question = round_.request.declared().at(ask.place)[ask.question]
    kind = question.statistic.summary | Refusal | Failure
    return decode_part(raw, kind, "oslo", Budget(), "answer")
