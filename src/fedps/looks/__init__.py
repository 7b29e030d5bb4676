"""What a look at the clients' data gives: plain values, and how they are shown.

For: ``federation.describe``, ``crosstab`` and ``corr``, as data frames, JSON and pages.
May import: ``report``, pandas when a data frame is asked for; nothing else of ours.
Its one rule: a number that a client kept back is never shown as 0 or left empty, but marked with the reason.
"""

from __future__ import annotations

from fedps.looks.correlation import Correlation
from fedps.looks.crosstab import Crosstab
from fedps.looks.description import Description

__all__ = ["Correlation", "Crosstab", "Description"]
