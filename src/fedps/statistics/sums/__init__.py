"""Sums over rows: moments, and sums under power transforms."""
