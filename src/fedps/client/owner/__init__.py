"""What a client does as the owner of columns (``split="columns"``).

For: fitting its own part and keeping it, secrets of its own, matching rows.
May import: what ``client`` may. Nothing here knows about an engine.
Its one rule: what is kept here is readable by the owner only, and never written over without a word.
"""
