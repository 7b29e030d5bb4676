"""The order of a column's numbers: extremes and quantiles, exact, from slices or from a sketch.

- ``extremes``: smallest and largest number (``Extremes``)
- ``spread``: table of values and counts, or bins where that is too large (``Spread``)
- ``tables``: these tables and bins, of all columns at once, and how they are merged and made coarser
- ``bins``: bins with equal shares of a column's cells
- ``values_within``: the numbers in given intervals (``Within``); ``within_summary``: what is told of them;
  ``within_limits``: what a client with limits computes for it
- ``slices``: slices of the number line with enough cells in each; ``sliced_column``: a column in these
- ``float_keys``: doubles as integers in the same order, for cutting the number line
- ``kll``, ``req``: the two sketches (``KLL``, ``REQ``)
- ``sketch_base``: what both sketches share; ``sketch_result``: quantiles and ranks from one
"""
