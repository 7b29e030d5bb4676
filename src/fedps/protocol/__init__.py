"""How both sides speak: messages, their bytes, plans and the coordinator that drives them.

For: turning plans into as few rounds as possible, and bytes into checked values.
May import: statistics and learned. Never scikit-learn, sockets or threads.
Its one rule: nothing here does I/O; rounds go out, replies come in.

- ``plan``: what plans are written in: ``ask``, ``tell``, ``gather`` and the views of clients' tables
- ``coordinator``: drives a plan, rounds out and replies in; ``heard``: what it knows of one round
- ``schemas/``: how tables fit together, columns by name; ``one_missing``: None and NaN as one value
- ``answers``: reading clients' answers, and the texts of all errors about clients
- ``messages``: what travels; ``codec``: messages as bytes; ``limits``: how large they may be
- ``packing/``: arrays and whole numbers as few bytes
- ``unfolded_size``: what bytes would take in memory; ``bad_fields``: which field of a message is wrong
"""
