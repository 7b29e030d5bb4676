"""scikit-learn's tests of imputers, federated."""

from sklearn.impute.tests.test_impute import *  # noqa: F403
