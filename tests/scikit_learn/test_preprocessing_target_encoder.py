"""scikit-learn's tests of preprocessing, federated."""

from sklearn.preprocessing.tests.test_target_encoder import *  # noqa: F403
