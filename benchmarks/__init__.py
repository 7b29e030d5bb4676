"""Benchmarks: what a federated fit takes beside the pooled scikit-learn fit.

For: ``python -m benchmarks``, and the data sets that the byte budgets in the tests read too.
May import: fedps as a user would, scikit-learn, pandas.
Its one rule: both arms run in the same process on the same rows, turn by turn, and the smallest
time counts; seconds are reported, never asserted.
"""
