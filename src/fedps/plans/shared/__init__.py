"""What several plans need: quantiles, frequent values, subsamples, folds, and the mathematics of models."""
