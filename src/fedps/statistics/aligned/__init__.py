"""Statistics about whole rows, for ``split="columns"``: each client holds different columns.

- ``row_keys``: whether all clients have the same rows in the same order (``RowKeys``)
- ``row_norms``: norms of rows over all columns (``RowNorms``)
- ``row_factor``: all rows, rotated by a secret rotation (``RowFactor``); ``rotation``: that rotation
- ``change_norms``: how far rotated coefficients moved (``ChangeNorms``)
- ``target_rows``: the target of every row (``TargetRows``)
- ``partial_predictions``: each client's part of predictions (``Partial``)
- ``gap_mask``: which cells are missing (``GapMask``)
- ``incomplete_columns``: columns with missing cells, cell by cell (``IncompleteColumns``)
- ``row_distances``: distances of given rows to all rows (``RowDistances``)
- ``coarse_distances``: the same, in a byte each (``CoarseDistances``)
- ``pair_distances``: distances of given pairs of rows (``PairDistances``)
- ``donor_means``: means of the target over given rows (``DonorMeans``)
- ``aligned_base``: what these share
"""
