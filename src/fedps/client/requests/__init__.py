"""Consent by the data owner: pipelines that are asked for wait in a folder until the owner decides.

- ``digest``: what identifies what is consented to
- ``request_folder``: the folder beside the ledger, one small file for each request; ``own_files``: reading
  and writing files that nobody else can change
- ``owner_consent``: what a client asks in every round
- ``client_card``: what the client's table and policy are, so that a request can be shown for them
- ``in_words``: what a request would ask of a table; ``step_words``: its steps in plain words
"""
