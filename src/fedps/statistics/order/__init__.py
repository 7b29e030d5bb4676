"""Extremes, quantiles and ranks: exactly, or by a sketch."""
