"""scikit-learn's tests of imputers, federated."""

from sklearn.impute.tests.test_knn import *  # noqa: F403
