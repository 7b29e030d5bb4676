"""KMeans on row-partitioned tables.

- ``kmeans``: the plan; ``starts``: the first centres; ``runs``: from first centres to the last
"""
