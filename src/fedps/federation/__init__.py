"""The facade: what a user calls, over one session and one of two settings (rows or columns).

May import: everything of ours but files, engines, their adapters and the command line.
Its one rule: it chooses once between rows and columns; each setting is a class of its own.

- ``federation``: the class ``Federation``; ``arguments``: what it is given, checked
- ``row_split``, ``column_split``: the two settings; ``session``: what both share
- ``clients/``: the clients as a caller sees them: their names, their schemas
- ``explain``: what a fit would ask; ``cohort``: who takes part; ``faults/``: errors, and going on after a stop
- ``assembled``: the fitted estimator; ``pooled_gaps``: what transformed rows have for missing
- ``requery``: fitted estimators that ask the clients when they are used (``split="rows"``)
- ``alignment``, ``parts``, ``queries``: same rows, fitted parts, rows to predict (``split="columns"``)
- ``in_process``: what only tables of this process can hand over
"""

from __future__ import annotations

from fedps.federation.federation import Federation
from fedps.federation.fit import fit

__all__ = ["Federation", "fit"]
