"""The rows nearest to given ones, with row-partitioned data.

- ``incomplete_rows``: the rows with missing cells, as they are (``Incomplete``)
- ``donors``: for each missing cell, the values in the nearest rows (``Donors``)
- ``neighbours``: for each row to predict, the targets of the nearest rows (``Neighbours``)
- ``nearest_base``: what the two share: values and distances of the k nearest, and how they merge
- ``closest_rows``: finding the nearest rows, by bounds first and exact distances then
"""
