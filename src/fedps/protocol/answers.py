"""Reading a client's answers: decode, check, and say plainly what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from msgspec import Raw

from fedps.errors import ClientError, Disagreement, FedPSError, PeerError, Refused, did_you_mean
from fedps.protocol.arrays import Budget
from fedps.protocol.codec import decode_part
from fedps.protocol.messages import Failure, Refusal
from fedps.statistics import MergeConflict, Statistic, Summary, merge_all


class Problem(NamedTuple):
    """What one client could not or would not do, for which statistic."""

    client: str
    statistic: str | None
    problem: Refusal | Failure


def read_answer(
    statistic: Statistic[Any, Any], client: str, raw: Raw, rows: int, budget: Budget
) -> Summary | Refusal | Failure:
    """Return a checked summary, or the client's reason for not giving one."""
    peer = f"client {client!r}"
    kind = statistic.summary | Refusal | Failure
    answer = decode_part(raw, kind, peer, budget)
    if isinstance(answer, Refusal | Failure):
        return answer
    try:
        statistic.check(answer, width_of(answer), rows)
    except ValueError as error:
        raise PeerError(f"{peer} sent a bad {type(statistic).__name__}: {error}.") from None
    return answer  # type: ignore[no-any-return]


def width_of(summary: Summary) -> int:
    """Return how many columns a summary describes, by the last of its fields."""
    value: Any = getattr(summary, summary.__struct_fields__[-1])
    if isinstance(value, np.ndarray):
        return int(value.shape[-1]) if value.ndim else 0
    return len(value) if isinstance(value, tuple) else 1


def merge_answers(
    statistic: Statistic[Any, Any], answers: Mapping[str, Any], column: Sequence[Any] | None
) -> Any:
    """Merge all clients' answers and return what the plan receives."""
    widths = {client: width_of(answer) for client, answer in answers.items()}
    (leader, width), *others = widths.items()
    for client, other in others:
        if other != width:
            raise Disagreement(
                f"{type(statistic).__name__} has {width} columns at client {leader!r} and {other} at "
                f"client {client!r}: their tables differ after a transformer or column selector."
            )
    try:
        return statistic.result(merge_all(statistic, list(answers.values())))
    except MergeConflict as conflict:
        raise _name_conflict(statistic, answers, conflict, column) from None


def _name_conflict(
    statistic: Statistic[Any, Any],
    answers: Mapping[str, Any],
    conflict: MergeConflict,
    column: Sequence[Any] | None,
) -> Disagreement:
    """Find two clients whose answers do not go together."""
    items = list(answers.items())
    for i, (client, answer) in enumerate(items):
        for other, another in items[i + 1 :]:
            try:
                statistic.merge(answer, another)
            except MergeConflict as found:
                name = column[found.position] if column else f"number {found.position}"
                return Disagreement(
                    f"column {name!r} holds text at one of the clients {client!r} and {other!r} "
                    "and numbers at the other. Convert it at one of them."
                )
    return Disagreement(f"column number {conflict.position} differs between the clients.")


def raise_problems(problems: Sequence[Problem], known: Iterable[str]) -> None:
    """Raise one error for the first kind of problem, naming all clients that have it."""
    if not problems:
        return
    first = problems[0]
    clients = list(dict.fromkeys(p.client for p in problems if p.problem == first.problem))
    raise describe_problem(clients, first, list(known))


def describe_problem(clients: Sequence[str], first: Problem, known: Sequence[str]) -> FedPSError:
    """Return the error that says who, what, which column, which limit and the way out."""
    who = ("client " if len(clients) == 1 else "clients ") + ", ".join(map(repr, clients))
    problem, what = first.problem, first.statistic or "this round"
    if isinstance(problem, Refusal):
        on = f" on column {problem.column!r}" if problem.column else ""
        return Refused(
            f"{who} refused {what}{on}: policy {problem.rule} {problem.limit}. Leave it out, or ask "
            "the data owner."
        )
    sentence = RULES.get(problem.rule, "could not answer {what} ({rule}).")
    text = sentence.format(
        what=what,
        rule=problem.rule,
        column=repr(problem.column) if problem.column else "a column",
        hint=did_you_mean(problem.column or "", known),
    )
    return ClientError(f"{who} {text}")


RULES = {
    "no column": "has no column {column}.{hint} Check the spelling in the estimator's columns.",
    "no target": "has no target. Name it with Federation(..., target='column') or give (X, y) "
    "pairs.",
    "no target column": "has no column {column} to use as the target.{hint}",
    "not numbers": "has cells that are not numbers in column {column}, and {what} needs numbers. "
    "Encode or drop the column, or clean it there.",
    "not categories": "has mixed or unusual cells in column {column}: {what} needs text only, or "
    "numbers only. Convert the column there, for instance to text.",
    "infinity": "has an infinite or too large number in column {column}. Replace it there by a "
    "missing value or a bound.",
    "range": "has numbers too large to square in column {column}. Rescale it there.",
    "missing": "has missing values in column {column}, which this estimator does not take. Impute "
    "them first.",
    "no rows": "has no rows for this step.",
    "bad weights": "has missing, negative or infinite row weights in column {column}.",
    "selection": "could not choose columns as asked: the selector needs a pandas data frame.",
    "function": "does not allow the function {column}. List it in its Policy(functions=...).",
    "estimator": "cannot rebuild {column}: it has another version of scikit-learn or fedps.",
    "transform": "could not apply {column} to its rows (its own log says why).",
    "journal": "has missed an earlier round of this fit. Start the fit again.",
    "too large": "would have to send more than the cap on a message for {what}. Ask for fewer "
    "columns at once.",
    "width": "has another number of columns than {what} was asked for.",
}
