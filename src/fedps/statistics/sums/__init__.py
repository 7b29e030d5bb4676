"""Sums over the rows of each column.

- ``moments``: count, mean and variance (``Moments``)
- ``deviations``: what a client adds up for them: deviations from a pivot
- ``exact_sums``: sums and products of doubles without rounding
- ``power_sums``: how the likelihood of a power transform changes with lambda (``PowerSums``)
- ``power_curves``: a column under a power transform, and its derivative, without overflow
- ``power_sum_parts``: what a client adds up for them, and how parts are put together exactly
"""
