"""ColumnTransformer with ``split="rows"``: its branches side by side."""

from __future__ import annotations

from typing import Any

from sklearn.impute import KNNImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder

from fedps.compounds import Part, parts_of, walk
from fedps.learned import Learned
from fedps.learned.compose import ColumnTransformerNumbers
from fedps.plans.compose import Setting, kept, learned_compound
from fedps.plans.shared.column_choice import row_of, written_columns
from fedps.protocol.plan import Plan, View, ask, gather
from fedps.statistics import Stored


def column_transformer(setting: Setting, transformer: Any, view: View) -> Plan[Learned]:
    """Learn all branches side by side, each on its columns."""
    *given, rest = parts_of(transformer)
    columns = [
        written_columns(part.columns, row_of(view), part.name, by_name=view.pooled.by_name)
        for part in given
    ]
    fitted = [part.estimator for part in (*given, rest) if kept(part.estimator) is None]
    steps = yield from gather(
        setting.plan_for(
            part, view.inside(i, by_columns=True).use(view.used or _counted(part, transformer))
        )
        for i, part in enumerate(fitted)
    )
    stored = yield from _stored(transformer, [*given, rest], steps, view)
    rows = view.pooled.table.rows if view.pooled.table else 0
    return learned_compound(
        setting,
        transformer,
        steps,
        without=["transformers", "remainder"],
        numbers=ColumnTransformerNumbers(rows=rows, stored=stored),
        parts=[(p.name, kept(p.estimator), own) for p, own in zip(given, columns, strict=True)],
        remainder=kept(rest.estimator),
    )


def _counted(part: Any, transformer: Any) -> bool:
    """Whether the stored cells of a branch are counted, for which a KNNImputer must fill gaps."""
    if transformer.sparse_threshold <= 0 or not _stores_unknown(part, sparse=False):
        return False
    return any(isinstance(inner, KNNImputer) for inner in walk(part))


def _stored(
    transformer: Any, branches: list[Part], steps: list[Learned], view: View
) -> Plan[dict[str, int]]:
    """Ask how many cells the sparse branches store, unless what was learned tells.

    scikit-learn compares the share of stored cells with ``sparse_threshold``, over all rows.
    """
    sparse = view.pooled.table is not None and view.pooled.table.container == "sparse"
    remaining = enumerate(steps)
    asks: dict[str, Plan[int]] = {}
    for number, (name, part, _) in enumerate(branches):
        index, learned = next(remaining) if kept(part) is None else (None, None)
        output = view.branch(number, index, learned)
        unknown = part != "drop" and _stores_unknown(part, sparse=sparse)
        if unknown and transformer.sparse_threshold > 0:
            asks[name] = ask(Stored(), output)
    counts = yield from gather(asks.values())
    return dict(zip(asks, counts, strict=True))


def _stores_unknown(part: Any, *, sparse: bool) -> bool:
    """Whether a branch may have sparse output whose stored cells do not follow from its numbers."""
    if isinstance(part, OneHotEncoder):
        return False
    if sparse or getattr(part, "sparse", False) is True:
        return True
    inner = [inside.estimator for inside in parts_of(part)]
    if not inner:
        return False
    makes_sparse = any(
        isinstance(step, OneHotEncoder) and step.sparse_output for step in inner
    ) or any(_stores_unknown(step, sparse=False) for step in inner)
    # a OneHotEncoder as the last step stores a known number of cells, whatever comes before it
    return makes_sparse and not (
        isinstance(part, Pipeline) and isinstance(inner[-1], OneHotEncoder)
    )
