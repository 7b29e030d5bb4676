"""What the Flower and NVFLARE adapters share; each adapter keeps only what is peculiar to its engine.

For: the settings of a client, opening it and answering for it; the description of a fit, running it
and checking who takes part in it.
May import: everything of ours but cli and the adapters themselves. No engine.
Its one rule: no exception of a client and no text of one is raised towards an engine.
"""
