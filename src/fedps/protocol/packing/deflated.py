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

STRETCH = 1 << 15  # bytes that are compressed in one way
SAMPLED, PARTS = 1 << 11, 4  # bytes of a stretch that are looked at, and from how many places
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
    for way, some in groupby(range(0, len(packed), STRETCH), lambda start: _way(packed, start)):
        starts = list(some)
        stop = starts[-1] + STRETCH
        here = packed[starts[0] : stop]
        found.append(_squeezed(here, way, words, is_end=stop >= len(packed)))
        words = b""  # they are before the first stretch only
    return b"".join(found)


def _way(packed: bytes, start: int) -> _Way:
    """Return the way that suits a stretch, by a sample of it."""
    stretch = packed[start : start + STRETCH]
    step = max(len(stretch) // PARTS, 1)
    parts = (stretch[at : at + SAMPLED // PARTS] for at in range(0, len(stretch), step))
    sample = b"".join(parts)
    size, best = min((len(_squeezed(sample, way)), way) for way in (_FAST, _EACH_BYTE))
    return best if size < _WORTH_IT * len(sample) else _STORED


def _squeezed(packed: bytes, way: _Way, words: bytes = b"", *, is_end: bool = True) -> bytes:
    about = (way.level, zlib.DEFLATED, -zlib.MAX_WBITS, zlib.DEF_MEM_LEVEL, way.strategy)
    squeezer = zlib.compressobj(*about, words) if words else zlib.compressobj(*about)
    ends = zlib.Z_FINISH if is_end else zlib.Z_SYNC_FLUSH
    return squeezer.compress(packed) + squeezer.flush(ends)
