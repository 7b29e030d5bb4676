"""Pipelines, fitted estimators and reports in files: what the command line and the engines share.

For: reading ``prep.py:pipeline``, writing and reading skops files, writing reports and what looks found.
May import: everything of ours but engines and cli; skops, when a file is written or read.
Its one rule: reading a fitted estimator runs no code of the file's choosing.
"""

from __future__ import annotations

from fedps.files.pipelines import load_pipeline
from fedps.files.saved_fits import load_fitted, save_fitted

__all__ = ["load_fitted", "load_pipeline", "save_fitted"]
