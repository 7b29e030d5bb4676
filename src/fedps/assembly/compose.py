"""Pipeline, ColumnTransformer and FeatureUnion: scikit-learn's own fit runs over stand-ins."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any

from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.pipeline import Pipeline
from sklearn.utils.metaestimators import available_if

from fedps.assembly.dummy_rows.dummy_row import like
from fedps.assembly.recipes.encoders import stored_cells
from fedps.compounds import is_estimator
from fedps.learned import Learned
from fedps.learned.compose import ColumnTransformerNumbers
from fedps.learned.encoders import CategoryEncoderNumbers

# a fitted estimator, and a function that gives one row of its output
Built = tuple[Any, Callable[[], Any]]


# what it gives is wrapped by the genuine estimator already
class Learner(TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):  # type: ignore[call-arg,misc]
    """Stands in for an estimator whose numbers are already learned, inside scikit-learn's own fit.

    After ``fit``, ``fitted`` is the genuine estimator; ``transform`` gives one row of its output.

    Parameters
    ----------
    estimator : estimator
        The unfitted estimator.
    learned : Learned
        What was learned for it.
    build : callable
        Makes the fitted one, given this object, a made-up row, and whether its output is wanted.
    """

    def __init__(
        self, estimator: Any, learned: Learned, build: Callable[[Learner, Any, bool], Built]
    ) -> None:
        self.estimator = estimator
        self.learned = learned
        self.build = build

    def __sklearn_clone__(self) -> Learner:
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "fitted")

    def fit(self, table: Any, y: Any = None, **_: Any) -> Learner:
        """Make the genuine fitted estimator."""
        self.fitted, self.output = self.build(self, table, False)
        return self

    def fit_transform(self, table: Any, y: Any = None, **_: Any) -> Any:
        """Make the fitted estimator and give one row of its output."""
        self.fitted, self.output = self.build(self, table, True)
        return self.output()

    def transform(self, table: Any) -> Any:
        """Give one row of output, whatever the table: made from a row that the estimator knows."""
        return self.output()

    @available_if(lambda self: hasattr(self.fitted, "get_feature_names_out"))  # type: ignore[untyped-decorator]
    def get_feature_names_out(self, names: Any = None) -> Any:
        """Give the fitted estimator's names."""
        return self.fitted.get_feature_names_out(names)


def assemble_pipeline(learner: Learner, table: Any, transforms: bool) -> Built:
    """Fit the stand-in of each step on the output of the step before."""
    fitted = clone(learner.estimator)
    stand_ins = _stand_ins([step for _, step in fitted.steps], learner)
    names = [name for name, _ in fitted.steps]
    last = max((i for i, s in enumerate(stand_ins) if isinstance(s, Learner)), default=None)
    steps: list[tuple[str, Any]] = []
    output: Callable[[], Any] = lambda: table  # noqa: E731 - the steps' outputs are called too
    for i, (name, stand_in) in enumerate(zip(names, stand_ins, strict=True)):
        if isinstance(stand_in, Learner):
            # as in scikit-learn, the last step does not transform during fit
            fit = stand_in.fit_transform if transforms or i != last else stand_in.fit
            fit(output())
            output = stand_in.output
            steps.append((name, stand_in.fitted))
        else:
            steps.append((name, stand_in))
    fitted.steps = steps
    return fitted, output


def assemble_feature_union(learner: Learner, table: Any, transforms: bool) -> Built:
    """Fit the union over stand-ins, then put in the genuine parts."""
    fitted = clone(learner.estimator)
    n_jobs, fitted.n_jobs = fitted.n_jobs, None
    names = [name for name, _ in fitted.transformer_list]
    stand_ins = _stand_ins([part for _, part in fitted.transformer_list], learner)
    fitted.transformer_list = list(zip(names, stand_ins, strict=True))
    once_more = copy(fitted)
    output = fitted.fit_transform(table) if transforms else fitted.fit(table)
    fitted.transformer_list = [(name, _genuine(part)) for name, part in fitted.transformer_list]
    fitted.n_jobs = n_jobs
    return fitted, lambda: output if transforms else once_more.fit_transform(table)


def assemble_column_transformer(learner: Learner, table: Any, transforms: bool) -> Built:
    """Fit the column transformer over stand-ins, then put in the genuine parts."""
    fitted = clone(learner.estimator)
    n_jobs, fitted.n_jobs = fitted.n_jobs, None
    originals, remainder = fitted.transformers, fitted.remainder
    parts = _stand_ins([part for _, part, _ in originals] + [remainder], learner)
    fitted.transformers = [
        (name, part, columns) for (name, _, columns), part in zip(originals, parts, strict=False)
    ]
    fitted.remainder = parts[-1]
    output = fitted.fit_transform(table)
    if sparse.issparse(table) or _sparse_parts(fitted):
        fitted.sparse_output_ = _is_sparse(
            fitted, learner.learned.numbers_as(ColumnTransformerNumbers)
        )
    fitted.transformers_ = [
        (name, _genuine(part), columns) for name, part, columns in fitted.transformers_
    ]
    name, _, columns = fitted._remainder
    fitted._remainder = (name, remainder, columns)
    fitted.transformers, fitted.remainder, fitted.n_jobs = originals, remainder, n_jobs
    return fitted, lambda: _as(fitted.sparse_output_, output)


def assemble_frozen_estimator(learner: Learner, table: Any, transforms: bool) -> Built:
    """Return the estimator as it is: fitting does not change it."""
    return clone(learner.estimator), lambda: _frozen_output(learner.estimator.estimator, table)


COMPOUND_RECIPES: dict[str, Callable[[Learner, Any, bool], Built]] = {
    "ColumnTransformer": assemble_column_transformer,
    "FeatureUnion": assemble_feature_union,
    "FrozenEstimator": assemble_frozen_estimator,
    "Pipeline": assemble_pipeline,
}


def _stand_ins(parts: list[Any], learner: Learner) -> list[Any]:
    """Return a stand-in for each estimator; 'passthrough' and 'drop' stay."""
    steps = iter(learner.learned.steps)
    return [Learner(p, next(steps), learner.build) if is_estimator(p) else p for p in parts]


def _genuine(part: Any) -> Any:
    if not isinstance(part, Learner):
        return part
    return part.fitted if hasattr(part, "fitted") else part.estimator


def _sparse_parts(fitted: Any) -> dict[str, Learner]:
    """Return the stand-ins by name whose output is sparse."""
    return {
        name: part
        for name, part, _ in fitted.transformers_
        if isinstance(part, Learner) and hasattr(part, "fitted") and sparse.issparse(part.output())
    }


def _is_sparse(fitted: Any, numbers: ColumnTransformerNumbers) -> bool:
    """Decide as scikit-learn does, from the stored cells of all pooled rows."""
    rows, stored = int(numbers.rows), numbers.stored
    sparse_parts = _sparse_parts(fitted)
    filled = total = 0
    for name, where in fitted.output_indices_.items():
        width = where.stop - where.start
        total += rows * width
        if stored.get(name) is not None:
            filled += int(stored[name])
        elif name in sparse_parts:
            filled += _stored(sparse_parts[name], rows * width)
        else:
            filled += rows * width
    return bool(total and filled / total < fitted.sparse_threshold)


def _stored(part: Learner, most: int) -> int:
    """Return the stored cells of a branch: known if it ends in a OneHotEncoder, else all cells."""
    fitted, learned = part.fitted, part.learned
    while isinstance(fitted, Pipeline):
        fitted, learned = fitted.steps[-1][1], learned.steps[-1]
    if learned.estimator != "OneHotEncoder":
        return most
    return stored_cells(fitted, learned.numbers_as(CategoryEncoderNumbers))


def _as(wanted: bool, output: Any) -> Any:
    if sparse.issparse(output) and not wanted:
        return output.toarray()
    if wanted and not sparse.issparse(output) and not hasattr(output, "columns"):
        return sparse.csr_matrix(output)
    return output


def _frozen_output(fitted: Any, table: Any) -> Any:
    """Return one row of a frozen estimator's output, from a row that it knows."""
    if hasattr(fitted, "categories_"):
        table = like(table, [[categories[0]] for categories in fitted.categories_])
    return fitted.transform(table)
