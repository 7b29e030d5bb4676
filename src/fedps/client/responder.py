"""The responder: answers rounds about one table, behind a policy. A round in, a reply out."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Any

from msgspec import Raw, structs
from sklearn import config_context

from fedps.client import hearing
from fedps.client.answer import Answer
from fedps.client.answering import Answering, failure
from fedps.client.hearing import PLAIN_CONFIG, Hearing, hear
from fedps.client.ledger import KEPT_ENTRY, SCHEMA_ENTRY, Account, Charge, Ledger
from fedps.client.matching.journal import without_arrays
from fedps.client.own_outputs import OwnOutputs
from fedps.client.owner.owner_state import OwnerState
from fedps.client.places.asked import Refuse, Wanted, question_words
from fedps.client.places.check_pipeline import check_request
from fedps.client.places.owner_places import owner_places
from fedps.client.places.places import Places
from fedps.client.policy import Policy
from fedps.client.requests.digest import request_digest, short_name
from fedps.client.requests.known_requesters import Consent
from fedps.client.requests.own_request import own_request
from fedps.client.rules.gate import PolicyGate
from fedps.client.rules.spending import Allowed, Spending, told_by
from fedps.client.rules.units import Units
from fedps.client.tables import Table
from fedps.client.tables.owned_table import OwnedTable
from fedps.client.work_limits import check_journal
from fedps.learned.looks import is_look
from fedps.protocol.codec import encode, encode_part
from fedps.protocol.limits import MAX_MESSAGE
from fedps.protocol.messages import Beside, Failure, Keep, Refusal, Reply, Request, Round, mark
from fedps.questions import TARGET
from fedps.statistics import BadCells, Schema

log = logging.getLogger("fedps.client")


class Responder(OwnOutputs):
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
    consent : Consent, optional
        Who must agree to a request, such as the owner. Default: nobody is asked.
    own : OwnerState, optional
        What an owner of columns has besides its table. Default: nothing yet, and it is in memory.

    Attributes
    ----------
    heard : tuple of bytes
        The messages of the fit so far. If a process lives for one message only, the next process has
        to ``remember`` them.
    rows_seen : str
        What would differ if the rows of the fit did, to be remembered, too.
    """

    def __init__(
        self,
        name: str,
        table: Table,
        policy: Policy | None = None,
        functions: Mapping[str, Any] | None = None,
        ledger: Ledger | None = None,
        consent: Consent | None = None,
        own: OwnerState | None = None,
    ) -> None:
        self.name = name
        self.table = table
        self._is_owner = isinstance(table, OwnedTable)  # of some columns
        self.policy = policy or Policy()
        unit = self.policy.unit
        self._own_gate = PolicyGate(self.policy, None if unit is None else Units(table, unit))
        self._gate = self._own_gate
        self.ledger = Ledger() if ledger is None else ledger
        self._consent = consent
        if own is not None:
            self.own = own
        self.functions = functions  # None: the server is not trusted, and its work is limited
        self.heard: tuple[bytes, ...] = ()
        self.rows_seen = ""
        self._places: Places | None = None  # the tables of the fit that is under way
        self._about: Request | None = None  # what it is about, as this client sees it
        self._rows: int | None = None  # how many rows the fit is about, once that is known
        self._is_new = False  # whether the message begins a fit, and is not a repeated one
        self._is_over = False  # whether the last round was refused or failed: none can follow it
        self.forget()

    def answer(self, message: bytes) -> bytes:
        """Return the reply to a round, both as bytes. Never raises for what a message says.

        The same message gets the same reply, however often it comes: engines may repeat messages.
        """
        # in process it is the caller's configuration; elsewhere the message says all that matters
        in_process = self.functions is not None or (self._is_owner and self.own.files is None)
        with nullcontext() if in_process else config_context(**PLAIN_CONFIG):
            return self._answer(message)

    def _answer(self, message: bytes) -> bytes:
        heard = hear(message, alone=self._is_owner)
        round_ = heard.round
        self._rows = None
        self.ledger.drop()  # an answer that was interrupted was not sent
        try:
            follows = self._hear(message, round_)
        except BadCells as error:
            reply = self._instead(round_, failure(error))
        else:
            reply = self.reply(heard) if follows else self._instead(round_, Failure("journal"))
        packed = encode(structs.replace(reply, to=mark(message)))
        if len(packed) > MAX_MESSAGE:
            self.ledger.drop()  # its answers are not sent
            reply = self._instead(round_, Failure("too large"))
            packed = encode(structs.replace(reply, to=mark(message)))
        try:
            check = self._check_account if self._own_gate.counts_answers else None
            refusal = self.ledger.commit(check)
            if refusal is not None:  # another fit was faster
                reply = self._instead(round_, refusal)
                packed = encode(structs.replace(reply, to=mark(message)))
                self.ledger.commit()
        except OSError:
            log.exception("client %r cannot write its ledger: nothing is sent", self.name)
            self.ledger.drop()
            reply = Reply(self.name, round_.number, (), (), Failure("ledger"), mark(message))
            packed = encode(reply)
        if reply.problem is not None and self.heard and self.heard[-1] == message:
            self._is_over = True
        problem = reply.problem
        if problem is not None and (self._is_new or problem.rule == "source changed"):
            self.forget()  # a refused fit has not begun, and one of rows that are gone is over
        return packed

    def remember(self, messages: Sequence[bytes], rows_seen: str = "") -> None:
        """Restore the journal from the messages of earlier rounds of a fit, and which rows it was about."""
        self._begin_journal()
        self.rows_seen = rows_seen
        for message in messages:
            heard = hear(message, alone=self._is_owner)
            try:
                self._begin_fit(heard)
                self._read(heard)
            except Exception:  # noqa: BLE001 - it was refused or failed then, whatever the reason
                self._is_over = True
        self.heard = tuple(messages)

    def _begin_fit(self, heard: Hearing) -> None:
        """Begin a fit if a round does, about what its request describes."""
        round_ = heard.round
        if (round_.request is None) != bool(round_.after):
            raise BadCells("journal")
        if round_.request is None:
            return
        self._about = self._own(round_.request, round_)
        about = (self.rows_of(round_.request.match), self.policy, self.functions, heard)
        # an owner of columns can be looked at alone
        if self._is_owner and not is_look(round_.request.pipeline):
            self._places = owner_places(about, self.own)
        else:
            self._places = Places(*about)
        self._gate = self._gate_for(self._places)

    def _gate_for(self, places: Places) -> PolicyGate:
        """Return the rules for what is asked: rows may be others than those of the table, as may be the rules."""
        if places.table is self.table:
            return self._own_gate
        unit = places.policy.unit
        if unit is None or places.request.matches:  # the key alone tells nothing of units
            return PolicyGate(places.policy)
        return PolicyGate(places.policy, Units(places.table, unit))

    def _read(self, heard: Hearing) -> list[Wanted]:
        """Note what a round tells, and return what it asks for; Refuse what is not agreed to."""
        places = self._places
        assert places is not None
        if places.work is not None:
            places.work.begin_round(len(heard.round.asks))
        places.hear(heard)
        return [places.read(ask) for ask in heard.round.asks]

    def _hear(self, message: bytes, round_: Round) -> bool:
        """Add a message to the journal; return whether it begins one, is the next, or repeats the last."""
        # the same first message about other rows is another fit
        again = self.heard == (message,) and not self._has_other_rows()
        self._is_new = not round_.after and not again
        if self._is_new:
            self.forget()
        elif not round_.after:
            self._begin_journal()
        elif not self.heard:
            return False
        elif message == self.heard[-1]:
            before = self.heard[:-1]
            # what it tells is told once: as if it had not come yet
            self.remember(before, self.rows_seen)
            self.heard = (*before, message)
            return True
        elif self._is_over or round_.after != mark(self.heard[-1]):
            return False
        if self.functions is None:
            check_journal(sum(map(len, self.heard)) + len(message))
        if self._about is not None and self._about.matches:
            self.heard = without_arrays(self.heard)
        self.heard = (*self.heard, message)
        return True

    def forget(self) -> None:
        """Drop derived tables and the journal, and let go of the rows: the fit is over."""
        self._begin_journal()
        self.rows_seen = ""
        self.table.release()

    def _begin_journal(self) -> None:
        hearing.forget(self.heard)
        self._places = None
        self._about = None
        self._is_over = False
        self.heard = ()

    def reply(self, heard: Hearing) -> Reply:
        """Return the reply to the round that follows those heard so far."""
        round_ = heard.round
        try:
            reply = self._reply(heard)
        except BadCells as error:
            problem: Any = failure(error)
        except Refuse as refuse:
            return self._instead(round_, refuse.refusal, refuse.columns)
        except Exception:
            log.exception("round %d failed at client %r", round_.number, self.name)
            problem = Failure("error")
        else:
            if not isinstance(reply, Refusal):
                return reply
            problem = reply
        return self._instead(round_, problem)

    def _instead(
        self, round_: Round, problem: Refusal | Failure, columns: tuple[str, ...] = ()
    ) -> Reply:
        """Return a reply with a problem instead of answers, and note it in the ledger.

        ``columns`` are those whose cells made it a problem, which tells a number about each.
        """
        outcome = "refused" if isinstance(problem, Refusal) else "failed"
        # a fit that fails counts as one: what made it fail is an answer
        name = SCHEMA_ENTRY if outcome == "failed" and self._is_new else "Round"
        told = told_by(b"".join(self.heard[-1:]), columns)
        about = (name, columns, "-", encode_part(problem), outcome)
        self._record(round_.number, *about, problem.rule, told)
        return Reply(self.name, round_.number, (), (), problem)

    def _record(
        self,
        number: int,
        statistic: str,
        columns: tuple[str, ...],
        level: str,
        answer: bytes,
        outcome: str,
        question: str,
        charges: Sequence[Charge] = (),
    ) -> None:
        """Note something in the ledger, with the pipeline that it is about and who approved that."""
        request, pipeline, approval = self._about, "", ""
        if request is not None and request.needs_consent:
            pipeline = self._named(request)
            approval = "policy" if self.policy.consent == "policy" else f"owner {pipeline}"
        self.ledger.note(
            number,
            statistic,
            columns,
            level,
            answer,
            outcome,
            question=question,
            pipeline=pipeline,
            approval=approval,
            charges=charges,
        )

    def _named(self, request: Request) -> str:
        """Return the name of a pipeline; worked out once where all clients of the process hear of the same."""
        began = None if self._places is None else self._places.began
        if began is None or began.round.request is not request:
            return short_name(request_digest(request))
        return began.once("name", lambda: short_name(request_digest(request)))

    def _check_account(
        self, account: Account, charges: Sequence[Charge], fits: int
    ) -> Refusal | None:
        """Check, as one step with writing, that fits and charges are within the policy's limits."""
        begins = fits and self._is_new  # a message that comes again is no other fit
        if begins and (refusal := self._gate.check_fits(account.fits)) is not None:
            return refusal
        if self._rows is None:  # the message failed before the table was read: nothing is told
            return None
        allowed = Allowed(self.policy, self._rows)
        return allowed.check(account, charges) if allowed.counts else None

    def _check_rows(self) -> None:
        """Note which rows the fit is about, or check that they still are the same; before and after reading them."""
        if self._has_other_rows():
            raise BadCells("source changed")
        self.rows_seen = max(self.rows_seen, self.table.fingerprint(), key=len)

    def _has_other_rows(self) -> bool:
        """Whether the rows are known not to be those of the fit; before they are read, less of them is known."""
        seen, now = self.rows_seen, self.table.fingerprint()
        return not (seen.startswith(now) or now.startswith(seen))

    def _check_consent(self, round_: Round) -> Refusal | None:
        """Check that the owner has approved, and not revoked meanwhile, what the fit is about."""
        if round_.request is not None:
            self._about = self._own(round_.request, round_)
        if self._consent is None or self._about is None:
            return None
        return self._consent.check(self._about, self.ledger.peer)

    def _own(self, request: Request, round_: Round) -> Request:
        """Return a request as it is about this client's own columns."""
        if not request.across:
            return request
        beside = next((tell for tell in round_.tells if isinstance(tell, Beside)), None)
        return own_request(request, beside, self._gate.offered_schema(self.table.schema()))

    def _check_fit(self, request: Request | None, rows: int) -> Refusal | None:
        refusal = self._gate.check_rows(rows)
        if refusal is None and request is not None:
            refusal = self._gate.check_clients(request.clients)
        if refusal is None and self._is_new and self.policy.max_fits is not None:
            refusal = self._gate.check_fits(self.ledger.account().fits)
        return refusal

    def _reply(self, heard: Hearing) -> Reply | Refusal:
        round_ = heard.round
        if round_.request is not None and self.functions is None:
            check_request(round_.request, self.policy)
        if (refused := self._check_consent(round_)) is not None:
            return refused
        self._begin_fit(heard)
        assert self._places is not None
        self._check_rows()
        self._rows = rows = self._places.table.schema().rows
        if (refused := self._check_fit(round_.request, rows)) is not None:
            return refused
        wanted = self._read(heard)
        if round_.request is not None:
            self._places.begin(round_)
        if any(isinstance(tell, Keep) for tell in round_.tells):
            if (refused := self._places.keep()) is not None:
                return refused
            columns = self._gate.offered_schema(self._places.table.schema()).names or ()
            self._record(round_.number, KEPT_ENTRY, columns, "-", b"", "kept", self._places.keeps)
        counts = Allowed(self.policy, rows).counts
        spending = Spending(self.policy, rows, self.ledger.account()) if counts else None
        found = Answering(self._places, self._gate, rows, spending).answer_all(wanted)
        self._check_rows()
        once = {id(answer): answer for answer in found}  # equal asks have one
        packed = {key: Raw(self._note(round_.number, answer)) for key, answer in once.items()}
        answers = tuple(packed[id(answer)] for answer in found)
        schemas: tuple[Schema, ...] = ()
        if not round_.after:
            about_target = any(ask.key.of == TARGET for ask in wanted)
            schemas = self._gate.shown_schemas(self._places.table, about_target=about_target)
            about = (SCHEMA_ENTRY, schemas[0].names or (), "-", encode_part(schemas), "sent")
            words = "; ".join(filter(None, ("names, rows", self.rows_seen)))
            self._record(round_.number, *about, words)
        return Reply(self.name, round_.number, schemas, answers)

    def _note(self, number: int, answer: Answer) -> bytes:
        """Return one answer as bytes, and note it in the ledger."""
        statistic = answer.ask.statistic
        packed = encode_part(answer.result)
        level = statistic.disclosure
        if answer.problem is None:  # under a policy, it may show less than it could
            level = min(level, self._gate.limits.level)
        assert self._places is not None
        words = question_words(answer.ask, self._places.asked.declared.places)
        about = (type(statistic).__name__, answer.columns, level.name, packed, answer.outcome)
        self._record(number, *about, words, answer.charges)
        return packed
