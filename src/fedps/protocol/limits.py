"""The wire's version number, every limit of it, and the words that both sides know beforehand."""

from __future__ import annotations

# Advance when a message of the version before can no longer be read, and write a decision.
VERSION = 1

# A message, and what it may unfold to: compressed bytes, packed arrays and texts included.
MAX_MESSAGE = 16 * 2**20

# What a client keeps of the messages of one fit.
MAX_JOURNAL = 16 * MAX_MESSAGE

# What each array, text or other object is counted as, at least, against MAX_MESSAGE * 2.
OBJECT_COST = 256

# Messages shorter than this cannot unfold to much: their objects are not counted beforehand.
WORTH_COUNTING = 2**16

MAX_DIMENSIONS = 4
MAX_WIDTH = 250_000
MAX_PAIRS = 10_000
MAX_ASKS = 100_000
MAX_NESTING = 16

# Messages shorter than this are not worth compressing.
WORTH_COMPRESSING = 64

# Messages longer than this are compressed in a hurry: it takes longer than it saves otherwise.
WORTH_TRYING_HARD = 2**17

# Frequent words, the commonest last: deflate refers to them as if they had just been sent, which
# matters in messages of a few hundred bytes. A change needs a new VERSION.
WORDS = (
    b"finite stored known missing categories extremes moments category:|O sparse polars numpy "
    b"pandas float32 bool object float64 str int64 client "
)
