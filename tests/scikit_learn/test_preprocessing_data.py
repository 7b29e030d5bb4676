"""scikit-learn's tests of preprocessing, federated."""

from sklearn.preprocessing.tests.test_data import *  # noqa: F403
