"""Tables in Parquet and CSV files, read in chunks of rows."""
