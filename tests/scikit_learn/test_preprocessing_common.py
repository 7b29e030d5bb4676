"""scikit-learn's tests of preprocessing, federated."""

from sklearn.preprocessing.tests.test_common import *  # noqa: F403
