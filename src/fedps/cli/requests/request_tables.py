"""What ``fedps requests`` prints: requests, and what one of them would ask of a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from fedps.cli.ledger.remaining_budget import column_limits
from fedps.cli.output import in_line
from fedps.cli.requests.pipeline_steps import PipelineStep, pipeline_steps
from fedps.client.ledger import Account
from fedps.client.requests.in_words import MayLeave, ReadColumns, RequestOnTable
from fedps.client.requests.most_told import most_told
from fedps.client.requests.request_folder import RequestFile
from fedps.learned.looks import is_look
from fedps.report.levels import LEVELS
from fedps.report.rendering import Names, Section, count

_MOST_NAMES = 6  # more are counted
_STATUS = {
    "waiting": "it waits for your decision",
    "approved": "you approved it",
    "denied": "you denied it",
}


def all_requests(requests: Sequence[RequestFile], ledger: str) -> Section:
    """Return all requests."""
    header = ("name", "status", "asked first by", "first", "last", "times")
    rows = [
        (
            one.name,
            one.status,
            one.first_peer,
            one.first_time[:16],
            one.last_time[:16],
            f"{one.asked}",
        )
        for one in requests
    ]
    waiting = sum(one.status == "waiting" for one in requests)
    title = f"{ledger}: {count(waiting, 'request')} waiting, {len(requests) - waiting} decided; times in UTC"
    return Section(title, header, rows, frozenset({"times"}))


def described(
    kept: RequestFile, on: RequestOnTable, client: str, account: Account
) -> list[Section]:
    """Return who asks, what would be fitted, what would leave for that, and what that would use."""
    steps = pipeline_steps(on)
    rows = [(step.label, columns_in_words(step.columns), step.whole) for step in steps]
    looks = is_look(on.pipeline)
    verb = "looked at" if looks else "fitted"
    fitted = Section(f"What would be {verb}", ("step", "columns", "what is done"), rows)
    found = [one for one in on.leaving() if one.columns.names or not looks]
    title = (
        f"What would leave client {client!r}, of {count(on.schema.rows, 'row')}, for that at most"
    )
    at = {place: step for step in steps for place in step.places}
    leaving = _leaving(title, [one for one in found if one.refusal is None], at)
    refused = [one for one in found if one.refusal is not None]
    levels = sorted({one.level for one in found})
    meaning = Section(
        "What the levels mean",
        ("level", "what such an answer shows"),
        [(level.name, LEVELS[level.name].means) for level in levels],
    )
    every = [
        who_asks(kept),
        fitted,
        leaving,
        _refused(refused),
        budget_needed(on, account),
        meaning,
    ]
    return [section for section in every if section.rows]


def who_asks(kept: RequestFile) -> Section:
    """Return who asked, when, and what was decided."""
    return Section(
        f"Request {kept.name}: {_STATUS[kept.status]}",
        (f"asked {count(kept.asked, 'time')}", "by", "when (UTC)"),
        [
            ("first", kept.first_peer, kept.first_time),
            ("last", kept.last_peer, kept.last_time),
        ],
    )


def _leaving(title: str, found: Sequence[MayLeave], at: Mapping[int, PipelineStep]) -> Section:
    """Return what leaves, step by step; columns of which a step asks the same share a line."""
    alike: dict[tuple[str, ...], list[MayLeave]] = {}
    for one in sorted(found, key=lambda one: one.place not in at):
        step = at.get(one.place)
        often = _how_often(one) + (" in each group" if step and step.groups else "")
        key = (step.label if step else "all", one.shows, one.level.name, often)
        alike.setdefault(key, []).append(one)
    rows = []
    for (label, *rest), some in alike.items():
        names = dict.fromkeys(name for one in some for name in one.columns.names)
        columns = ReadColumns(tuple(names), some[0].columns.made)
        rows.append((label, columns_in_words(columns), *rest))
    return Section(title, ("step", "computed from", "what leaves", "level", "how often"), rows)


def _refused(found: Sequence[MayLeave]) -> Section:
    rows = []
    for one in found:
        assert one.refusal is not None
        why = f"{one.refusal.rule}: {one.refusal.limit}"
        rows.append((columns_in_words(one.columns), one.shows, why))
    title = "What your policy refuses: if it is asked for, the fit ends there"
    return Section(title, ("computed from", "what would leave", "why it is refused"), rows)


def budget_needed(on: RequestOnTable, account: Account) -> Section:
    """Return what the pipeline may use of each column's single values and numbers, and what is left."""
    limits = column_limits(on.policy, on.schema.rows)
    alike: dict[tuple[str, ...], list[str]] = {}
    for name, most in most_told(on).items():
        for at, (rule, limit) in enumerate(
            (("max_share", limits.values), ("budget", limits.numbers))
        ):
            if limit is None or most[at] == 0:
                continue
            left = max(limit - account.spent(name)[at], 0)
            use = most[at]
            words = "all that is left" if use is None else f"{use:,}"
            if use is not None and use > left:
                words = f"{use:,}: more than is left"
            spent = f"{account.spent(name)[at]:,}"
            alike.setdefault((rule, words, spent, f"{limit:,}", f"{left:,}"), []).append(name)
    rows = [(columns_in_words(ReadColumns(tuple(names))), *rest) for rest, names in alike.items()]
    header = ("of each of", "rule", "this pipeline", "before", "limit", "left now")
    title = "What it would use at most: single values (max_share) and numbers (budget)"
    return Section(title, header, rows, frozenset(header[2:]))


def columns_in_words(columns: ReadColumns) -> str:
    """Return columns as a phrase."""
    if not columns.names:
        return "no column"
    return Names(columns.names, _MOST_NAMES, before="made from " if columns.made else "")


def _said(names: tuple[str, ...]) -> str:
    """Return columns for a sentence."""
    return in_line(columns_in_words(ReadColumns(names)))


def _how_often(one: MayLeave) -> str:
    times = "once" if one.times == 1 else f"{one.times:,} times"
    return f"{times} *" if one.chosen else times


def remarks(on: RequestOnTable, account: Account) -> Iterator[str]:
    """Yield sentences on what does not leave, and on what stands in the way."""
    found = on.leaving()
    if any(one.chosen for one in found):
        yield (
            "* The server chooses some numbers of the question as it goes along, such as the ends of an "
            "interval. All else follows from the pipeline."
        )
    used = {name for one in found for name in one.columns.names}
    unused = tuple(name for name in on.offered if name not in used)
    yield (
        f"Nothing {'else ' if found else ''}leaves for this pipeline. The names and dtypes of the columns "
        "and the number of rows are told without approval, as to any server that asks."
    )
    if unused:
        yield f"Of these columns, only names and dtypes leave: {_said(unused)}."
    kept_back = tuple(name for name in on.schema.names or () if name not in on.offered)
    if kept_back:
        yield f"Your policy keeps back, names included: {_said(kept_back)}."
    yield from _shown_less(on, found)
    if on.policy.max_fits is not None:
        yield f"The policy allows {count(on.policy.max_fits, 'fit')}; {account.fits} are used."
    if on.request.clients < on.policy.min_clients:
        yield (
            f"This fit would be refused: it is of {count(on.request.clients, 'client')}, and your policy "
            f"needs {on.policy.min_clients} (min_clients)."
        )
    for lack in on.lacking():
        yield f"This fit would fail here: {lack}."


def _shown_less(on: RequestOnTable, found: Sequence[MayLeave]) -> Iterator[str]:
    """Yield sentences on what rules of the policy leave out, or refuse when they see the cells."""
    leaving, policy = [one for one in found if one.refusal is None], on.policy
    whose = "rows" if policy.unit is None else f"different {policy.unit!r}"
    names = dict.fromkeys(name for one in leaving if one.less for name in one.columns.names)
    if names:
        yield (f"level: where values are asked of {_said(tuple(names))}, counts leave instead.")
    if policy.min_count > 1 and any(one.by_value for one in leaving):
        yield (
            f"min_count: values of fewer than {policy.min_count} {whose} are not named. Encoders that need "
            "them all are refused."
        )
    if leaving and (policy.min_count > 1 or policy.min_rows > 1):
        yield (
            f"A column is refused if it has fewer than {policy.min_rows} values (min_rows), or if numbers are "
            f"asked and fewer than {policy.min_count} of its cells, but some, differ from the most frequent "
            "value (min_count). That depends on the cells: fedps policy check --pipeline tries it."
        )


def what_to_do(kept: RequestFile, ledger: Path) -> str:
    """Return the commands by which the owner decides."""
    wanted = {"waiting": ("approve", "deny"), "approved": ("deny",), "denied": ("approve",)}
    lines = [f"  fedps requests {word} {ledger} {kept.name}" for word in wanted[kept.status]]
    return "\n".join(["To decide:" if len(lines) > 1 else "To change that:", *lines])
