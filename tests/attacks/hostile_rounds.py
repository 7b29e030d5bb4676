"""Hostile rounds to a client whose owner approved some pipelines. Run by itself: it measures its own memory.

``python -m tests.attacks.hostile_rounds 20000`` prints what came of 20,000 of them, as JSON. A second
number is the first seed; with a third, only each so-manieth pipeline takes part.
"""

from __future__ import annotations

import json
import logging
import random
import signal
import sys
import time
import warnings
from collections import Counter
from copy import deepcopy
from typing import Any

import numpy as np

from fedps.client import Responder
from fedps.errors import FedPSError
from fedps.protocol.codec import decode, encode_part
from fedps.protocol.messages import Reply, Round, mark
from tests.attacks.approved import PIPELINES, own_table
from tests.attacks.honest_forms import Judge
from tests.attacks.honest_talks import VICTIM, Honest, Talk, Watch, hash_of, what_of
from tests.attacks.hostile_words import AFTER, REQUEST, Speaker, Words, other_request
from tests.scripts.mutations import mutated
from tests.scripts.wire import memory, plain, reset_peak

SECONDS = 5  # of the processor, for one round
MOST_MEMORY = 512 * 2**20
MOST_FAULTS = 20


class Trial:
    """One fit with one client, to which some hostile rounds are said."""

    def __init__(self, run: Run, talk: Talk, seed: int) -> None:
        self.run, self.talk, self.seed = run, talk, seed
        self.rng = random.Random(seed)
        self.client = Responder(
            VICTIM, own_table(talk.approved.target), talk.policy, consent=run.honest.consent
        )
        self.last = b""
        self.judge: Judge | None = None  # of the fit that was begun, if it is approved
        self.told: set[Any] = set()
        self.before: dict[Any, bytes] = {}

    def go(self) -> None:
        """Say some honest rounds, and then others."""
        rng, rounds = self.rng, self.talk.rounds
        honest = min(rng.choice((0, 0, 0, 1, 1, 2, 3, 6)), len(rounds) - 1)
        speaker = Speaker(self.talk, self.run.words, rng)
        for number in range(honest):
            if not self.say(deepcopy(rounds[number])):
                return
        for number in range(honest, honest + rng.choice((1, 2, 2, 3, 5))):
            self.run.rounds += 1
            tree = speaker.round(number)
            if number == 0 and rng.random() < 0.1:
                tree[REQUEST] = other_request(tree[REQUEST], self.run.words, rng)
            if not self.say(tree) and rng.random() < 0.9:
                return  # nothing follows a round that was refused

    def say(self, tree: Any) -> bool:
        """Say a round, after the last one; return whether it was answered."""
        if not isinstance(tree, list):
            return False
        if len(tree) == 5 and self.last and tree[AFTER] != b"abcd":
            tree[AFTER] = mark(self.last) if tree[AFTER] != b"" or tree[REQUEST] is None else b""
        try:
            message = plain(tree)
        except (TypeError, ValueError, OverflowError, RecursionError):
            return False  # nobody can say that
        if self.rng.random() < 0.03:
            message = mutated(message, self.rng, self.run.others)
        reply = self.send(message)
        if reply is None:
            return False
        if reply.problem is None and self.rng.random() < 0.1:
            again = self.client.answer(message)
            self.run.watch.take()
            if again != self.reply:
                self.run.fault(self, "the same message got another reply")
        return reply.problem is None

    def send(self, message: bytes) -> Reply | None:
        """Send a message, hold what it takes against the limits, and the answers against the judge."""
        started = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        try:
            self.reply = self.client.answer(message)
        except FedPSError as error:
            self.run.found[type(error).__name__] += 1
            return None
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            self.run.time(self, time.process_time() - started)
        seen = self.run.watch.take()
        reply = decode(self.reply, Reply, VICTIM)
        round_ = decode(message, Round, "the server")
        problem = reply.problem
        kind = "answered" if problem is None else f"{type(problem).__name__}: {problem.rule}"
        self.run.found[kind] += 1
        self.run.asks += len(round_.asks)
        if self.client.heard and self.client.heard[-1] == message:
            self.last = message
        if problem is None:
            self.check(round_, reply, seen)
        elif reply.answers or reply.schemas:
            self.run.fault(self, "a refused round brings something")
        return reply

    def check(self, round_: Round, reply: Reply, seen: list[Any]) -> None:
        """Note a fault for each answer that no honest plan could have asked for."""
        run, request = self.run, round_.request
        if request is not None:
            self.told, self.before, self.judge = set(), {}, None
            what = what_of(request)
            if what in run.honest.forms:
                self.judge = Judge(request, run.honest.forms[what])
            elif request.pipeline is not None:
                run.fault(self, "a pipeline that was not approved is answered")
        if round_.tells:  # what is asked of what was learned may have another answer now
            self.before = {}
        for tell in round_.tells:
            self.check_told(tell)
        if len(seen) != len(round_.asks) or (seen and self.judge is None):
            run.fault(self, "answers without a pipeline, or more than were asked")
            return
        for (wanted, answer, width), raw in zip(seen, reply.answers, strict=True):
            outcome = answer.problem
            kind = type(wanted.statistic).__name__
            if outcome is None:
                run.answered[kind] += 1
            else:
                run.not_answered[f"{type(outcome).__name__}: {outcome.rule}"] += 1
            assert self.judge is not None
            if (fault := self.judge.judge(wanted, answer, width)) is not None:
                run.fault(self, fault)
            same = (wanted.key, encode_part(wanted.statistic))
            if wanted.given is None and self.before.setdefault(same, bytes(raw)) != bytes(raw):
                run.fault(self, f"{kind} got two answers")

    def check_told(self, tell: Any) -> None:
        """Note a fault if something is told twice."""
        kind, place = type(tell).__name__, getattr(tell, "place", None)
        about = (kind, place, getattr(tell, "trial", None))
        if kind != "Given" and about in self.told:
            self.run.fault(self, f"{about} is told twice")
        self.told.add(about)


class Run:
    """All trials, and what came of them."""

    def __init__(self, every: int = 1) -> None:
        self.watch = Watch()
        np.random.seed(0)  # noqa: NPY002 - what scikit-learn draws from without a seed
        self.honest = Honest(PIPELINES[::every], self.watch)
        self.talks = self.honest.talks
        self.words = Words(self.talks)
        self.others = [plain(round_) for talk in self.talks for round_ in talk.rounds]
        self.rounds = self.asks = 0
        self.slowest = 0.0
        self.peak = self.at_first = 0
        self.found: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()
        self.not_answered: Counter[str] = Counter()
        self.faults: list[str] = []

    def fault(self, trial: Trial, what: str) -> None:
        """Note what should not have been."""
        if len(self.faults) < MOST_FAULTS:
            about = trial.judge.request.pipeline if trial.judge else trial.talk.approved.estimator
            self.faults.append(f"seed {trial.seed}, {about}: {what}")

    def time(self, trial: Trial, seconds: float) -> None:
        """Note how long a round took."""
        self.slowest = max(self.slowest, seconds)
        if seconds > SECONDS:
            self.fault(trial, f"a round took {seconds:.1f} s")

    def measure(self, trial: Trial) -> None:
        """Note how much memory was taken at most."""
        most, self.peak = self.peak, memory("VmHWM") - self.at_first
        if self.peak > max(most, MOST_MEMORY):
            self.fault(trial, f"it took {self.peak // 2**20} MiB")

    def go(self, count: int, first: int) -> None:
        """Say so many hostile rounds."""
        kinds = sorted({talk.approved.target for talk in self.talks})
        before = [hash_of(own_table(kind)) for kind in kinds]
        reset_peak()
        self.at_first = memory("VmRSS")
        seed = first
        while self.rounds < count:
            trial = Trial(self, random.Random(~seed).choice(self.talks), seed)
            trial.go()
            self.measure(trial)
            seed += 1
        if before != [hash_of(own_table(kind)) for kind in kinds]:
            self.faults.append("the client's table is not what it was")


def stuck(number: int, frame: Any) -> None:
    raise TimeoutError


def main() -> None:
    count = int(sys.argv[1])
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    warnings.simplefilter("ignore")
    logging.getLogger("fedps.client").setLevel(logging.CRITICAL)
    signal.signal(signal.SIGPROF, stuck)
    run = Run(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    started = time.process_time()
    run.go(count, first)
    result = {
        "rounds": run.rounds,
        "asks": run.asks,
        "found": run.found,
        "answered": run.answered,
        "not answered": run.not_answered,
        "faults": run.faults,
        "slowest": run.slowest,
        "peak": run.peak,
        "seconds": time.process_time() - started,
        "seconds before": started,
        "asked": sorted({f.kind for forms in run.honest.forms.values() for f in forms}),
    }
    print(json.dumps(result))  # noqa: T201


if __name__ == "__main__":
    main()
