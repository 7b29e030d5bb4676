"""Clients that show no table of values, however few rows they have."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from fedps.statistics.limits import Limits
from fedps.statistics.order.spread import FEWEST_SHOWN


@contextmanager
def without_tables() -> Iterator[None]:
    """Let clients show hardly more than the extremes of a column, as a small ``max_share`` does of large ones.

    Of the small tables here such a share would not even let the extremes out.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Limits, "most_values", lambda *_: FEWEST_SHOWN)
        yield
