"""Processes that begin at once, forked from one that has imported FedPS: each is there in no time."""

from __future__ import annotations

import multiprocessing

FORKS = "forkserver" in multiprocessing.get_all_start_methods()
CONTEXT = multiprocessing.get_context("forkserver" if FORKS else "spawn")
if FORKS:
    CONTEXT.set_forkserver_preload(["fedps", "sklearn.preprocessing"])
SECONDS = 120  # then something hangs


def at_once(do, *arguments):
    """Return what ``do(ready, *own)`` returns in a process for each of the arguments.

    Each calls ``ready()``, which returns when all have.
    """
    ready, said = CONTEXT.Barrier(len(arguments), timeout=SECONDS), CONTEXT.SimpleQueue()
    started = [CONTEXT.Process(target=_run, args=(do, ready, said, own)) for own in arguments]
    for process in started:
        process.start()
    for process in started:
        process.join(SECONDS)
    assert [process.exitcode for process in started] == [0] * len(started)
    return [said.get() for _ in started]


def _run(do, ready, said, own):
    said.put(do(ready.wait, *own))
