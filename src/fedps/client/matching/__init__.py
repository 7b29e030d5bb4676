"""Finding the rows that all owners of columns have, by keys that nobody shows (``match="private"``).

For: a client's side of the matching: blinding, the tables in which common keys meet, the rows that were found.
May import: what ``client`` may, and PyNaCl (the extra ``columns``). Nothing of the curve is computed by hand.
Its one rule: a key leaves only as a point that its owner has blinded with a secret of this one match.

- ``scalars``: an owner's secret numbers; ``curve``: keys as points, and points blinded
- ``meeting``: what follows from a point that all owners have blinded
- ``matching``: an owner's steps, in their order; the rows that are found are kept in ``owner/kept_matches``
"""
