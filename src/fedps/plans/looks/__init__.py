"""Plans that look at the clients' data, and fit nothing: they return what ``fedps.looks`` shows.

- ``look``: which plan belongs to which look
- ``numbers``, ``categories``: the columns of a table; ``crosstab``, ``correlation``: pairs of columns
- ``tables``: sums of a column; ``bars``: its histogram; ``seconds``: dates as numbers
- ``sites``: how far a client is from the others; ``kept_back``: what clients keep back, and how that is shown
"""
