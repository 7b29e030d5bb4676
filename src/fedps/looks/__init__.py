"""What a look at the clients' data gives: plain values, and how they are shown.

For: ``federation.describe``, ``crosstab`` and ``corr``, as data frames, JSON and pages.
May import: ``report``, pandas when a data frame is asked for; nothing else of ours.
Its one rule: a number that a client kept back is never shown as 0 or left empty, but marked with the reason.

- ``column_facts``, ``groups``: what is known, as plain values
- ``description``, ``crosstab``, ``correlation``: what a user gets; ``shown`` is what they have in common
- ``named_facts``, ``percentile_labels``, ``formats``: names and numbers as pandas and people write them
- ``frames``, ``plain_values``, ``text_tables``, ``page/``: data frames, JSON, a terminal, a browser
"""

from __future__ import annotations

from fedps.looks.correlation import Correlation
from fedps.looks.crosstab import Crosstab
from fedps.looks.description import Description

__all__ = ["Correlation", "Crosstab", "Description"]
