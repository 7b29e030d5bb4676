"""Tables that are read batch by batch from wherever they live, as Arrow data.

- ``arrow_source``: what such a source must tell (``ArrowSource``), and what is wrong with one (``SourceFault``)
- ``source_table``: a source as a table, in chunks of rows (``SourceTable``)
- ``queried_source``: a source that is read by running something: it is surveyed once, and every later pass is
  compared with the first; ``survey`` and ``row_digest`` are what is compared
- ``lazy_frames``, ``duckdb_relations``, ``reader_functions``: such sources of this process
- ``plain_types``: the types of databases as those of Parquet files
- ``uri``: addresses, with the password hidden
- ``top_level_order``: whether a query says in which order its rows are
- ``arrow_frames``: Arrow tables as pandas or polars frames
"""
