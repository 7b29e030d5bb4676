"""Warnings of a call: each once, and none that only tells of its threads."""

from __future__ import annotations

import warnings

from fedps.federation.faults.callers_line import said_once


def test_each_is_said_once():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with said_once():
            warnings.warn("twice", stacklevel=1)
            warnings.warn("twice", stacklevel=1)
    assert len(caught) == 1


def test_nothing_is_said_of_filters_that_another_thread_is_changing():
    """scikit-learn takes filters that are empty for a moment as a wrong call of its own functions."""
    with said_once():
        warnings.warn(
            "`sklearn.utils.parallel.delayed` should be used with `sklearn.utils.parallel.Parallel` to ...",
            stacklevel=1,
        )
