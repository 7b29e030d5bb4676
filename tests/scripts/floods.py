"""Messages made to unfold to far more than they are. Run by itself: it measures its own memory."""

from __future__ import annotations

import json
import logging
import time

import msgspec
import numpy as np

from fedps.client import Policy, Responder, open_table
from fedps.errors import PeerError
from fedps.protocol.answers import read_answer
from fedps.protocol.arrays import Budget, Form, unpack
from fedps.protocol.codec import decode, encode, encode_part
from fedps.protocol.limits import MAX_MESSAGE, MAX_WIDTH
from fedps.protocol.messages import Ask, Draw, Folds, Reply, Round, Tell
from fedps.statistics import (
    KLL,
    REQ,
    ByCategory,
    ByKnown,
    Categories,
    Clusters,
    CoarseDistances,
    Donors,
    Farthest,
    FarthestRows,
    FrequentItems,
    Moments,
    Neighbours,
    PairDistances,
    Partial,
    PickedRows,
    PowerSums,
    Ranks,
    RowClusters,
    RowDistances,
    Spread,
    Within,
)
from fedps.statistics.base import Ragged
from fedps.statistics.sums.power_curves import Curve, PowerForm
from fedps.statistics.sums.power_sum_parts import Trial
from fedps.statistics.target.category_by_label import Labels
from tests.scripts.wire import (
    ARRAY,
    FACTS,
    RAGGED,
    TUPLE,
    Ext,
    deflated,
    facts,
    memory,
    msgpack,
    packed,
    plain,
    reset_peak,
    round_of,
    varint,
)

F8, I8, B1, OBJECT = 0, 2, 3, 11
SOME = MAX_MESSAGE - 200
ASK = b"\x93\x01\x90\x91\x92\x92\xa7missing"  # a round, up to the marker of its only ask
OSLO = b"\x95\xa4oslo\x01"  # a reply, up to its schemas
KINDS = {"lists": b"\x90", "maps": b"\x80", "numbers": b"\x7f", "texts": b"\xa0"}


def many(count, item):
    return b"\xdd" + count.to_bytes(4, "big") + item * count


def named_schemas():
    return msgpack(["numpy", [f"{i:02}" for i in range(100)], 2, ["<f8"], 5])


def told(params):
    return [2, 0, ["apply", ["Binarizer", Ext(FACTS, params), facts(), []]]]


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
    "chosen": (
        Reply,
        lambda: deflated(OSLO + b"\x90" + many(64, many(65535, b"\xcd\x7f\xff")) + b"\x90"),
    ),
    "answers": (Reply, lambda: deflated(OSLO + b"\x90\x90" + many(10**5 + 1, b"\xc0"))),
    **{
        f"marker of {name}": (Round, lambda item=item: deflated(ASK + many(SOME, item) + b"\x00"))
        for name, item in KINDS.items()
    },
    **{
        f"parameters of {name}": (
            Round,
            lambda item=item: deflated([1, [told(b"\x81\xa1a" + many(2**20 - 50, item))] * 15, []]),
        )
        for name, item in KINDS.items()
    },
    "keys of one hash": (
        Round,
        lambda: plain(ASK + b"\xdf\x00\x01\x86\xa0" + keys_of_one_hash(10**5) + b"\x00"),
    ),
    "wide text": (Round, lambda: plain(round_of(["missing", "x" * (SOME - 100) + "\U0001f600"]))),
    "wide names": (
        Round,
        lambda: deflated(
            [1, [[2, 0, ["select", ["named", ["x" * 500 + "\U0001f600"] * 30_000]]]], []]
        ),
    ),
    "parameters in parameters": (Round, lambda: plain([1, [told(nested_parameters(40))], []])),
    "nesting": (Round, lambda: deflated(b"\x91" * SOME)),
    "nested marker": (Round, lambda: deflated(ASK + b"\x91" * (SOME - 50))),
    "nested answer": (Reply, lambda: deflated(OSLO + b"\x90\x90" + b"\x91" * (SOME - 50))),
    "nested maps": (Round, lambda: deflated(ASK + b"\x81\x01" * (SOME // 3))),
    "short nested maps": (Round, lambda: deflated(ASK + b"\x81\x01" * 20_000)),
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
    return msgpack(["ranks", lists])


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
    "lists of lies": (Ranks((np.empty((2, 0)),) * 2), lists_of_lies),
    "heavy sketch": (KLL(), heavy_sketch),
    "crossed labels": (ByCategory(), crossed_labels),
    "tiny arrays": (Categories(), tiny_arrays),
    "wide moments": (Moments(), wide_moments),
    "no moments": (Moments(), no_moments),
}


def asks(*statistics):
    """Return a round that asks a client for statistics of rows that are drawn and folded."""
    ones, folds = np.ones(ROWS, dtype=np.uint8), np.arange(ROWS) % 2
    tells = Tell(2, 0, Draw(ones)), Tell(3, 0, Folds(folds, grouped=False))
    return encode(Round(1, tells, tuple(Ask(statistic, 3) for statistic in statistics)))


def told_rows(change):
    return encode(Round(1, (Tell(2, 0, change),), (Ask(Moments(), 2),)))


KEYS = np.array([[0], [2**63]], dtype=np.uint64)
MANY = np.repeat(KEYS, 2000, axis=1)
NO_CATEGORIES = ((), ())
CURVE = Curve(PowerForm.MIXED, 0.0, 1.0)

# Short rounds that would make a client compute very much.
ROWS = 20
ROUNDS = {
    "draws": lambda: told_rows(Draw(np.full(ROWS, 2**40))),
    "draws that wrap": lambda: told_rows(Draw(np.full(ROWS, 2**62))),
    "folds": lambda: told_rows(Folds(np.full(ROWS, 2**62), grouped=True)),
    "sums in folds": lambda: asks(ByKnown(NO_CATEGORIES, "numbers", folds=2**31)),
    "counts in folds": lambda: asks(ByKnown(NO_CATEGORIES, "labels", folds=2**31)),
    "slices": lambda: asks(Ranks((MANY, MANY), ways=2**16)),
    "intervals": lambda: asks(Within((np.zeros((2, 10**6)),) * 2)),
    "centres": lambda: asks(Clusters(np.zeros(3 * 10**6), 0.0)),
    "farthest": lambda: asks(Farthest(np.zeros(10**5), 0.0, 2**31 - 1)),
    "row centres": lambda: asks(RowClusters(np.zeros((10**6, 2)), np.zeros(2))),
    "farthest rows": lambda: asks(FarthestRows(np.zeros((10**5, 2)), np.zeros(2), 10**5)),
    "picked rows": lambda: asks(PickedRows(np.zeros((0, 2)), np.zeros(2), 2**31 - 1)),
    "donors": lambda: asks(Donors(np.full((10**5, 2), np.nan), 2**20)),
    "many donors": lambda: asks(Donors(np.full((2**18, 2), np.nan), 1)),
    "neighbours": lambda: asks(Neighbours(np.zeros((10**6, 2)), 1, "euclidean", 2.0, np.empty(0))),
    "row distances": lambda: asks(RowDistances(np.zeros(10**6, dtype=np.int64))),
    "coarse distances": lambda: asks(CoarseDistances(np.zeros(10**6, dtype=np.int64))),
    "pairs": lambda: asks(PairDistances(*[np.zeros(3 * 10**6, dtype=np.int64)] * 2)),
    "rows to predict": lambda: asks(Partial(0, 2**40, 2**40)),
    "exponents": lambda: asks(PowerSums((Trial(CURVE, (1e300,) * 64),) * 2)),
    "bins": lambda: asks(Spread(targets=2**31, price=2**31)),
    "sketches": lambda: asks(KLL(k=65535), REQ(k=1024), FrequentItems(k=10**5)),
}


def ask_client(data):
    """Let a client answer a round; what it says of it."""
    cells = np.arange(2.0 * ROWS).reshape(ROWS, 2)
    client = Responder("oslo", open_table((cells, np.arange(ROWS) + 0.5)), Policy.open())
    reply = decode(client.answer(data), Reply, "client 'oslo'")
    if reply.problem is not None:
        raise ValueError(reply.problem.rule)


def read_all(statistic, raw):
    rows = 20_000 if isinstance(statistic, ByCategory) else 5
    answer = read_answer(statistic, "oslo", msgspec.Raw(raw), rows, Budget())
    statistic.result(statistic.merge(statistic.empty(answer.width or 0), answer))


def jobs():
    for name, (kind, make) in FLOODS.items():
        yield name, make, lambda data, kind=kind: decode(data, kind, "the peer")
    for name, make in LARGE.items():
        yield name, make, lambda data: unpack(memoryview(data), Budget())
    for name, (statistic, make) in ANSWERS.items():
        yield name, make, lambda data, statistic=statistic: read_all(statistic, data)
    for name, make in ROUNDS.items():
        yield name, make, ask_client


def main():
    """Print for each flood what came of it, the peak of memory in bytes, and the seconds."""
    logging.getLogger("fedps.client").setLevel(logging.CRITICAL)
    found = {}
    for name, make, read in jobs():
        data = make()
        reset_peak()
        before, started = memory("VmRSS"), time.perf_counter()
        try:
            read(data)
            said = ""
        except (PeerError, ValueError) as error:
            said = f"{type(error).__name__}: {error}"
        seconds = time.perf_counter() - started
        found[name] = said, memory("VmHWM") - before + len(data), seconds
    print(json.dumps(found))  # noqa: T201


if __name__ == "__main__":
    main()
