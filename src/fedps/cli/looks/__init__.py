"""``fedps describe``, ``crosstab`` and ``corr``, here and on engines: look at the clients' data, and fit nothing."""
