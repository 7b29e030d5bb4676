"""Tables that are the answer to a query of a database, by ADBC.

- ``sql``: what a user names (``SQL``)
- ``drivers``: which driver an address needs, and how it holds the rows as they are
- ``sql_source``: the query's rows as a source; ``held_connection``: the connection that holds them
- ``sql_faults``: what went wrong, without the database's own words, which can quote cells
"""
