"""The ledger: a client's own record of what left it, and what that adds up to. It holds no cell.

- ``ledger``: noting answers, and making them final before they leave
- ``entry``: one line; ``ledger_lines``: reading, appending and limiting the file
- ``ledger_table``: how it shows itself
- ``account``: what answers add up to: fits, single values and numbers by column
- ``ledger_index``: the totals in a small database; ``index_file``: keeping it beside the ledger
- ``chain``: whether lines were removed, changed or inserted
"""

from __future__ import annotations

from fedps.client.ledger.account import Account, CommitCheck, Spent
from fedps.client.ledger.chain import check_chain
from fedps.client.ledger.entry import IN_PROCESS, KEPT_ENTRY, SCHEMA_ENTRY, Charge, Entry
from fedps.client.ledger.index_file import read_ledger
from fedps.client.ledger.ledger import Ledger

__all__ = [
    "IN_PROCESS",
    "KEPT_ENTRY",
    "SCHEMA_ENTRY",
    "Account",
    "Charge",
    "CommitCheck",
    "Entry",
    "Ledger",
    "Spent",
    "check_chain",
    "read_ledger",
]
