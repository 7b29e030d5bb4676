"""How both sides speak: messages, their bytes, plans and the coordinator that drives them.

For: turning plans into as few rounds as possible, and bytes into checked values.
May import: statistics and learned. Never scikit-learn, sockets or threads.
Its one rule: nothing here does I/O; rounds go out, replies come in.
"""
