"""The clients as a caller sees them: names of any kind, what their tables look like, who they are.

May import: protocol, client, report and the session. Never the settings (rows or columns) above it.
Its one rule: nothing here is learned from rows, and only a schema is ever asked for.

- ``client_names``: names as given, and as the text that travels
- ``client_view``: one client; ``federation_schema``: the columns, dtypes and rows of all
- ``members``: all of them, over a session; ``federation_table``: what a federation shows of itself
"""

from __future__ import annotations
