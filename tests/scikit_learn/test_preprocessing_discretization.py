"""scikit-learn's tests of preprocessing, federated."""

from sklearn.preprocessing.tests.test_discretization import *  # noqa: F403
