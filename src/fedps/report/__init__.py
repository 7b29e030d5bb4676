"""What a call cost and what left each client: collected first, rendered second.

For: ``federation.run`` and ``federation.explain(...)``, as tables, dicts and JSON.
May import: nothing of ours, so that a report holds plain values only.
Its one rule: a report never holds a cell.

- ``asks``: one row for each statistic asked (``AskRow``)
- ``run``, ``explanation``: the record of a call, and what a fit would ask
- ``section``: a titled table; ``text_table``, ``html_table``: how it looks; ``levels``: their colours
- ``rendering``: what shows itself as tables; ``progress``: a line for long fits
"""

from __future__ import annotations

from fedps.report.asks import AskRow
from fedps.report.explanation import Explanation
from fedps.report.run import Costs, LeftOut, Run

__all__ = ["AskRow", "Costs", "Explanation", "LeftOut", "Run"]
