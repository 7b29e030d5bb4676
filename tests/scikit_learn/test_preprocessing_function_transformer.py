"""scikit-learn's tests of preprocessing, federated."""

from sklearn.preprocessing.tests.test_function_transformer import *  # noqa: F403
