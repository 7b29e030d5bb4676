"""The responder: answers rounds about one table, behind a policy. A round in, a reply out."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from msgspec import Raw, structs

from fedps.client.ledger import KEPT_ENTRY, SCHEMA_ENTRY, Ledger
from fedps.client.outputs import predict, transform
from fedps.client.owner_fit import KeptFit
from fedps.client.places.asked import Refuse, Wanted
from fedps.client.places.check_pipeline import check_request
from fedps.client.places.owner_places import OwnerPlaces
from fedps.client.places.places import Places
from fedps.client.places.row_folds import in_row_order
from fedps.client.policy import Policy, PolicyGate
from fedps.client.requests.owner_consent import OwnerConsent
from fedps.client.tables import Table, take
from fedps.client.tables.owned_table import OwnedTable
from fedps.client.work_limits import check_journal
from fedps.learned import Learned
from fedps.protocol.codec import decode, encode, encode_part
from fedps.protocol.limits import MAX_MESSAGE
from fedps.protocol.messages import (
    Failure,
    Keep,
    KeptBack,
    Refusal,
    Reply,
    Round,
    ShownLess,
    mark,
)
from fedps.questions import TARGET
from fedps.statistics import BadCells, RowClusters, Schema
from fedps.statistics.limits import Less


@dataclass
class Answer:
    """One ask, the columns it is about, and its answer so far."""

    ask: Wanted
    columns: tuple[str, ...] = ()
    transformed: bool = False
    summary: Any = None
    present: Any = 0
    problem: Refusal | Failure | None = None
    held: Any = None  # clusters in which rows stay
    computed: Any = None  # what is computed: the statistic, or what it needs to show less
    less: Sequence[Less] = ()  # what is shown less of than was asked

    @property
    def outcome(self) -> str:
        """What the ledger records: sent, refused or failed."""
        if self.problem is None:
            return "sent"
        return "refused" if isinstance(self.problem, Refusal) else "failed"

    @property
    def result(self) -> Any:
        """The summary, what it shows less of, or why there is none."""
        if self.problem is not None or not self.less:
            return self.summary if self.problem is None else self.problem
        columns: dict[tuple[str, str], list[int]] = {}
        for position, rule, shown in self.less:
            columns.setdefault((rule, shown), []).append(position)
        kept_back = [KeptBack(*why, tuple(some)) for why, some in columns.items()]
        return ShownLess(Raw(encode_part(self.summary)), tuple(kept_back))


def answer_all(asks: Sequence[Wanted], places: Places, gate: PolicyGate, rows: int) -> list[Answer]:
    """Return the answers to all asks, in one pass over the table; equal asks get one and the same.

    The policy is applied twice: to the request, before anything is computed, and to the summary,
    since only then it is known how many cells it is from and how many values it shows.
    """
    each = [(places.same(ask.key), ask.given, encode_part(ask.statistic)) for ask in asks]
    different = {same: Answer(ask) for same, ask in zip(each, asks, strict=True)}
    answers = list(different.values())
    for answer in answers:
        _begin(answer, places, gate, rows)
    open_ = [answer for answer in answers if answer.problem is None]
    for answer in open_:
        if isinstance(answer.ask.statistic, RowClusters):
            answer.held = places.clusters.of(answer.ask, places.passes)
    for block in places.passes() if open_ else ():
        for answer in open_:
            _update(answer, block, gate)
    for answer in open_:
        if answer.problem is None:
            limits = gate.limits
            answer.summary = answer.computed.compact(answer.summary, limits)
            answer.less = limits.less
            known = answer.computed.tells_cells
            cells = answer.summary.support() if known else answer.present
            columns = () if answer.transformed else answer.columns
            answer.problem = gate.check_summary(answer.summary, cells, columns)
    return [different[same] for same in each]


def _begin(answer: Answer, places: Places, gate: PolicyGate, rows: int) -> None:
    statistic = answer.ask.statistic
    try:
        view = places[answer.ask.key]
        answer.columns, answer.transformed = view.columns, view.transformed
        weight = getattr(statistic, "weight", None)
        concerned = view.columns if weight is None else (*view.columns, weight)
        # with split="columns" exactly one client holds the target: only its policy can keep it back
        if statistic.of_target and not (statistic.aligned and places.table.target_schema() is None):
            concerned = (*concerned, places.table.target_name or "target")
            answer.columns = concerned
        answer.problem = gate.check_request(statistic, rows, concerned) or gate.check_sample(
            view.drawn
        )
        if answer.problem is None:
            if places.work is not None:
                places.work.spend(statistic, view.width)
            answer.computed = statistic.under(gate.limits)
            answer.summary = answer.computed.empty(view.width)
    except BadCells as error:
        answer.problem = failure(error)


def _update(answer: Answer, block: Any, gate: PolicyGate) -> None:
    if answer.problem is not None:
        return
    statistic: Any = answer.computed
    try:
        rows = block(answer.ask)
        if answer.held is None:
            answer.summary = statistic.update(answer.summary, rows)
        else:
            some, answer.held = answer.held[: rows.rows], answer.held[rows.rows :]
            answer.summary = statistic.update_held(answer.summary, rows, some)
        if gate.counts_cells and not statistic.tells_cells:
            answer.present = answer.present + rows.present()
    except BadCells as error:
        # positions in a transformed table are not those of the client's own columns
        answer.problem = failure(error, () if answer.transformed else answer.columns)


def failure(error: BadCells, columns: tuple[str, ...] = ()) -> Failure:
    """Return a failure that names the rule and the column, if it is one of the client's own."""
    if error.what is not None:
        return Failure(error.rule, error.what)
    if error.position is None or not columns:
        return Failure(error.rule)
    known = error.position < len(columns)
    return Failure(error.rule, columns[error.position] if known else f"number {error.position}")


log = logging.getLogger("fedps.client")


class Responder:
    """Answers rounds about one table. Of a fit, it keeps only the messages that it got.

    Parameters
    ----------
    name : str
        The client's name.
    table : Table
        The client's own table.
    policy : Policy, optional
        What the client is willing to reveal. Default: ``Policy()``.
    functions : mapping of str to callable, optional
        Functions that the server may name, in process. Default: the server is not trusted, and
        only functions that the policy lists, NumPy's and scipy.special's may run.
    ledger : Ledger, optional
        The record of what left. Default: one in memory.
    consent : OwnerConsent, optional
        Whether the owner has approved a pipeline. Default: nobody is asked.

    Attributes
    ----------
    heard : tuple of bytes
        The messages of the fit so far. If a process lives for one message only, the next process has
        to ``remember`` them.
    """

    def __init__(
        self,
        name: str,
        table: Table,
        policy: Policy | None = None,
        functions: Mapping[str, Any] | None = None,
        ledger: Ledger | None = None,
        consent: OwnerConsent | None = None,
    ) -> None:
        self.name = name
        self.table = table
        self.policy = policy or Policy()
        self._gate = PolicyGate(self.policy)
        self.ledger = Ledger() if ledger is None else ledger
        self._consent = consent
        self.functions = functions  # None: the server is not trusted, and its work is limited
        self.kept: dict[str, KeptFit] = {}  # its parts of fits with split="columns", by name
        self.queries: Any = None  # its columns of the rows to predict
        self.heard: tuple[bytes, ...] = ()
        self._places: Places | None = None  # the tables of the fit that is under way
        self._is_new = False  # whether the message begins a fit, and is not a repeated one
        self._is_over = False  # whether the last round was refused or failed: none can follow it
        self.forget()

    def answer(self, message: bytes) -> bytes:
        """Return the reply to a round, both as bytes. Never raises for what a message says.

        The same message gets the same reply, however often it comes: engines may repeat messages.
        """
        round_ = decode(message, Round, "the server")
        self.ledger.drop()  # an answer that was interrupted was not sent
        try:
            heard = self._hear(message, round_)
        except BadCells as error:
            reply = self._instead(round_, failure(error))
        else:
            missed = Failure("journal")
            reply = self.reply(round_) if heard else self._instead(round_, missed)
        packed = encode(structs.replace(reply, to=mark(message)))
        if len(packed) > MAX_MESSAGE:
            self.ledger.drop()  # its answers are not sent
            reply = self._instead(round_, Failure("too large"))
            packed = encode(structs.replace(reply, to=mark(message)))
        try:
            self.ledger.commit()
        except OSError:
            log.exception("client %r cannot write its ledger: nothing is sent", self.name)
            self.ledger.drop()
            reply = Reply(self.name, round_.number, (), (), Failure("ledger"), mark(message))
            packed = encode(reply)
        if reply.problem is not None and self.heard and self.heard[-1] == message:
            self._is_over = True
        if reply.problem is not None and self._is_new:
            self.forget()  # a refused fit has not begun
        return packed

    def remember(self, messages: Sequence[bytes]) -> None:
        """Restore the journal from the messages of earlier rounds of a fit."""
        self.forget()
        for message in messages:
            round_ = decode(message, Round, "the server")
            try:
                self._begin_fit(round_)
                self._read(round_)
            except Exception:  # noqa: BLE001 - it was refused or failed then, whatever the reason
                self._is_over = True
        self.heard = tuple(messages)

    def _begin_fit(self, round_: Round) -> None:
        """Begin a fit if a round does, about what its request describes."""
        if (round_.request is None) != bool(round_.after):
            raise BadCells("journal")
        if round_.request is None:
            return
        about = (self.table, self.policy, self.functions, round_.request)
        if isinstance(self.table, OwnedTable):
            self._places = OwnerPlaces(*about, self.kept, self.queries)  # type: ignore[arg-type]
        else:
            self._places = Places(*about)

    def _read(self, round_: Round) -> list[Wanted]:
        """Note what a round tells, and return what it asks for; Refuse what is not agreed to."""
        places = self._places
        assert places is not None
        if places.work is not None:
            places.work.begin_round(len(round_.asks))
        places.hear(round_.tells)
        return [places.read(ask) for ask in round_.asks]

    def _hear(self, message: bytes, round_: Round) -> bool:
        """Add a message to the journal; return whether it begins one, is the next, or repeats the last."""
        self._is_new = not round_.after and self.heard != (message,)
        if not round_.after:
            self.forget()
        elif not self.heard:
            return False
        elif message == self.heard[-1]:
            before = self.heard[:-1]
            self.remember(before)  # what it tells is told once: as if it had not come yet
            self.heard = (*before, message)
            return True
        elif self._is_over or round_.after != mark(self.heard[-1]):
            return False
        if self.functions is None:
            check_journal(sum(map(len, self.heard)) + len(message))
        self.heard = (*self.heard, message)
        return True

    def transform(self, fitted: Any) -> Any:
        """Return this client's rows, transformed. They are not sent."""
        return transform(fitted, self.table, self.name)

    def predict(self, fitted: Any) -> Any:
        """Return a fitted model's predictions for this client's rows. They are not sent."""
        return predict(fitted, self.table, self.name)

    def fit_transform(self, learned: Learned, build: Callable[[Learned], Any]) -> Any:
        """Return this client's rows as the pooled ``fit_transform`` gives them, cross-fitted if need be.

        ``build`` makes the fitted transformer from what this client was told.
        """
        rows = self.table.schema().rows
        told = in_row_order(learned, self.table) if rows else learned.settled
        return transform(build(told), self.table, self.name)

    def own_rows(self) -> Any:
        """Return this client's columns, without those that its policy keeps back."""
        (chunk,) = self.table.chunks()
        return take(chunk.X, self._gate.offered(self.table.schema()))

    def no_columns(self) -> Any:
        """Return this client's rows without any columns, in the container of its table."""
        return take(self.own_rows(), [])

    def forget(self) -> None:
        """Drop derived tables and the journal."""
        self._places = None
        self._is_over = False
        self.heard = ()

    def reply(self, round_: Round) -> Reply:
        """Return the reply to the round that follows those heard so far."""
        try:
            reply = self._reply(round_)
        except BadCells as error:
            problem: Any = failure(error)
        except Refuse as refuse:
            problem = refuse.refusal
        except Exception:
            log.exception("round %d failed at client %r", round_.number, self.name)
            problem = Failure("error")
        else:
            if not isinstance(reply, Refusal):
                return reply
            problem = reply
        return self._instead(round_, problem)

    def _instead(self, round_: Round, problem: Refusal | Failure) -> Reply:
        """Return a reply with a problem instead of answers, and note it in the ledger."""
        outcome = "refused" if isinstance(problem, Refusal) else "failed"
        self.ledger.note(round_.number, "Round", (), "-", encode_part(problem), outcome)
        return Reply(self.name, round_.number, (), (), problem)

    def _check_consent(self, round_: Round) -> Refusal | None:
        """Check that the owner has approved, and not revoked meanwhile, what the fit is about."""
        request = round_.request
        if request is None and self._places is not None:
            request = self._places.request
        if self._consent is None or request is None:
            return None
        return self._consent.check(request, self.ledger.peer)

    def _reply(self, round_: Round) -> Reply | Refusal:
        if round_.request is not None and self.functions is None:
            check_request(round_.request, self.policy)
        if (refused := self._check_consent(round_)) is not None:
            return refused
        schema = self.table.schema()
        refusal = self._gate.check_rows(schema.rows)
        if refusal is None and self._is_new and self.policy.max_fits is not None:
            refusal = self._gate.check_fits(self.ledger.fits())
        if refusal is not None:
            return refusal
        self._begin_fit(round_)
        wanted = self._read(round_)
        assert self._places is not None
        if any(isinstance(tell, Keep) for tell in round_.tells):
            part = self._places.keep()
            if isinstance(part, Refusal):
                return part
            self.kept[str(self._places.request.fit)] = part
            columns = self._gate.offered_schema(schema).names or ()
            self.ledger.note(round_.number, KEPT_ENTRY, columns, "-", b"", "kept")
        found = answer_all(wanted, self._places, self._gate, schema.rows)
        # equal asks have one answer, which is written once
        once = {id(answer): answer for answer in found}
        packed = {key: Raw(self._note(round_.number, answer)) for key, answer in once.items()}
        answers = tuple(packed[id(answer)] for answer in found)
        schemas = () if round_.after else self._schemas(wanted)
        if schemas:
            columns = schemas[0].names or ()
            self.ledger.note(
                round_.number, SCHEMA_ENTRY, columns, "-", encode_part(schemas), "sent"
            )
        return Reply(self.name, round_.number, schemas, answers)

    def _schemas(self, wanted: Sequence[Wanted]) -> tuple[Schema, ...]:
        """Return the schema of the table, and of the target if it is asked about and offered."""
        target = self.table.target_schema()
        offered = self.policy.offers(self.table.target_name or "target")
        about_target = offered and any(ask.key.of == TARGET for ask in wanted)
        table = self._gate.offered_schema(self.table.schema())
        return (table, target) if about_target and target is not None else (table,)

    def _note(self, number: int, answer: Answer) -> bytes:
        """Return one answer as bytes, and note it in the ledger."""
        statistic = answer.ask.statistic
        packed = encode_part(answer.result)
        level = statistic.disclosure
        if answer.problem is None:  # under a policy, it may show less than it could
            level = min(level, self._gate.limits.level)
        self.ledger.note(
            number,
            type(statistic).__name__,
            answer.columns,
            level.name,
            packed,
            answer.outcome,
        )
        return packed
