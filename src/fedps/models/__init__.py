"""Plans for models that predict: Bayesian ridge regression, k-means, nearest neighbours.

For: what the paper builds imputers on, and what is worth fitting on its own.
May import: what plans may: statistics, protocol, learned and scikit-learn's parameters.
Its one rule: a plan never sees a table, a client or a socket.
"""
