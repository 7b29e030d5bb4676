"""Reading clients' answers: decode, check, merge; and the texts of all errors about clients."""

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
from fedps.protocol.packing.arrays import Budget
from fedps.statistics import MergeConflict, Statistic, Summary, merge_all


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
        return merge_all(statistic, list(answers.values()))  # type: ignore[no-any-return]
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
    raise describe_problem(clients, first, list(known)).about(*everyone)


def describe_problem(clients: Sequence[str], first: Problem, known: Sequence[str]) -> FedPSError:
    """Return the error: who, what, which column, which limit and the way out."""
    problem, what = first.problem, first.statistic
    they = who(clients)
    column = _column(problem.column)
    if isinstance(problem, Refusal):
        if problem.rule == "consent":
            return Refused(_without_consent(clients, problem.limit))
        if what is None:
            return Refused(
                f"{they} refused to take part: the policy there ({problem.rule}) {problem.limit}. "
                "Leave the client out, or ask the data owner."
            )
        on = f" on column {column}" if column else ""
        shown = f" It would show the server: {first.shows}." if problem.rule == "level" else ""
        return Refused(
            f"{they} refused {what}{on}: the policy there ({problem.rule}) {problem.limit}.{shown} "
            f"{instead(problem.rule, what)}, or ask the data owner{_to(problem.rule)}."
        )
    text = RULES.get(problem.rule, "could not answer {what}: {rule}.").format(
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
        only="answers only pipelines that the data owner there has approved"
        if one
        else "answer only pipelines that their data owners have approved",
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


# What to do about a refusal by rule and statistic; the default is to leave the column out.
INSTEAD = {
    "fillings of Donors": "Use SimpleImputer or IterativeImputer, which need less",
    "fillings of Incomplete": "Use SimpleImputer or IterativeImputer, which need less",
    "fillings of Neighbours": "Use BayesianRidge, which needs only sums",
    "level of Donors": "Use SimpleImputer or IterativeImputer, which need less",
    "level of FarthestRows": "Start from centres near the rows, ask for fewer clusters",
    "level of Incomplete": "Use SimpleImputer or IterativeImputer, which need less",
    "level of Neighbours": "Use BayesianRidge, which needs only sums",
    "level of Patterns": "Use SimpleImputer, which needs less",
    "level of PickedRows": "Start from centres of your own with KMeans(init=...)",
    "level of RowClusters": "Leave the client out",
    "budget": "Ask less of the column (fewer steps, iterations, clusters, categories or quantiles), leave "
    "it out",
    "max_dominance": "Leave the column out, clip or transform its outliers in the table there",
    "max_share": "Fit exactly, which needs less, leave the column out",
    "max_share of all answers": "Leave the column out",
    "min_count of gaps": "Leave the column out, or impute it with SimpleImputer in a step before",
    "min_count of markers": "Write missing cells as NaN in the table there, leave the column out",
    "max_share of Extremes": "Use RobustScaler, which can do with less, leave the column out",
    "max_share of products": "Choose fewer columns, leave the client out",
    "min_rows of clusters": "Ask for fewer clusters, leave the client out",
    "min_rows of observed columns": "Leave out columns with few values",
    "min_rows of samples": "Raise subsample= or set it to None, use fewer folds (cv=)",
    "min_rows of sums": "Group the rare categories there, leave the column out",
}

# What the data owner could change where a rule refuses.
CHANGES = {
    "budget": "raise budget",
    "level": "raise level",
    "max_dominance": "raise max_dominance",
    "max_share": "raise max_share",
    "min_count": "lower min_count",
    "min_rows": "lower min_rows",
}

# What became of a request where the owner consents, by the word that the client's refusal begins with.
CONSENT = {
    "waits": " {only}, and this one waits there as {name!r}. After 'fedps requests approve LEDGER "
    "{name}' there, run the same fit again; with checkpoint= it goes on from where it stopped.",
    "denied": " {does} not answer this pipeline, {name!r}: {owner} denied it. Fit another pipeline, leave "
    "the client out, or ask the data owner.",
    "full": " {only}, and {keeps} no more requests: as many wait there as may. After 'fedps requests "
    "approve' or 'deny' of some there, run the same fit again.",
    "large": " {only}, and {keeps} no request of 64 KiB or more, such as this one. Use shorter "
    "parameters, for instance fewer given categories, or leave the client out.",
    "unknown": " {does} not know an estimator of this pipeline, or one of its parameters. Install the "
    "same versions of fedps and scikit-learn on both sides.",
    "unkept": " {only}, and could not keep this request. The logger 'fedps.client' there has the "
    "reason at level ERROR.",
}

RULES = {
    "no column": "{has} no column {column}, or {keeps} it back by policy.{hint} Check the spelling, "
    "or take it out of the estimator.",
    "no target": "{has} no target. Name the column with Federation(..., target='column'), or give "
    "(X, y) pairs.",
    "not numbers": "{has} cells{in_column} that are not numbers, so {what} cannot be computed. "
    "Clean the column there, encode it as categories, or leave it out.",
    "not categories": "{has} cells of mixed types{in_column}: {what} needs all text or all numbers. "
    "Convert the column there, for instance with astype(str).",
    "objects": "{has} cells{in_column} that are Python objects which are not sent, such as tuples or times "
    "with a zone: {what} takes text, numbers, dates, times, decimals and UUIDs. Convert the column there, for "
    "instance with pandas.to_datetime(column) for times, or column.astype(str).",
    "large integers": "{has} integers{in_column} that are too long for a message. Write them as text there, "
    "with column.astype(str), or as numbers with column.astype(float).",
    "zoned gaps": "{has} missing times{in_column}, which has a time zone: scikit-learn sorts these in no "
    "fixed order. Fill them in there, or write times without a zone: "
    'column.dt.tz_convert("UTC").dt.tz_localize(None).',
    "times": "{has} times{in_column}, and scikit-learn's imputers take numbers and text. Leave the column "
    "out, or convert it there: column.astype(str) for text.",
    "missing times": "{has} missing times{in_column}, which scikit-learn's TargetEncoder takes for another "
    "category. Fill them in there, or write the column as text: column.astype(str).",
    "unknown category": "{has} cells{in_column} that are not among the given categories. Add them "
    "to categories=, or set handle_unknown= to something other than 'error'.",
    "infinity": "{has} an infinite or too large number{in_column}. Replace it there with a missing "
    "value or with a bound.",
    "not positive": "{has} numbers{in_column} that are not positive, which Box-Cox needs. Use "
    "PowerTransformer(method='yeo-johnson'), or shift the column.",
    "range": "{has} numbers{in_column} that are too large to square. Rescale the column there.",
    "missing": "{has} missing values{in_column}, which this estimator does not accept. Impute them "
    "first, for instance with SimpleImputer in a Pipeline.",
    "bad weights": "{has} row weights{in_column} that are missing, negative, infinite or not "
    "numbers. Correct them there.",
    "selection": "cannot select columns by make_column_selector, which needs pandas data frames. Name "
    "the columns instead.",
    "function": "{does} not allow the function {column}. Its data owner can list it in "
    "Policy(functions=[...]).",
    "estimator": "cannot rebuild {column}: a function in it fails there, or the versions of "
    "scikit-learn or fedps differ. The logger 'fedps.client' has the reason at level DEBUG.",
    "fit": "could not fit {column} on {its} own columns. The logger 'fedps.client' has the reason at "
    "level DEBUG.",
    "transform": "could not apply {column} to the rows there. The logger 'fedps.client' has the "
    "reason at level DEBUG.",
    "too much": "{does} not accept {column} from a server: it would take far more time or memory than "
    "the table needs. Use smaller parameters, or select each column once.",
    "split": "{has} some rows of all columns, but {what} is for clients that hold different columns of "
    "the same rows. With split='columns', FedPS runs in process only.",
    "pattern": "{does} not accept a column pattern that may take very long to match. Use a simpler one, "
    "without nested repeats, or name the columns.",
    "journal": "{has} missed an earlier round of this fit. Start the fit again.",
    "ledger": "could not write {its} ledger, so nothing was sent. Free disk space there, or correct its "
    "path.",
    "setup": "could not open {its} table, policy or ledger. The logger 'fedps.client' there has the "
    "reason at level ERROR.",
    "too large": "would have to send more than fits in a message. Fit fewer columns at once, or "
    "leave out columns with very many categories.",
    "too wide": "would have to answer with some numbers about each column that a step makes, and a message "
    f"has room for {MAX_WIDTH:,} columns. Select fewer before this step, or give an encoder before it "
    "max_categories=.",
    "too many categories": "{has} more categories{in_column} than fit in a message. Leave the column "
    "out, or use OneHotEncoder(handle_unknown='infrequent_if_exist') with min_frequency= or "
    "max_categories=: it needs only the frequent ones.",
    "sparse": "{has} a sparse table, which this estimator does not accept. Convert it there with "
    ".toarray(), or set sparse_output=False on the encoder before it.",
    "queries": "{has} different columns than the rows that the server asked about. Start the fit again.",
    "width": "{has} a different number of columns than the estimator was given categories for. Give "
    "one list of categories per column.",
    "draw": "{has} a different number of rows than the server drew a sample from: the rows changed since "
    "the first round. Start the fit again.",
    "other rows": "{has} different rows than those that {column} was fitted on. For other rows it needs "
    "the columns of all clients: make a Federation of these rows, and fit it there.",
    "no model": "{has} no part of a model to predict with. Use federation.predict.",
    "folds": "{has} different rows than the server drew folds for: they changed since the first round. "
    "Start the fit again.",
    "aligned": "{has} different rows or columns than the server asked about: they changed since the "
    "first round. Start the fit again.",
    "missing target": "{has} missing values in the target. Leave those rows out, or fill them in.",
    "target kind": "{has} a target that is neither all text nor numbers of one dtype. Convert it "
    "there, for instance with astype(str) or astype(float).",
    "target shape": "{has} a target of more than one column. Give one label or number per row.",
    "text target": "{has} a text target, and this estimator needs numbers. Write it as numbers "
    "there, for instance 0 and 1.",
    "error": "failed in this round. The logger 'fedps.client' there has the reason at level ERROR.",
}
