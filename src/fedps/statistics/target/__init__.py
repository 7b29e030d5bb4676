"""The target beside the categories of columns, and its labels."""
