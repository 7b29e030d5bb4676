"""Values and rows by their nearest centre, for k-means.

Of the values of one column (``KBinsDiscretizer(strategy="kmeans")``):

- ``value_clusters``: count and sum per centre (``Clusters``)
- ``farthest_values``: values farthest from their centre, for empty clusters (``Farthest``)
- ``assign_values``: the centre nearest to each value

Of whole rows (``KMeans``):

- ``row_clusters``: count and sum per centre, and the inertia (``RowClusters``)
- ``farthest_rows``: rows farthest from their centre, for empty clusters (``FarthestRows``)
- ``row_counts``: how many rows each client has (``RowCounts``)
- ``potentials``: sums of squared distances, by which k-means++ draws (``Potentials``)
- ``picked_rows``: the rows that are drawn (``PickedRows``)
- ``assign_rows``: the centre nearest to each row
"""
