"""The texts of errors about clients that hold different columns of the same rows, or should."""

from __future__ import annotations

OWNER_RULES = {
    "split": "{has} rows of all columns, and {what} is for clients that hold different columns of the same "
    "rows. The data owner sets split = \"columns\" in the settings there; or leave out split='columns' here.",
    "split of rows": "{has} some columns of rows that others have, too, and {what} is for clients that hold "
    "rows of the same columns. Say split='columns' here; or the data owner takes split = \"columns\" out of "
    "the settings there.",
    "fit name": "{does} not take {column} as the name of a fit, since it becomes the name of a file. Use up "
    "to 64 letters, digits, dots, hyphens and underscores, fit(..., name='risk-2024').",
    "fit exists": "{keeps} {its} part of an earlier fit {column}, and none is written over. Give this fit "
    "another name, fit(..., name=...); or the data owner moves the old files away.",
    "fits full": "{keeps} parts of as many fits as may be. The data owner moves old ones away, from the "
    "folder beside the ledger.",
    "not kept": "{keeps} no part of a fit {column}. Fit it with this client first, or predict by the name of "
    "another fit.",
    "not written": "could not keep {its} part of the fit. The logger 'fedps.client' there has the reason at "
    "level ERROR.",
    "no outputs": "{has} no place for {its} transformed rows. The data owner names one in the settings "
    'there, outputs = "folder"; or use fit instead of fit_transform.',
    "outputs exist": "{has} a file already where {its} transformed rows would go, and none is written over. "
    'The data owner moves it away, or names a folder in the settings there, outputs = "folder".',
    "no new rows": "{has} no new rows to predict. The data owner names their file in the settings there, "
    'new = "new.parquet".',
    "new rows": "could not open {its} new rows. The logger 'fedps.client' there has the reason at level "
    "ERROR.",
    "new column": "{has} new rows without the column {column}, which {its} table has. Add it there.",
    "new width": "{has} new rows with another number of columns than {its} table.",
    "no predictions": "{has} no place for predictions. The data owner names one in the settings there, "
    "predictions = \"folder\"; or let the server have them, to='server'.",
    "predictions exist": "{has} a file already where predictions would go, and none is written over. The "
    'data owner moves it away, or names a folder in the settings there, predictions = "folder".',
    "no key": "{has} no key column, by which rows are matched. Name it in the settings there (key = ...), or "
    "with Federation(..., key='column').",
    "points": "{does} not accept blinded keys that came from others: they are not different points of the curve. Match "
    "the rows again; if that happens again, another client or the server does not keep to the protocol.",
    "marks": "{does} not agree who takes part in the match: it must be told once, with this client where the server says "
    "that it stands. Match the rows again; if that happens again, the server does not keep to the protocol.",
    "proofs": "{does} not accept the rows that all clients are said to have: there is no proof of it. Match the rows "
    "again; if that happens again, the server does not keep to the protocol.",
    "match exists": "{has} a match of this name already. Make the federation again: each match has a name of its own.",
    "no match": "{has} no match of this name. Make the federation again, so that rows are matched.",
    "rows changed": "{has} different keys than when the rows were matched. Make the federation again.",
    "other rows": "{has} different rows than those that {column} was fitted on. For other rows it needs "
    "the columns of all clients: make a Federation of these rows, and fit it there.",
    "no model": "{has} no part of a model to predict with. Use federation.predict.",
    "aligned": "{has} different rows or columns than the server asked about: they changed since the "
    "first round. Start the fit again.",
    "keys": "{does} not accept the keys that the server gave for the other clients, or cannot open what one of them "
    "sealed. A salt must be the same at all owners. If it is, the server may have put keys of its own in the place "
    "of a client's: do not go on before you know why.",
    "no sodium": "{has} no PyNaCl, by which columns are masked and keys are blinded. Install it there: pip install 'fedps[columns]'.",
}
