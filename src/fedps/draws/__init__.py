"""Samples and folds of the rows of all clients, drawn alike by the server and by each client.

For: a client that knows the generator's state, how many rows there are and where its own begin draws
its own part of what scikit-learn would draw from the pooled rows. No list of rows travels.
May import: numpy, scikit-learn's sampling and splitters, ``errors``.
Its one rule: what is drawn follows from the arguments alone.
"""
