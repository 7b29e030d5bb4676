"""Plans that look at the clients' data, and fit nothing: they return what ``fedps.looks`` shows.

- ``look``: which plan belongs to which look
- ``numbers``, ``categories``: the columns of a table; ``crosstab``, ``correlation``: pairs of columns
- ``tables``: numbers of a column from its table of values; ``bars``: its histogram
- ``differences``: how far a client is from the others
"""
