"""scikit-learn's tests of preprocessing, federated."""

from sklearn.preprocessing.tests.test_encoders import *  # noqa: F403
