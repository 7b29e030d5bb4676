"""Sums over the rows of each column.

- ``moments``: count, mean and variance (``Moments``)
- ``column_sums``: sums of deviations from a pivot at a client; sums over clients without rounding
- ``power_sums``: how the likelihood of a power transform changes with lambda (``PowerSums``)
- ``power_curves``: a column under a power transform, and its derivative, without overflow
- ``power_sum_parts``: what a client adds up for them, and how parts are put together exactly
"""
