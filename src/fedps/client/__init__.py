"""What runs beside the data: tables, views of them, the policy gate, the ledger, the responder.

For: answering rounds about one table, and nothing more.
May import: statistics, protocol and assembly. Never plans or models.
Its one rule: no text of an exception and no cell leaves; refusals and failures name rules.
"""

from __future__ import annotations

from fedps.client.ledger import Ledger
from fedps.client.policy import Policy
from fedps.client.responder import Responder
from fedps.client.tables import open_table

__all__ = ["Ledger", "Policy", "Responder", "open_table"]
