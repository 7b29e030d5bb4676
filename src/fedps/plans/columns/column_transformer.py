"""ColumnTransformer with ``split="columns"``: each branch at the owners of its columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing
from sklearn.utils._indexing import _get_column_indices

from fedps.compounds import parts_of
from fedps.errors import NotFederated, UsageError, did_you_mean
from fedps.learned import Learned
from fedps.plans.compose import Setting, kept, learned_compound
from fedps.protocol.plan import Plan, View, gather


def column_transformer_across_owners(
    setting: Setting, transformer: Any, view: View
) -> Plan[Learned]:
    """Learn all branches side by side, each on its columns at their owners."""
    if view.is_transformed:
        raise NotFederated(
            "with split='columns', a ColumnTransformer must be the first step: after another step, only "
            "the owners know which columns there are."
        )
    row = _safe_indexing(view.pooled.dummy_row, list(view.all_columns), axis=1)
    *given, rest = parts_of(transformer)
    chosen = [positions(part.columns, row, part.name) for part in given]
    taken = {i for own in chosen for i in own}
    chosen.append([i for i in range(sum(view.widths)) if i not in taken])
    branches = zip([*given, rest], chosen, strict=True)
    fitted = [(part.estimator, own) for part, own in branches if kept(part.estimator) is None]
    steps = yield from gather(
        setting.plan_for(part, view.route(i, own)) for i, (part, own) in enumerate(fitted)
    )
    return learned_compound(
        setting,
        transformer,
        steps,
        without=["transformers", "remainder"],
        parts=[
            (part.name, kept(part.estimator), own) for part, own in zip(given, chosen, strict=False)
        ],
        remainder=kept(rest.estimator),
    )


def positions(columns: Any, row: Any, part: str) -> list[int]:
    """Return the positions of a branch's columns among the columns of all owners."""
    if callable(columns):
        try:
            columns = columns(row)
        except ValueError:
            raise UsageError(
                f"the columns of {part!r}: a selector needs pandas data frames at all clients. Name the "
                "columns instead."
            ) from None
    if isinstance(columns, str | int | np.integer):
        raise UsageError(
            f"the columns of {part!r} are given as {columns!r}, which scikit-learn passes on as a "
            f"1-D array. Give a list: [{columns!r}]."
        )
    try:
        found = _get_column_indices(row, columns)
    except (ValueError, KeyError, IndexError):
        names = list(getattr(row, "columns", ()))
        lost = [c for c in columns if isinstance(c, str) and c not in names]
        what = f"some are not among the {row.shape[1]} columns of all clients."
        if lost:
            what = f"no client has a column {lost[0]!r}.{did_you_mean(lost[0], names)}"
        raise UsageError(f"the columns of {part!r}: {what}") from None
    return [int(i) for i in found]
