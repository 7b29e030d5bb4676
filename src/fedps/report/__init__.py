"""What a call cost and what left each client: collected first, rendered second.

asks: a row for each thing asked. run and explanation: the record of a call, and what one would ask.
rendering: tables as text, Markdown and HTML. progress: a line for long fits.
"""

from __future__ import annotations

from fedps.report.asks import AskRow
from fedps.report.explanation import Explanation
from fedps.report.run import Costs, LeftOut, Run

__all__ = ["AskRow", "Costs", "Explanation", "LeftOut", "Run"]
