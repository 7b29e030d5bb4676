"""Tables in files: Parquet, CSV, Feather and Excel, and datasets of pyarrow.

- ``paths``: which files a path, a directory or a glob means
- ``open_files``: the source of some files (``open_files``)
- ``parquet_files``, ``csv_files``, ``dataset_files``: some files as one Arrow table
- ``csv_options``: CSV files that are not written as most are (``CSV``); ``excel_sheets``: sheets of Excel (``Excel``)
"""
