"""Looking at the clients' data: what a user calls, and how answers become what ``fedps.looks`` shows.

- ``look``: what is looked at (``Look``); ``look_pipeline``: the same as a pipeline that clients consent to
- ``found``: what the plans found becomes a ``Description``, a ``Crosstab`` or a ``Correlation``
- ``looked``, ``notes``: what a look found, and what clients kept back of it; ``owners``: with ``split="columns"``
- ``looking``: the calls ``describe``, ``crosstab`` and ``corr`` of a federation
"""
