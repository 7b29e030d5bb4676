"""Tables in Parquet and CSV files, read in chunks of rows.

- ``file_table``: such files as a table (``FileTable``)
- ``parquet_files``, ``csv_files``: some files as one Arrow table
- ``paths``: which files a path, a directory or a glob means
- ``arrow_frames``: Arrow tables as pandas or polars frames
"""
