"""Pipeline and FeatureUnion in both settings: plans one after the other, and side by side."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from fedps.compounds import parts_of
from fedps.errors import NotFederated, UsageError
from fedps.learned import Learned, Nothing, Numbers, Parameters
from fedps.plans.shared.parameters import learned, params_of
from fedps.protocol.plan import Plan, View, gather

PlanFor = Callable[[Any, View], Plan[Learned]]


class Setting(NamedTuple):
    """What differs between ``split="rows"`` and ``split="columns"`` if estimators are combined.

    Parameters
    ----------
    plan_for : callable
        Returns the plan of an estimator inside another.
    checks_only : tuple of type
        Steps that learn nothing: their plans only check the cells.
    whole : bool
        Whether clients keep the fitted estimator, and so are sent all its parameters.
    """

    plan_for: PlanFor
    checks_only: tuple[type, ...] = ()
    whole: bool = False


def pipeline(setting: Setting, pipe: Any, view: View) -> Plan[Learned]:
    """Learn each step on the output that the steps before it give during their fit."""
    steps: list[Learned] = []
    if not parts_of(pipe):
        raise UsageError("the Pipeline has no steps. Give it at least one.")
    fitted = [part.estimator for part in parts_of(pipe) if kept(part.estimator) is None]
    used = view.used
    for i, step in enumerate(fitted):  # by place: the same object may stand in two steps
        last = i == len(fitted) - 1
        own = view.inside(i, steps).use(used or not last)
        if not last and isinstance(step, setting.checks_only):
            # saves a round: the next step's statistics fail on the same cells as this check
            steps.append(learned(step))
        else:
            steps.append((yield from setting.plan_for(step, own)))
    return learned_compound(setting, pipe, steps, without=["steps"])


def feature_union(setting: Setting, union: Any, view: View) -> Plan[Learned]:
    """Learn all parts side by side."""
    fitted = [part.estimator for part in parts_of(union) if kept(part.estimator) is None]
    plans = (setting.plan_for(part, view.inside(i)) for i, part in enumerate(fitted))
    steps = yield from gather(plans)
    return learned_compound(setting, union, steps, without=["transformer_list"])


def learned_compound(
    setting: Setting,
    compound: Any,
    steps: list[Learned],
    *,
    without: list[str],
    numbers: Numbers | None = None,
    **params: Any,
) -> Learned:
    """Return what was learned for a compound: its parameters, and what its parts learned."""
    given = {
        **params_of(compound, without, whole=setting.whole),
        "parts": [(part.name, kept(part.estimator)) for part in parts_of(compound)],
        **params,
    }
    name = type(compound).__name__
    return Learned(name, Parameters(given), numbers or Nothing(), tuple(steps))


def kept(part: Any) -> str | None:
    """Return 'passthrough' or 'drop', or None for an estimator; NotFederated for anything else."""
    if part is None:
        return "passthrough"
    if isinstance(part, str) and part not in ("passthrough", "drop"):
        raise NotFederated(f"a part must be an estimator, 'passthrough' or 'drop', not {part!r}.")
    return part if isinstance(part, str) else None
