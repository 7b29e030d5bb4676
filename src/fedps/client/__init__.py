"""What runs at a client, beside the data: it answers rounds about one table, and nothing else.

May import: statistics, questions, draws, protocol, assembly, learned, compounds, tables of report. Never plans.
Its one rule: no text of an exception and no cell leaves; refusals and failures name rules.

- ``responder``: a round in, a reply out, behind a policy; all asks of a round in one pass
- ``hearing``: a round that was heard, and what follows from it for every client of the process
- ``places/``: the tables of a fit, each at a place of the pipeline that the client agreed to, and what
  may be asked and told about them
- ``tables/``: opening and reading tables
- ``block``: rows of a table, as statistics read them; ``distances``: by scipy's metrics
- ``policy``: the rules, and the gate that applies them; ``policy_file``: rules from a file
- ``ledger/``: the record of what left, and what it adds up to; ``file_lock``: one process at a time
- ``requests/``: pipelines that wait for the owner's consent, and what was decided about them
- ``work_budget``: how much a client computes in a round and a fit; ``made_width``: what an estimator makes;
  ``work_limits``: parameters, patterns and samples that cost too much
- ``outputs``: transforming own rows; ``owner/``: fitting and keeping own columns, with ``split="columns"``
- ``failure_reasons``: why an estimator failed, without quoting a cell
"""

from __future__ import annotations

from fedps.client.ledger import Ledger
from fedps.client.policy import Policy
from fedps.client.responder import Responder
from fedps.client.tables import open_table

__all__ = ["Ledger", "Policy", "Responder", "open_table"]
