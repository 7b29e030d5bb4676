"""``fedps ledger``: a client's record of what left it, shown, exported and verified.

- ``ledger_commands``: the commands; ``time_window``: from when, until when
- ``answer_totals``: everything added up in one pass; ``ledger_tables``: the tables that are printed
- ``remaining_budget``: how much more may be told about a column
- ``export_ledger``: as CSV or JSON, for an auditor
"""
