"""Tables split by columns, and what comes out of them put side by side again."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy import sparse

import fedps


def people(rows=60, seed=0):
    """Return a table of all kinds of columns with a key, some cells missing."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "id": rng.permutation(rows) + 1000,
            "age": rng.integers(18, 90, rows).astype(float),
            "city": rng.choice(["oslo", "bergen", "tromsø"], rows),
            "income": rng.lognormal(10, 1, rows),
            "visits": rng.poisson(3, rows),
            "weight": rng.normal(70, 12, rows),
            "grade": rng.choice(["a", "b"], rows),
            "label": rng.choice(["no", "yes"], rows),
        }
    )
    table.loc[rng.choice(rows, rows // 6, replace=False), "weight"] = np.nan
    return table


OWNERS = {
    "bank": ["age", "city", "label"],
    "clinic": ["weight", "visits"],
    "shop": ["income", "grade"],
}
FEATURES = ["age", "city", "weight", "visits", "income", "grade"]
NUMBERS = ["age", "visits", "income"]


def split(table, owners=None):
    """Return each owner's columns, each with the key."""
    return {client: table[["id", *names]] for client, names in (owners or OWNERS).items()}


def federation(table=None, **options):
    """Return a federation of owners."""
    table = people() if table is None else table
    return fedps.Federation(
        split(table), split="columns", **{"key": "id", "target": "label", **options}
    )


def dense(output):
    """Return an output as a dense array."""
    return output.toarray() if sparse.issparse(output) else np.asarray(output)


def side_by_side(outputs):
    """Return all owners' outputs as one dense array."""
    return np.hstack([dense(output) for output in outputs.values() if output.shape[1]])
