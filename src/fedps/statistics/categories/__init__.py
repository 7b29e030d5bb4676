"""The distinct values of columns, and how often they occur."""
