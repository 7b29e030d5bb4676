"""Rows that are nearest to others, where clients hold rows."""
