"""What went wrong with a database, in our own words: its own can quote cells and passwords."""

from __future__ import annotations

import re

LOST, DENIED, GONE, SLOW, WRONG, CHANGED = (
    "source lost", "source denied", "source gone", "source slow", "source wrong", "columns changed",
)  # fmt: skip

# SQLSTATE, by its first letters: what PostgreSQL and others say with it
_STATES = (
    ("08", LOST), ("57P", LOST), ("53", LOST), ("28", DENIED), ("42501", DENIED), ("3D", GONE),
    ("42P01", GONE), ("42703", GONE), ("3F", GONE), ("57014", SLOW), ("55P03", SLOW), ("25P03", LOST),
    ("25006", WRONG), ("42", WRONG), ("22", WRONG), ("0A", CHANGED),
)  # fmt: skip
# where there is no SQLSTATE: what the text of the driver says, of which nothing is shown
_WORDS = (
    (SLOW, r"statement timeout|lock timeout|database is locked|canceling statement"),
    (
        DENIED,
        r"password authentication|permission denied|not authorized|no pg_hba|role .* does not exist|no password",
    ),
    (GONE, r"no such table|no such column|Table with name|Referenced column|does not exist"),
    (
        LOST,
        r"connect|terminat|server closed|SSL|EOF|unable to open|failed to open|could not receive|timeout expired",
    ),
    (CHANGED, r"cached plan must not change"),
)

SENTENCES = {
    LOST: "the connection to {uri} failed or was lost. Check that the server runs and can be reached, and fit again",
    DENIED: "{uri} does not let this user read what the query reads, or log in. Check the user, the password (PGPASSWORD, "
    ".pgpass, or a variable in the address) and its rights",
    GONE: "the query names a table, a column or a database that {uri} does not have",
    SLOW: "{uri} stopped the query: it took longer than the time limit of the server or of SQL(timeout=), or waited for "
    "another's lock",
    WRONG: "{uri} cannot run the query. Try it there: its own message can quote cells, and is not shown",
    CHANGED: "the query's columns are others than when the table was opened. Start again",
    "mixed": "column {column} of the query has cells of several types, or no value in its first rows. CAST it in the query, "
    "or put rows that have a value first",
}


def kind_of_fault(error: BaseException) -> str:
    """Return which of the sentences says what an error of a driver means."""
    state = str(getattr(error, "sqlstate", None) or "")
    for start, kind in _STATES:
        if state.startswith(start):
            return kind
    text = str(error)
    for kind, words in _WORDS:
        if re.search(words, text, re.IGNORECASE):
            return kind
    return WRONG


def mixed_column(error: BaseException) -> int | None:
    """Return the position of a column of SQLite that has cells of several types, if that is the matter."""
    found = re.search(r"Type mismatch in column (\d+)", str(error))
    return None if found is None else int(found[1])
