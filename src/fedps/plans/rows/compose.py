"""Pipeline, ColumnTransformer and FeatureUnion: sequence and gathering, nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.impute import KNNImputer
from sklearn.preprocessing import Binarizer, Normalizer, OneHotEncoder, PolynomialFeatures
from sklearn.utils.validation import check_is_fitted

from fedps.errors import NotFederated
from fedps.learned import Learned, Nothing, Parameters
from fedps.learned.compose import ColumnTransformerNumbers
from fedps.plans.shared.column_choice import as_written, selection
from fedps.plans.shared.parameters import learned, params_of
from fedps.protocol.messages import Except, Selection
from fedps.protocol.plan import Plan, View, ask, gather
from fedps.statistics import Stored

# they learn nothing; their plans only have the cells checked
CHECKED_ONLY = (Binarizer, Normalizer, PolynomialFeatures)

PlanFor = Callable[[Any, View], Plan[Learned]]


def pipeline(plan_for: PlanFor, pipe: Any, view: View) -> Plan[Learned]:
    """Learn each step on what the steps before make of the table, as they give it while fitted."""
    steps: list[Learned] = []
    parts = [(name, kept(step)) for name, step in pipe.steps]
    fitted = [step for _, step in pipe.steps if kept(step) is None]
    used = view.used
    for step in fitted:
        view = view.use(used or step is not fitted[-1])
        if step is not fitted[-1] and isinstance(step, CHECKED_ONLY):
            # the next step's answer fails where this one's check would
            steps.append(learned(step))
        else:
            steps.append((yield from plan_for(step, view)))
        view = view.apply(steps[-1])
    params = Parameters({**params_of(pipe, ["steps"]), "parts": parts})
    return Learned("Pipeline", params, Nothing(), tuple(steps))


def feature_union(plan_for: PlanFor, union: Any, view: View) -> Plan[Learned]:
    """Learn all parts side by side."""
    parts = [(name, kept(part)) for name, part in union.transformer_list]
    fitted = [part for _, part in union.transformer_list if kept(part) is None]
    steps = yield from gather(plan_for(part, view) for part in fitted)
    params = Parameters({**params_of(union, ["transformer_list"]), "parts": parts})
    return Learned("FeatureUnion", params, Nothing(), tuple(steps))


def column_transformer(plan_for: PlanFor, transformer: Any, view: View) -> Plan[Learned]:
    """Learn all branches side by side, each on its columns."""
    chosen = [selection(columns, view, name) for name, _, columns in transformer.transformers]
    rest = Except(tuple(chosen))  # type: ignore[arg-type]
    branches = [(n, p, c) for (n, p, _), c in zip(transformer.transformers, chosen, strict=True)]
    branches.append(("remainder", transformer.remainder, rest))
    steps = yield from gather(
        _branch(plan_for, part, view.use(view.used or _counted(part, transformer)), columns)
        for _, part, columns in branches
        if kept(part) is None
    )
    stored = yield from _stored(transformer, branches, steps, view)
    parts = [(name, kept(part), as_written(columns)) for name, part, columns in branches[:-1]]
    params = {
        **params_of(transformer, ["transformers", "remainder"]),
        "parts": parts,
        "remainder": kept(transformer.remainder),
    }
    rows = view.pooled.table.rows if view.pooled.table else 0
    numbers = ColumnTransformerNumbers(rows=rows, stored=stored)
    return Learned("ColumnTransformer", Parameters(params), numbers, tuple(steps))


def frozen_estimator(frozen: Any, view: View) -> Plan[Learned]:
    """Learn nothing: it is fitted. Taken apart only in case a later step needs its output."""
    check_is_fitted(frozen.estimator)
    assert view.pooled.freeze is not None
    try:
        inside = view.pooled.freeze(frozen.estimator)
    except KeyError:
        # it cannot be sent, and need not be unless some step comes after it
        return Learned("FrozenEstimator", Parameters(estimator=frozen.estimator), Nothing())
    return Learned("FrozenEstimator", Parameters(), Nothing(), (inside,))
    yield


def _branch(plan_for: PlanFor, part: Any, view: View, columns: Selection) -> Plan[Learned]:
    return (yield from plan_for(part, view.select(columns)))


def _counted(part: Any, transformer: Any) -> bool:
    """Whether a branch's output is asked about, and cannot be had unless gaps are filled."""
    if transformer.sparse_threshold <= 0 or not _stores_unknown(part, sparse=False):
        return False
    return any(isinstance(value, KNNImputer) for value in part.get_params().values())


def kept(part: Any) -> str | None:
    """Return 'passthrough' or 'drop' as they are, None for an estimator."""
    if part is None:
        return "passthrough"
    if isinstance(part, str) and part not in ("passthrough", "drop"):
        raise NotFederated(f"a part must be an estimator, 'passthrough' or 'drop', not {part!r}.")
    return part if isinstance(part, str) else None


def _stored(
    transformer: Any, branches: list[Any], steps: list[Learned], view: View
) -> Plan[dict[str, int]]:
    """Ask how many cells the sparse branches store, where their numbers do not tell."""
    sparse = view.pooled.table is not None and view.pooled.table.container == "sparse"
    remaining = iter(steps)
    asks: dict[str, Plan[int]] = {}
    for name, part, columns in branches:
        output = view.select(columns)
        if kept(part) is None:
            output = output.apply(next(remaining))
        unknown = part != "drop" and _stores_unknown(part, sparse=sparse)
        if unknown and transformer.sparse_threshold > 0:
            asks[name] = ask(Stored(), output)
    counts = yield from gather(asks.values())
    return dict(zip(asks, counts, strict=True))


def _stores_unknown(part: Any, *, sparse: bool) -> bool:
    """Whether a branch may give sparse output of a size that what was learned does not tell."""
    if isinstance(part, OneHotEncoder):
        return False
    if sparse or getattr(part, "sparse", False) is True:
        return True
    inner = [step for _, step in getattr(part, "steps", [])] or [
        item[1] for item in getattr(part, "transformers", getattr(part, "transformer_list", []))
    ]
    if not inner:
        return False
    last_alone = hasattr(part, "steps")
    makes_sparse = any(
        isinstance(step, OneHotEncoder) and step.sparse_output for step in inner
    ) or any(_stores_unknown(step, sparse=False) for step in inner)
    return makes_sparse and not (last_alone and isinstance(inner[-1], OneHotEncoder))
