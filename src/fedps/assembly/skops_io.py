"""skops, which writes fitted estimators as data and runs no code when it reads them; it is optional."""

from __future__ import annotations

from typing import Any

from fedps.errors import UsageError


def skops_io() -> Any:
    """Return ``skops.io``; UsageError, with the way out, where it is not installed."""
    try:
        import skops.io
    except ModuleNotFoundError:
        raise UsageError(
            "fitted estimators are saved as skops files, and skops is not installed: pip install "
            "'fedps[save]'."
        ) from None
    return skops.io
