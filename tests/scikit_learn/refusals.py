"""What a federation does not do in scikit-learn's own tests, and what it says.

docs/limits.md has the same list in the words of a user. Every test that an entry names must be refused, and in these
words; where it passes, the entry goes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Expected:
    """Tests whose fit is refused.

    Parameters
    ----------
    tests : str
        A pattern of their names, parameters included.
    says : str
        What the refusal says, in part.
    heading : str
        Where docs/limits.md has the reason.
    """

    tests: str
    says: str
    heading: str

    def names(self, test: str) -> bool:
        """Whether this is about a test."""
        return re.fullmatch(self.tests, test) is not None


WEIGHTS = "Weighted quantiles and clusters"
FUNCTIONS = "Functions of whole columns"
ROWS = "Models that need rows"
DRAWS = "Draws that depend on single cells"
CELLS = "Cells that are objects"
WIDE = "Tables of more than a quarter of a million columns"
WATCHED = "What watches a fit from inside"

REFUSED = {
    "test_compose_column_transformer": (
        Expected(
            "test_column_transformer_mixed_cols_sparse",
            "convertible to a numeric",
            "Object columns",
        ),
    ),
    "test_impute_impute": (
        Expected(r"test_iterative_imputer_estimators\[estimator4\]", "the rows themselves", ROWS),
        Expected("test_iterative_imputer_clip_truncnorm", "sample_posterior", DRAWS),
        Expected("test_iterative_imputer_truncated_normal_posterior", "sample_posterior", DRAWS),
        Expected("test_iterative_imputer_transform_stochasticity", "sample_posterior", DRAWS),
        Expected("test_iterative_imputer_catch_warning", "sample_posterior", DRAWS),
        Expected(r"test_imputation_custom\[csc_.*\]", "all cells of a column", FUNCTIONS),
    ),
    "test_impute_knn": (
        Expected("test_knn_imputer_callable_metric", "run no function of a server", FUNCTIONS),
    ),
    "test_pipeline": (
        Expected("test_fit_predict_on_pipeline", "has no labels_", WATCHED),
        Expected("test_pipeline_with_callbacks.*", "has callbacks", WATCHED),
        Expected("test_pipeline_memory_callbacks_.*", "has callbacks", WATCHED),
    ),
    "test_preprocessing_data": (
        Expected("test_quantile_transform_subsampling", "column by column", DRAWS),
        Expected("test_quantile_transformer_sparse_subsampling", "column by column", DRAWS),
        Expected(r"test_standard_scaler_callback_support\[fit\]", "has callbacks", WATCHED),
    ),
    "test_preprocessing_discretization": (
        Expected(
            r"test_fit_transform\[(quantile|kmeans)-.*-sample_weight[5-9]\]",
            "sample_weight",
            WEIGHTS,
        ),
        Expected(
            r"test_fit_transform_n_bins_array\[.*-sample_weight[4-7]\]", "sample_weight", WEIGHTS
        ),
        Expected("test_kbinsdiscretizer_effect_sample_weight", "sample_weight", WEIGHTS),
        Expected("test_kbinsdiscretizer_no_mutating_sample_weight.*", "sample_weight", WEIGHTS),
    ),
    "test_preprocessing_encoders": (
        Expected(
            r"test_encoders_string_categories\[.*-S-[OU]\]", "not among the given categories", CELLS
        ),
    ),
    "test_preprocessing_function_transformer": (
        Expected(
            "test_function_transformer_feature_names_out_uses_estimator", "row by row", FUNCTIONS
        ),
        Expected("test_function_transformer_error_column_inconsistent.*", "row by row", FUNCTIONS),
    ),
    "test_preprocessing_label": (
        Expected("test_multilabel_binarizer_non_integer_labels", "Python objects", CELLS),
    ),
    "test_preprocessing_polynomial": (
        Expected(r"test_csr_polynomial_expansion_index_overflow\[.*-3037000\d*\]", "columns", WIDE),
        Expected("test_csr_polynomial_expansion_windows_fail.*", "columns", WIDE),
    ),
}

# Where the federation's numbers are meant to differ from what a test of scikit-learn expects.
DIFFERS = {
    "test_preprocessing_data": {
        "test_power_transformer_2d": "lambda is more accurate than scikit-learn's search",
    },
    "test_preprocessing_encoders": {
        r"test_one_hot_encoder_specified_categories\[object-None-and-nan-.*\]": "one value for missing",
    },
}

# What still fails, and who is about to change it.
PENDING: dict[str, dict[str, str]] = {}


def expected_refusal(module: str, test: str) -> Expected | None:
    """Return what is expected of a test, if it is to be refused."""
    return next((entry for entry in REFUSED.get(module, ()) if entry.names(test)), None)


def known_difference(module: str, test: str) -> str | None:
    """Return why a test fails, if it is known to."""
    known = DIFFERS.get(module, {}) | PENDING.get(module, {})
    return next((why for name, why in known.items() if re.fullmatch(name, test)), None)
