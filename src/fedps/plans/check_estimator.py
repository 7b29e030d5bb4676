"""Whether an estimator can be fitted across clients: if not, which step of it, and what to do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import sklearn
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline

from fedps.compounds import is_estimator, parts_of
from fedps.errors import NotFederated, UsageError, did_you_mean
from fedps.plans.parameter_checks import validate
from fedps.plans.registry import REGISTRY, supported

PAGE = "docs/training.md"


class StepPlace(NamedTuple):
    """Where an estimator stands: the compounds around it, outermost first, and its name in each."""

    around: tuple[tuple[Any, str], ...] = ()

    def inside(self, compound: Any, name: str) -> StepPlace:
        """Return the place of a part of the compound that stands here."""
        return StepPlace((*self.around, (compound, name)))

    @property
    def path(self) -> str:
        """The name under which the outermost compound's ``set_params`` knows it."""
        return "__".join(name for _, name in self.around)

    @property
    def step(self) -> int | None:
        """Its position, where it is a step of the outermost compound, and that is a Pipeline."""
        if len(self.around) != 1 or not isinstance(self.around[0][0], Pipeline):
            return None
        compound, name = self.around[0]
        return [part.name for part in parts_of(compound)].index(name)

    def called(self, estimator: Any) -> str:
        """Return how an error calls the estimator that stands here."""
        kind = type(estimator).__name__
        if not self.around:
            return kind
        branch = not isinstance(self.around[-1][0], Pipeline)
        return f"{'branch' if branch else 'step'} {self.path!r} ({kind})"


def check_supported(estimator: Any) -> None:
    """Raise NotFederated unless an estimator, and every estimator inside it, has a plan.

    UsageError if they cannot stand together as they do.
    """
    for part, place in _places(estimator, StepPlace()):
        if type(part) not in REGISTRY:
            raise NotFederated(_cannot(part, place))
        if place.around:
            _check_transforms(part, place)
        validate(part)
    check_outputs(estimator, used=False)


def _places(estimator: Any, place: StepPlace) -> Iterator[tuple[Any, StepPlace]]:
    """Yield an estimator and all inside it, outer ones first, with their places."""
    yield estimator, place
    for part in parts_of(estimator):
        if is_estimator(part.estimator):
            yield from _places(part.estimator, place.inside(estimator, part.name))


def _is_last(place: StepPlace) -> bool:
    compound, name = place.around[-1]
    return isinstance(compound, Pipeline) and parts_of(compound)[-1].name == name


def _check_transforms(part: Any, place: StepPlace) -> None:
    """Raise UsageError if a part must transform, and cannot."""
    if not _is_last(place) and not hasattr(part, "transform"):
        raise UsageError(
            f"{place.called(part)} has no transform: it can only be the last step of a Pipeline."
        )


def check_outputs(estimator: Any, *, used: bool) -> None:
    """Raise UsageError for sparse output where data frames are configured, as scikit-learn would.

    ``used`` says that the estimator's own output is wanted, not only that of its parts.
    """
    for part, place in _places(estimator, StepPlace()):
        chosen = getattr(part, "_sklearn_output_config", {}).get("transform")
        output = chosen or sklearn.get_config()["transform_output"]
        if output == "default" or not (used or _is_used(place)):
            continue
        for name, dense in _DENSE.get(type(part).__name__, {}).items():
            if getattr(part, name) not in dense:
                raise UsageError(
                    f"{place.called(part)} makes sparse matrices, which cannot be {output} data frames. "
                    f"Set {name}={dense[0]!r}, or its output by .set_output(transform='default')."
                )


# parameters by which estimators choose sparse output, and the values with which it is dense
_DENSE: dict[str, dict[str, tuple[Any, ...]]] = {
    "KBinsDiscretizer": {"encode": ("onehot-dense", "ordinal")},
    "MissingIndicator": {"sparse": (False, "auto")},
    "OneHotEncoder": {"sparse_output": (False,)},
    "SplineTransformer": {"sparse_output": (False,)},
}


def _is_used(place: StepPlace) -> bool:
    """Whether something inside the compounds around a place sees its output during their fit."""
    return any(
        isinstance(compound, ColumnTransformer)
        or (isinstance(compound, Pipeline) and parts_of(compound)[-1].name != name)
        for compound, name in place.around
    )


def _cannot(estimator: Any, place: StepPlace) -> str:
    if isinstance(estimator, type):
        return f"{estimator.__name__} is a class: give an instance, {estimator.__name__}()."
    if not hasattr(estimator, "fit"):
        return f"{estimator!r} is not a scikit-learn estimator."
    return f"FedPS cannot fit {place.called(estimator)} across clients. {_way(estimator, place)}"


def _way(estimator: Any, place: StepPlace) -> str:
    """Return what to do about an estimator that cannot be fitted across clients."""
    name = type(estimator).__name__
    for kind in REGISTRY:
        if isinstance(estimator, kind):
            return f"It is a {kind.__name__} that may compute something else: use {kind.__name__}."
    if not place.around:
        if hasattr(estimator, "predict"):
            return (
                "It fits preprocessing: fit that by federation.fit, transform each client's rows by "
                f"federation.transform, then train {name} on them. See {PAGE}."
            )
        hint = did_you_mean(name, supported())
        return f"fedps.supported() lists what it can fit.{hint}"
    if place.step is None:
        return (
            f"Leave it out, .set_params({place.path}='passthrough'), and fit it on what "
            f"federation.transform gives, at each client or by your engine. See {PAGE}."
        )
    if place.step == 0:
        return (
            "It is the first step: fit it at each client, and give the federation what it makes of the "
            f"rows, for the steps after it. See {PAGE}."
        )
    before, rest = f"[:{place.step}]", f"[{place.step}:]"
    if _is_last(place):
        before, rest = "[:-1]", f"[-1], the {name},"
    return (
        f"Fit what comes before it, fitted = federation.fit(pipe{before}), transform each client's rows, "
        f"federation.transform(fitted), and train pipe{rest} on them, at each client or by your "
        f"engine. See {PAGE}."
    )
