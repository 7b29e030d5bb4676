"""KMeans, where each client holds some of the rows."""
