"""Reading clients' answers: decode, check, merge; and errors about clients."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from msgspec import Raw

from fedps.errors import (
    MOST_NAMED,
    ClientError,
    Disagreement,
    FedPSError,
    PeerError,
    Refused,
    did_you_mean,
)
from fedps.protocol.codec import decode_part
from fedps.protocol.limits import MAX_WIDTH
from fedps.protocol.messages import Failure, KeptBack, Refusal, ShownLess
from fedps.protocol.odd_clients import odd_clients
from fedps.protocol.owners.owner_rules import OWNER_RULES
from fedps.protocol.packing.arrays import Budget
from fedps.protocol.problem_texts import CHANGES, CONSENT, INSTEAD, RULES
from fedps.statistics import MergeConflict, Statistic, Summary


class Problem(NamedTuple):
    """Why one client did not answer: for which statistic, and what its answer would have shown."""

    client: str
    statistic: str | None
    problem: Refusal | Failure
    shows: str = ""


def read_answer(
    statistic: Statistic[Any, Any],
    client: str,
    raw: Raw,
    rows: int,
    budget: Budget,
    columns: int | None = None,
) -> tuple[Summary | Refusal | Failure, tuple[KeptBack, ...]]:
    """Return a checked summary, or the client's reason for not giving one; and what it kept back."""
    peer = f"client {client!r}"
    name = type(statistic).__name__
    kinds = statistic.summary | Refusal | Failure | ShownLess
    kept_back: tuple[KeptBack, ...] = ()
    try:
        answer = decode_part(raw, kinds, peer, budget, name)
        if isinstance(answer, ShownLess):
            kept_back = answer.kept_back
            answer = decode_part(answer.summary, statistic.summary, peer, budget, name)
    except PeerError as error:
        raise error.about(client) from None
    if isinstance(answer, Refusal | Failure):
        return answer, ()
    width = answer.width or 0
    if width > MAX_WIDTH:
        raise PeerError(
            f"{peer} sent a bad {name}: it has {width} columns; the cap is {MAX_WIDTH}."
        ).about(client)
    try:
        statistic.check(answer, width, rows)
    except ValueError as error:
        raise PeerError(f"{peer} sent a bad {name}: {error}.").about(client) from None
    if answer.width is not None and columns not in (None, width):
        text = f"{peer} sent a bad {name}: it has {width} columns, not {columns}."
        raise PeerError(text).about(client)
    if any(column >= width for one in kept_back for column in one.columns):
        raise PeerError(f"{peer} sent a bad {name}: it kept back columns that it lacks.").about(
            client
        )
    return answer, kept_back


def unpacked(statistic: Statistic[Any, Any], merged: Summary | Raw) -> Summary:
    """Return merged answers, which may be packed. They are the server's own: no size limit applies."""
    if not isinstance(merged, Raw):
        return merged
    everything = Budget(sys.maxsize)
    name = type(statistic).__name__
    return decode_part(merged, statistic.summary, "the checkpoint", everything, name)  # type: ignore[no-any-return]


def merge_answers(
    statistic: Statistic[Any, Any], answers: Mapping[str, Any], column: Sequence[Any] | None
) -> Summary:
    """Return all clients' answers merged."""
    widths = {client: answer.width for client, answer in answers.items()}
    (leader, width), *others = widths.items()
    for client, other in others:
        if other != width:
            raise Disagreement(
                f"{type(statistic).__name__} has {width} columns at client {leader!r} and {other} at "
                f"client {client!r}: their tables differ after a transformer or column selector."
            )
    try:
        return statistic.merge_all(list(answers.values()))  # type: ignore[no-any-return]
    except MergeConflict as conflict:
        odd = odd_clients(list(answers), partial(_merge, statistic, answers))
        raise _name_conflict(statistic, answers, conflict, column).about(*odd) from None
    except ValueError:
        raise Disagreement(
            f"{who(list(answers))} gave answers to {type(statistic).__name__} that are not about the "
            "same rows: some rows changed, or a client does not keep to the protocol. Start again."
        ) from None


def _merge(statistic: Statistic[Any, Any], answers: Mapping[str, Any], *two: str) -> bool:
    """Whether the answers of two clients can be merged."""
    try:
        statistic.merge(*(answers[client] for client in two))
    except MergeConflict:
        return False
    return True


def _name_conflict(
    statistic: Statistic[Any, Any],
    answers: Mapping[str, Any],
    conflict: MergeConflict,
    column: Sequence[Any] | None,
) -> Disagreement:
    """Return an error that names two clients whose answers cannot be merged."""
    items = list(answers.items())
    for i, (client, answer) in enumerate(items):
        for other, another in items[i + 1 :]:
            try:
                statistic.merge(answer, another)
            except MergeConflict as found:
                if found.what is not None:
                    return Disagreement(
                        f"the {found.what} is text at one of the clients {client!r} and {other!r} "
                        "and numbers at the other. Convert it at one of them."
                    )
                name = column[found.position] if column else f"number {found.position}"
                if found.sorts and {*found.sorts} != {"text", "numbers"}:
                    return Disagreement(
                        f"column {name!r} holds {found.sorts[0]} at client {client!r} and {found.sorts[1]} at "
                        f"client {other!r}. Convert it at one of them, or drop it at both."
                    )
                return Disagreement(
                    f"column {name!r} holds text at one of the clients {client!r} and {other!r} "
                    "and numbers at the other. Read it as text at both, "
                    f"dtypes={{{name!r}: 'str'}}, or convert it at one of them."
                )
    return Disagreement(f"column number {conflict.position} differs between the clients.")


def raise_problems(problems: Sequence[Problem], known: Iterable[str]) -> None:
    """Raise one error for the first kind of problem that names all clients that have it.

    ``about`` gets all clients with any problem, so that a quorum can leave them out at once.
    """
    if not problems:
        return
    first = problems[0]
    clients = list(dict.fromkeys(p.client for p in problems if p.problem == first.problem))
    everyone = dict.fromkeys(p.client for p in problems)
    if _differ(problems):  # each owner of columns decides about its own
        each = [describe_problem([one.client], one, list(known)) for one in problems]
        raise Refused(" ".join(map(str, each))).about(*everyone)
    raise describe_problem(clients, first, list(known)).about(*everyone)


def _differ(problems: Sequence[Problem]) -> bool:
    """Whether clients wait for their owners' consent to requests of different names."""
    found = [p.problem.limit for p in problems if isinstance(p.problem, Refusal)]
    words = {limit.partition(" ")[0] for limit in found}
    return len(found) == len(problems) and words == {"waits"} and len({*found}) > 1


def describe_problem(clients: Sequence[str], first: Problem, known: Sequence[str]) -> FedPSError:
    """Return the error: who, what, which column, which limit and the way out."""
    problem, what = first.problem, first.statistic
    they = who(clients)
    column = _column(problem.column)
    if isinstance(problem, Refusal):
        if problem.rule == "consent":
            return Refused(_without_consent(clients, problem.limit))
        if what is None:
            matched = problem.rule.endswith("matches")
            way = instead(problem.rule, "") if matched else "Leave the client out"
            return Refused(
                f"{they} refused to take part: the policy there ({problem.rule}) {problem.limit}. "
                f"{way}, or ask the data owner{_to(problem.rule) if matched else ''}."
            )
        on = f" on column {column}" if column else ""
        shown = f" It would show the server: {first.shows}." if problem.rule == "level" else ""
        return Refused(
            f"{they} refused {what}{on}: the policy there ({problem.rule}) {problem.limit}.{shown} "
            f"{instead(problem.rule, what)}, or ask the data owner{_to(problem.rule)}."
        )
    rules = RULES | OWNER_RULES
    text = rules.get(problem.rule, "could not answer {what}: {rule}.").format(
        what=what or "this round",
        rule=problem.rule,
        column=column,
        in_column=_place(problem.column, known),
        hint=did_you_mean(problem.column or "", known),
        has="has" if len(clients) == 1 else "have",
        keeps="keeps" if len(clients) == 1 else "keep",
        does="does" if len(clients) == 1 else "do",
        its="its" if len(clients) == 1 else "their",
    )
    return ClientError(f"{they} {text}")


def _without_consent(clients: Sequence[str], limit: str) -> str:
    """Return why clients do not answer: what became of a request there, or what it does not cover."""
    they, one = who(clients), len(clients) == 1
    found = re.fullmatch(r"(\w+) ([0-9a-f]{8})", limit)
    if found is None or found[1] not in CONSENT:
        it = "the client" if one else "each of them"
        return (
            f"{they} refused this round, because it does not follow from the pipeline that the fit is "
            f"about: {it} {limit}. Install the same version of fedps on both sides, or ask the data "
            "owner."
        )
    return they + CONSENT[found[1]].format(
        name=found[2],
        only="answers only what the data owner there has approved"
        if one
        else "answer only what their data owners have approved",
        keeps="keeps" if one else "keep",
        does="does" if one else "do",
        owner="the data owner there has" if one else "the data owners there have",
    )


def _place(name: str | None, known: Sequence[str]) -> str:
    """Return where cells are: in a column, or in the target, which is not one of the columns."""
    if name == "target" and name not in known:
        return " in the target"
    return f" in column {_column(name)}" if name else ""


def instead(rule: str, what: str) -> str:
    """Return what to do about a refusal besides asking the data owner.

    >>> instead("max_share of products", "Gram")
    'Choose fewer columns, leave the client out'
    """
    return INSTEAD.get(f"{rule} of {what}") or INSTEAD.get(rule, "Leave the column out")


def _to(rule: str) -> str:
    """Return what the data owner could do about a refusal."""
    change = CHANGES.get(rule.partition(" ")[0])
    return f" to {change} in the policy" if change else ""


def who(clients: Sequence[str]) -> str:
    """Return the names of clients as a phrase.

    >>> who(["oslo"]), who(["oslo", "bergen"])
    ("client 'oslo'", "clients 'oslo' and 'bergen'")
    """
    if len(clients) == 1:
        return f"client {clients[0]!r}"
    if len(clients) > MOST_NAMED + 1:
        shown = ", ".join(map(repr, clients[:MOST_NAMED]))
        return f"clients {shown} and {len(clients) - MOST_NAMED} more"
    return "clients " + ", ".join(map(repr, clients[:-1])) + f" and {clients[-1]!r}"


def _column(name: str | None) -> str:
    """Return a column's name in quotes, or the number of a column without a name as it is."""
    if not name:
        return ""
    return name if re.fullmatch(r"(number )?-?\d+", name) else repr(name)
