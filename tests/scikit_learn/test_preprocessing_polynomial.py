"""scikit-learn's tests of preprocessing, federated."""

from sklearn.preprocessing.tests.test_polynomial import *  # noqa: F403
