"""scikit-learn's tests of preprocessing, federated."""

from sklearn.preprocessing.tests.test_label import *  # noqa: F403
