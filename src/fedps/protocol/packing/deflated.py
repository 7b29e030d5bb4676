"""Compressed bytes: those of a small message are compressed well, those of a large one fast.

Plain numbers are written in planes, so that a large message has stretches of random bytes beside some that
repeat. Searching for repeats takes most of the time: it is done only where a sample shows that it helps.
"""

from __future__ import annotations

import zlib
from itertools import groupby
from typing import NamedTuple

from fedps.protocol.limits import WORTH_TRYING_HARD
from fedps.protocol.words import WORDS

WORTH_CUTTING, STRETCHES = 1 << 18, 16  # bytes from which a message is cut into so many stretches
SAMPLED, PARTS = 8, 8  # one in so many bytes of a stretch is looked at, in so many places
_WORTH_IT = 0.995  # a stretch that shrinks less is stored


class _Way(NamedTuple):
    level: int
    strategy: int = zlib.Z_DEFAULT_STRATEGY


_WELL, _FAST = _Way(6), _Way(1)
_EACH_BYTE, _STORED = _Way(1, zlib.Z_HUFFMAN_ONLY), _Way(0)


def deflated(packed: bytes) -> bytes:
    """Return bytes as one raw deflate stream, which may refer to ``WORDS``."""
    if len(packed) < WORTH_TRYING_HARD:
        return _squeezed(packed, _WELL, WORDS)
    found, words = [], WORDS
    step = -(-len(packed) // (STRETCHES if len(packed) >= WORTH_CUTTING else 1))
    every = range(0, len(packed), step)
    for way, some in groupby(every, lambda start: _way(packed[start : start + step])):
        starts = list(some)
        stop = starts[-1] + step
        here = packed[starts[0] : stop]
        found.append(_squeezed(here, way, words, is_end=stop >= len(packed)))
        words = b""  # they are before the first stretch only
    return b"".join(found)


def _way(stretch: bytes) -> _Way:
    """Return the way that suits a stretch, by a sample of it."""
    step = len(stretch) // PARTS
    sample = b"".join(stretch[i : i + step // SAMPLED] for i in range(0, len(stretch), step))
    size, best = min((len(_squeezed(sample, way)), way) for way in (_FAST, _EACH_BYTE))
    return best if size < _WORTH_IT * len(sample) else _STORED


def _squeezed(packed: bytes, way: _Way, words: bytes = b"", *, is_end: bool = True) -> bytes:
    about = (way.level, zlib.DEFLATED, -zlib.MAX_WBITS, zlib.DEF_MEM_LEVEL, way.strategy)
    squeezer = zlib.compressobj(*about, words) if words else zlib.compressobj(*about)
    ends = zlib.Z_FINISH if is_end else zlib.Z_SYNC_FLUSH
    return squeezer.compress(packed) + squeezer.flush(ends)
