"""What ``fedps policy check --pipeline`` prints: what leaves, where rules bite, and what of a budget is used."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fedps.cli.ledger.remaining_budget import ColumnLimits
from fedps.cli.policy.rules_table import few
from fedps.cli.policy.tried_pipeline import Tried
from fedps.cli.policy.watching_ledger import NotedAnswer
from fedps.client import Policy
from fedps.client.ledger import SCHEMA_ENTRY, Account, Spent
from fedps.protocol.answers import instead
from fedps.protocol.messages import Refusal
from fedps.protocol.problem_texts import CHANGES
from fedps.report.asks import AskRow
from fedps.report.limitations import UNKNOWN_BOUND
from fedps.report.rendering import Section, count


def leaving(tried: Tried) -> Section:
    """Return what left in a trial, by estimator; equal answers about several columns share a line."""
    alike: dict[tuple[str, ...], list[NotedAnswer]] = {}
    for answer in tried.answers:
        if answer.problem is None and answer.statistic != SCHEMA_ENTRY:
            key = (answer.estimator, _in_words(answer, tried.asks), answer.level)
            alike.setdefault(key, []).append(answer)
    rows = []
    for (estimator, what, level), some in alike.items():
        names = list(dict.fromkeys(name for answer in some for name in answer.columns))
        rows.append((estimator, few(names), what, level, str(len(some))))
    header = ("asked by", "computed from", "what leaves", "level", "times")
    return Section("What would leave for this pipeline", header, rows, frozenset(["times"]))


def bites(tried: Tried) -> Section:
    """Return where rules of the policy refuse an answer, or let it show less."""
    rows = []
    for answer in tried.answers:
        problem = answer.problem
        if isinstance(problem, Refusal):
            rule = problem.rule.partition(" ")[0]
            change = CHANGES.get(rule)
            way = instead(problem.rule, answer.statistic)
            way += f", or {change} in the policy" if change else ""
            what = f"{answer.estimator} is refused: the policy {problem.limit}"
            rows.append((problem.column or few(answer.columns), rule, what, way))
    for one in tried.limitations:
        follows = _what_follows(one.bound) if tried.stopped is None else "-"
        rows.append((one.column, one.rule, f"shown: {one.shown}", follows))
    header = ("column", "rule", "what it does", "way out, or what follows")
    return Section("Where a rule bites", header, list(dict.fromkeys(rows)))


def _what_follows(bound: str) -> str:
    """Return how far a result may be off, as a sentence that stands alone.

    >>> _what_follows("none: all are known")
    'the result is exact: all are known'
    """
    if bound == UNKNOWN_BOUND:
        return "the result may not be exact"
    exact = bound.removeprefix("none: ")
    return bound if exact == bound else f"the result is exact: {exact}"


def budget_used(tried: Tried, limits: ColumnLimits, before: Account) -> Section:
    """Return what a fit uses of each column's single values and numbers, and what is left after it."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for name in {**tried.used, **before.by_column}:
        now, was = tried.used.get(name, Spent()), before.spent(name)
        for rule, most, at in (("max_share", limits.values, 0), ("budget", limits.numbers, 1)):
            if most is not None and (now[at] or was[at]):
                left = max(most - was[at] - now[at], 0)
                numbers = (f"{n:,}" for n in (now[at], was[at], most, left))
                alike.setdefault((rule, *numbers), []).append(name)
    header = ("of each of", "rule", "this fit", "before", "limit", "left after")
    title = "What it uses: single values (max_share) and numbers (budget)"
    rows = [(few(names), *rest) for rest, names in alike.items()]
    return Section(title, header, rows, frozenset(header[2:]))


def trial_remarks(
    tried: Tried, policy: Policy, limits: ColumnLimits, before: Account
) -> Iterator[str]:
    """Yield what a trial came to, in sentences."""
    if tried.stopped is not None:
        refused = any(isinstance(answer.problem, Refusal) for answer in tried.answers)
        where = f"in round {tried.stopped.round}, " if tried.stopped.round else ""
        said = f"This fit is refused {where}as the table says."
        yield said if refused else f"This fit ends with an error: {tried.stopped}"
        yield (
            "What it would ask after that was not tried. Follow a way out and check again: another column "
            "may be refused for the same reason."
        )
    elif tried.limitations:
        yield "This fit passes. It shows less than was asked where a rule bites."
    else:
        yield "This fit passes, and no rule bites."
    every = (limits.values, limits.numbers)
    if any(most is not None for most in every):
        values, numbers = ("any number of" if most is None else f"{most:,}" for most in every)
        yield (
            f"Of each column of {count(limits.rows, 'row')}, all answers together may show {values} single "
            f"values and tell {numbers} numbers, over the life of the ledger. The same fit again costs "
            "nothing: equal answers to equal questions are free. With other clients, searches may ask more "
            "or less."
        )
    else:
        yield "The policy has neither a max_share nor a budget: all answers together may tell anything."
    yield from _not_tried(policy, before)


def _not_tried(policy: Policy, before: Account) -> Iterator[str]:
    """Yield what a trial with one table cannot tell."""
    if policy.min_clients > 1:
        yield (
            f"min_clients = {policy.min_clients}: a fit with fewer clients is refused. This was tried as if "
            "enough took part."
        )
    if policy.max_fits is not None:
        over = " No more is answered." if before.fits >= policy.max_fits else ""
        yield f"max_fits: {before.fits} of {count(policy.max_fits, 'fit')} are used.{over}"
    if policy.consent == "owner":
        yield "consent = 'owner': the client answers this pipeline only after you have approved it."


def _in_words(answer: NotedAnswer, asks: Sequence[AskRow]) -> str:
    """Return what an answer shows, without the numbers that a search chose."""
    known = [ask.shows for ask in asks if answer.question.startswith(ask.shows)]
    return max(known, key=len, default=answer.question)
