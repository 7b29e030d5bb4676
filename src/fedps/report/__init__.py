"""What a call cost and what left each client: collected first, rendered second."""

from __future__ import annotations

from fedps.report.run import AskRow, Costs, Explanation, LeftOut, Run

__all__ = ["AskRow", "Costs", "Explanation", "LeftOut", "Run"]
