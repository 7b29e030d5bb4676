"""The looks that every engine must give to the bit: a description by groups, pairs of categories, a correlation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import fedps
from tests.conformance.scenario import POLICIES, write_tables

NUMBERS = ("age", "bmi", "income", "visits")
COLUMNS = (*NUMBERS, "city", "smoker")
DESCRIBED = {"by": "smoker", "percentiles": (0.1, 0.5, 0.9)}
# the same, as options of a command
DESCRIBE_WORDS = (
    "--columns", ",".join(COLUMNS), "--by", "smoker", "--percentiles", "0.1,0.5,0.9",
)  # fmt: skip
CORR_WORDS = ("--columns", ",".join(NUMBERS))
CROSSED = ("city", "smoker")

# a policy by which turku does not take part: it has 50 rows
STRICT = {"level": "SUMMARY", "min_rows": 51, "max_share": 1.0}
REFUSAL = (
    "client 'turku' refused to take part: the policy there (min_rows) needs 51 rows and there are fewer. "
    "Leave the client out, or ask the data owner. [round 1]"
)


def here(folder: Path, **options: Any) -> fedps.Federation:
    """Return the federation in process, on the same files under the same policies.

    With a quorum, turku's is the strict one.
    """
    rules = POLICIES if "quorum" not in options else {**POLICIES, "turku": STRICT}
    policies = {name: fedps.Policy(**own) for name, own in rules.items()}
    return fedps.Federation(write_tables(folder), policy=policies, progress=False, **options)


def be_strict(policy: Path) -> None:
    """Write turku's strict policy."""
    lines = [f"{key} = {value!r}".replace("'", '"') for key, value in STRICT.items()]
    policy.write_text("\n".join(lines) + "\n", "utf-8")


def told(found: Any) -> str:
    """Return all that a look found, as text that is equal only if it is equal to the last bit.

    JSON has each float as the shortest decimal that stands for it alone.
    """
    return str(found.to_json())


def described(federation: fedps.Federation, **options: Any) -> tuple[str, tuple[Any, ...]]:
    """Describe, and return what was found and what it cost."""
    found = federation.describe(COLUMNS, **DESCRIBED, **options)
    return told(found), costs(federation)


def correlated(federation: fedps.Federation) -> tuple[str, tuple[Any, ...]]:
    """Correlate, and return what was found and what it cost."""
    return told(federation.corr(NUMBERS)), costs(federation)


def crossed(federation: fedps.Federation) -> tuple[str, tuple[Any, ...]]:
    """Count pairs, and return what was found and what it cost."""
    return told(federation.crosstab(*CROSSED)), costs(federation)


def costs(federation: fedps.Federation) -> tuple[Any, ...]:
    """Return what the last call cost."""
    run = federation.run
    return run.rounds, run.bytes_up, run.bytes_down
