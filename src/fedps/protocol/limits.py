"""The version of the wire format, and all its limits."""

from __future__ import annotations

from fedps.statistics.cells.schema import MOST_COLUMNS

# Increase it when messages of the previous version can no longer be read, and write a decision.
VERSION = 1

# The most bytes of a message, as sent and after inflating. Decoded objects may take twice that.
MAX_MESSAGE = 16 * 2**20

# The most bytes of messages that a client keeps in one fit.
MAX_JOURNAL = 16 * MAX_MESSAGE

# What each array counts for besides its cells: many small ones take memory, too.
OBJECT_COST = 256

# Shorter messages cannot decode to much: their objects are not counted beforehand, to save time.
WORTH_COUNTING = 2**16

# The most bytes of an integer: one of a million digits takes minutes to be shown or divided.
MAX_INTEGER = 1024

MAX_DIMENSIONS = 4
MAX_WIDTH = MOST_COLUMNS
MAX_PAIRS = 10_000
MAX_ASKS = 100_000
MAX_NESTING = 16
MAX_PLACES = 1000

# Shorter messages are not compressed: there is too little to gain.
WORTH_COMPRESSING = 24

# Longer messages are compressed at the fastest level: others take longer than they save.
WORTH_TRYING_HARD = 2**17
