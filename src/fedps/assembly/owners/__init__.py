"""Estimators for a client that holds some of the columns: it fits them on its own rows."""
