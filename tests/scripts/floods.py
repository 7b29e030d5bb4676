"""Messages made to unfold to far more than they are. Run by itself: it measures its own memory."""

from __future__ import annotations

import json
import logging
import resource
import signal
import sys
import time
import warnings

import msgspec
import numpy as np

from fedps.errors import PeerError
from fedps.protocol.answers import read_answer
from fedps.protocol.codec import decode, encode_part
from fedps.protocol.limits import MAX_MESSAGE, MAX_WIDTH
from fedps.protocol.messages import Reply, Round
from fedps.protocol.packing.arrays import Budget, Form, unpack
from fedps.statistics import KLL, ByCategory, Categories, Moments, Within
from fedps.statistics.ragged import Ragged
from fedps.statistics.target.category_by_label import Labels
from tests.scripts.flood_rounds import ROUNDS
from tests.scripts.wire import (
    ARRAY,
    FACTS,
    RAGGED,
    TUPLE,
    Ext,
    deflated,
    described,
    facts,
    memory,
    msgpack,
    packed,
    plain,
    reset_peak,
    round_of,
    varint,
)

MOST_SECONDS = 20  # of the processor, then it is given up
MOST_MEMORY = 8 * 2**30

F8, I8, B1, OBJECT = 0, 2, 3, 11
SOME = MAX_MESSAGE - 200
ASK = b"\x93\x01\x90\x91\x93\x00\x00"  # a round, up to the free numbers of its only ask
# a round, up to the marker of the sketch in its request
SKETCH = b"\x95\x01\x90\x90\xc4\x00\x96\xc0\x01\xc2\xc0\xc0\x92\xa7missing"
OSLO = b"\x94\xa4oslo\x01"  # a reply, up to its schemas
KINDS = {"lists": b"\x90", "maps": b"\x80", "numbers": b"\x7f", "texts": b"\xa0"}


def many(count, item):
    return b"\xdd" + count.to_bytes(4, "big") + item * count


def named_schemas():
    return msgpack(["numpy", [f"{i:02}" for i in range(100)], 2, ["<f8"], 5])


def about(*params):
    """Return a round about a pipeline, of which each step has parameters."""
    steps = [described("Binarizer", Ext(FACTS, each)) for each in params]
    return round_of(pipeline=described("Pipeline", None, steps))


def told(names):
    return round_of(tells=[["order", names]])


def nested_pipelines(depth):
    """Return a round about a Pipeline inside a Pipeline, and so on."""
    open_ = b"\x93\xa8Pipeline" + msgpack(facts()) + b"\x91"
    return b"\x95\x01\x90\x90\xc4\x00\x91" + open_ * depth + b"\xc0"


def wide_pipelines(number):
    """Return a round about very many steps inside of very many steps."""
    step = b"\x92\xa1P" + msgpack(facts())
    whole = b"\x93\xa1P" + msgpack(facts()) + many(1000, step)
    return b"\x95\x01\x90\x90\xc4\x00\x91\x93\xa1P" + msgpack(facts()) + many(number, whole)


def nested_parameters(depth):
    body = b"\x80"
    for _ in range(depth):
        body = msgpack(Ext(TUPLE, msgpack([msgspec.Raw(body)])))
    return b"\x81\xa1a" + body


def keys_of_one_hash(count):
    same = ((i * (2**61 - 1)) % 2**64 for i in range(count))
    return b"".join(b"\xcf" + key.to_bytes(8, "big") + b"\xc0" for key in same)


# Messages that are small, or at least allowed, and would be very large unfolded.
FLOODS = {
    "zeros": (Reply, lambda: deflated(bytes(64 * 2**20))),
    "just above the cap": (Reply, lambda: deflated(bytes(MAX_MESSAGE + 1))),
    "names": (Reply, lambda: deflated(OSLO + many(10**4, named_schemas()))),
    "answers": (Reply, lambda: deflated(OSLO + b"\x90" + many(10**5 + 1, b"\xc0"))),
    **{
        f"marker of {name}": (Round, lambda item=item: deflated(SKETCH + many(SOME, item)))
        for name, item in KINDS.items()
    },
    **{
        f"free {name}": (Round, lambda item=item: deflated(ASK + many(SOME, item)))
        for name, item in KINDS.items()
    },
    **{
        f"parameters of {name}": (
            Round,
            lambda item=item: deflated(about(*[b"\x81\xa1a" + many(2**20 - 50, item)] * 15)),
        )
        for name, item in KINDS.items()
    },
    "keys of one hash": (
        Round,
        lambda: plain(SKETCH + b"\xdf\x00\x01\x86\xa0" + keys_of_one_hash(10**5)),
    ),
    "wide text": (
        Round,
        lambda: plain(SKETCH + msgpack("x" * (SOME - 100) + "\U0001f600")),
    ),
    "wide names": (Round, lambda: deflated(told(["x" * 500 + "\U0001f600"] * 30_000))),
    "parameters in parameters": (Round, lambda: plain(about(nested_parameters(40)))),
    "pipelines in pipelines": (Round, lambda: deflated(nested_pipelines(10**6))),
    "pipelines beside pipelines": (Round, lambda: deflated(wide_pipelines(1000))),
    "asks": (Round, lambda: deflated(b"\x93\x01\x90" + many(10**6, b"\x92\x00\x00"))),
    "tells": (Round, lambda: deflated(b"\x93\x01" + many(10**6, b"\x91\xa4keep") + b"\x90")),
    "columns": (
        Round,
        lambda: deflated(ASK.replace(b"\x93\x00", b"\x94\x00") + b"\x90" + many(10**6, b"\x00")),
    ),
    "nesting": (Round, lambda: deflated(b"\x91" * SOME)),
    "nested marker": (Round, lambda: deflated(SKETCH + b"\x91" * (SOME - 50))),
    "nested numbers": (Round, lambda: deflated(ASK + b"\x91" * (SOME - 50))),
    "nested answer": (Reply, lambda: deflated(OSLO + b"\x90" + b"\x91" * (SOME - 50))),
    "nested maps": (Round, lambda: deflated(SKETCH + b"\x81\x01" * (SOME // 3))),
    "short nested maps": (Round, lambda: deflated(SKETCH + b"\x81\x01" * 20_000)),
}


MOST = 2 * MAX_MESSAGE // 8 - 1000
FEW = 2 * MAX_MESSAGE // 100

# Packed arrays that unfold as far as they may, or a little further.
LARGE = {
    "same": lambda: packed(Form.SAME, F8, (MOST,), b"\x02\x07"),
    "truths": lambda: packed(Form.SAME, B1, (MOST,), b"\x00\x01"),
    "whole": lambda: packed(Form.WHOLE, F8, (MOST,), b"\x07" * MOST),
    "whole integers": lambda: packed(Form.WHOLE, I8, (MOST,), b"\x07" * MOST),
    "steps": lambda: packed(Form.STEPS, F8, (MOST,), b"\x02" * MOST),
    "mixed": lambda: packed(Form.MIXED, F8, (MOST,), b"\xff" * (-(-MOST // 8)) + b"\x07" * MOST),
    "left over": lambda: packed(Form.WHOLE, F8, (MOST // 3,), b"\x07" * SOME),
    "narrow": lambda: packed(Form.NARROW, F8, (MOST // 2,), b"\x07" * (2 * MOST)),
    "texts": lambda: packed(Form.SCALARS, OBJECT, (FEW,), many(FEW, b"\xa2ab")),
    "wide texts": lambda: packed(
        Form.SCALARS, OBJECT, (4000,), msgpack(["x" * 4000 + "\U0001f600"] * 4000)
    ),
}


def tiny_arrays():
    """Return the answer of a client that sends a million columns without any category."""
    tiny = msgpack(Ext(ARRAY, packed(Form.RAW, F8, (0,), b"")))
    return b"\x95\xaacategories" + many(10**6, tiny) + b"\x90" + tiny + tiny


def wide_moments():
    """Return the moments of as many columns as can be told of in a few bytes."""
    line = Ext(ARRAY, packed(Form.SAME, F8, (1, MAX_WIDTH), b"\x00" + bytes(8)))
    return msgpack(["moments", *[line] * 4])


def no_moments():
    """Return the moments of no rows of as many columns."""
    line = Ext(ARRAY, packed(Form.RAW, F8, (0, MAX_WIDTH), b""))
    return msgpack(["moments", *[line] * 4])


def tiny_lists():
    """Return the intervals' cells of a client that sends very many columns without any."""
    sizes = packed(Form.SAME, I8, (10**6,), b"\x02\x00")
    lists = Ext(RAGGED, varint(len(sizes)) + sizes + packed(Form.RAW, F8, (0,), b""))
    return msgpack(["within", *[lists] * 4])


def lists_of_lies():
    """Return lists whose lengths add up to more than there is, and around."""
    sizes = packed(Form.RAW, I8, (2,), (2**62).to_bytes(8, "little") * 2)
    lists = Ext(RAGGED, varint(len(sizes)) + sizes + packed(Form.RAW, I8, (0,), b""))
    return msgpack(["within", *[lists] * 4])


def heavy_sketch():
    """Return a sketch whose few items stand for more cells than there can be."""
    one = Ext(ARRAY, packed(Form.SAME, F8, (1,), b"\x02\x07"))
    lengths = Ext(ARRAY, packed(Form.RAW, I8, (61,), bytes(8 * 60) + (1).to_bytes(8, "little")))
    many_ = Ext(ARRAY, packed(Form.RAW, I8, (1,), (2**60).to_bytes(8, "little")))
    none = Ext(ARRAY, packed(Form.RAW, I8, (1,), bytes(8)))
    return msgpack(["sketch", [one], [lengths], [], many_, none, one, one])


def crossed_labels():
    """Return very many categories beside very many labels, one row each."""
    number = 20_000
    values = np.arange(number, dtype=np.float64)
    words = np.array([f"{i:05}" for i in range(number)], dtype=object)
    cells, ones = np.arange(number) * (number + 1), np.ones(number, dtype=np.int64)
    labels = Labels(words, ["numpy |O"])
    lists = Ragged([cells]), Ragged([ones])
    return encode_part(ByCategory.summary(labels, [], (values,), (), *lists))


ANSWERS = {
    "tiny lists": (Within((np.empty((2, 0)),) * 2), tiny_lists),
    "lists of lies": (Within((np.empty((2, 0)),) * 2), lists_of_lies),
    "heavy sketch": (KLL(), heavy_sketch),
    "crossed labels": (ByCategory(), crossed_labels),
    "tiny arrays": (Categories(), tiny_arrays),
    "wide moments": (Moments(), wide_moments),
    "no moments": (Moments(), no_moments),
}


def read_all(statistic, raw):
    rows = 20_000 if isinstance(statistic, ByCategory) else 5
    answer, _ = read_answer(statistic, "oslo", msgspec.Raw(raw), rows, Budget())
    statistic.result(statistic.merge(statistic.empty(answer.width or 0), answer))


def ask_client(asked):
    """Let a client answer a round; what it says of it."""
    responder, data = asked
    reply = decode(responder.answer(data), Reply, "client 'oslo'")
    if reply.problem is not None:
        raise ValueError(reply.problem.rule)
    for raw in reply.answers:
        if bytes(raw[:9] if isinstance(raw, bytes) else raw)[1:9] == b"\xa7!failed":
            raise ValueError(msgspec.msgpack.decode(raw)[1])


def jobs():
    for name, (kind, make) in FLOODS.items():
        yield name, make, lambda data, kind=kind: decode(data, kind, "the peer")
    for name, make in LARGE.items():
        yield name, make, lambda data: unpack(memoryview(data), Budget())
    for name, (statistic, make) in ANSWERS.items():
        yield name, make, lambda data, statistic=statistic: read_all(statistic, data)
    for name, make in ROUNDS.items():
        yield name, make, ask_client


def stuck(number, frame):
    raise TimeoutError


def main():
    """Print for each flood what came of it, the peak of memory in bytes, and the seconds.

    Those that are named, or all.
    """
    logging.getLogger("fedps.client").setLevel(logging.CRITICAL)
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))  # spare the machine
    signal.signal(signal.SIGPROF, stuck)
    wanted, found = sys.argv[1:], {}
    for name, make, read in jobs():
        if wanted and name not in wanted:
            continue
        data = make()
        reset_peak()
        before, started = memory("VmRSS"), time.process_time()
        signal.setitimer(signal.ITIMER_PROF, MOST_SECONDS)
        try:
            read(data)
            said = ""
        except (PeerError, ValueError) as error:
            said = f"{type(error).__name__}: {error}"
        signal.setitimer(signal.ITIMER_PROF, 0)
        seconds = time.process_time() - started
        size = len(data[-1] if isinstance(data, tuple) else data)
        found[name] = said, memory("VmHWM") - before + size, seconds
    print(json.dumps(found))  # noqa: T201


if __name__ == "__main__":
    main()
